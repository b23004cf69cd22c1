// Time until the cache is filled from a real kube-apiserver, in protobuf and in JSON, and the apiserver's CPU time.
//
// The pages come from a kubectl proxy in front of it, as the dashboard's do; everything runs on this machine, so a download costs
// no network. All contestants request the same pages, one after the other.
import { readFileSync, readdirSync } from 'node:fs';
import { serveKubelet } from '../../support/kubelet.mjs';
import { seed } from '../../support/seed.mjs';
import { startRealWithProxy } from '../../support/start.mjs';
import { Runner } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'from an empty cache to a synced one, on a real apiserver';

/** Seeding costs a minute for each 5,000 pods. */
export const sizes = () => [5_000];

const contestants = ['ours', 'ours in JSON', 'download', 'download in protobuf', 'javascript'];

/** CPU time of the kube-apiserver so far, in milliseconds; undefined where the system does not tell. */
function cpuOf(pid) {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).map(Number);
    return (user + system) * 10;
  } catch {
    return undefined;
  }
}

/** The process that was started with the data of this etcd. */
function apiserverOf(etcd) {
  const line = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && line(pid).includes('kube-apiserver') && line(pid).includes(etcd));
}

export async function measure({ browser, size, pairs, files, say }) {
  let server;
  try {
    server = await startRealWithProxy([`--www=${files.folder}`, '--www-prefix=/ui/']);
  } catch (error) {
    if (error.exitCode !== 75) throw error;
    return [unmeasured({ name: 'sync', unit: 'ms', size, reason: error.message.split('\n').at(-1) })];
  }
  const kubelet = await serveKubelet('-api', server.url);
  const runners = {};
  try {
    say(await seed(server.url, { pods: `${size}`, kubelet: kubelet.match[1] }));
    const pid = apiserverOf(server.etcd);
    const samples = {};
    for (const name of contestants) {
      samples[name] = [];
      runners[name] = await Runner.open(browser, server.url, name, 'worker');
      // The first round is a warm-up: compilers, connections, and the code that converts protobuf.
      await runners[name].call('sync');
      await runners[name].call('stop');
    }
    for (let round = 0; round < pairs; round++) {
      for (const name of contestants) {
        const before = cpuOf(pid);
        const sample = await runners[name].timed('sync');
        await runners[name].call('stop');
        samples[name].push({ ...sample, apiserver: cpuOf(pid) - before });
      }
    }
    const of = (name, field) => samples[name].map((sample) => sample[field]);
    const line = (what, unit, field, name, against, more = {}) =>
      figure({ name: what, unit, size, against, value: of(name, field), baseline: of(against, field), ...more });
    const [protobuf, json] = ['ours', 'ours in JSON'].map((name) => samples[name][0]);
    const megabytes = ({ bytes, wire }) => `${(bytes / 1e6).toFixed(1)} MB, ${(wire / 1e6).toFixed(1)} MB on the wire`;
    const lines = [
      line('sync', 'ms', 'milliseconds', 'ours', 'download', { goal: { ratio: true, atMost: 0.6 }, note: `protobuf: ${megabytes(protobuf)}; JSON: ${megabytes(json)}` }),
      line('sync', 'ms', 'milliseconds', 'ours', 'download in protobuf', { goal: { ratio: true, atMost: 1.1 } }),
      line('sync', 'ms', 'milliseconds', 'ours', 'ours in JSON'),
      line('sync', 'ms', 'milliseconds', 'ours', 'javascript'),
      line('CPU of the renderer during sync', 'ms', 'cpu', 'ours', 'ours in JSON'),
      line('CPU of the renderer during sync', 'ms', 'cpu', 'ours', 'javascript'),
      line('bytes on the wire', 'bytes', 'wire', 'ours', 'ours in JSON'),
    ];
    if (cpuOf(pid) !== undefined) lines.push(line('CPU of the apiserver during sync', 'ms', 'apiserver', 'ours', 'ours in JSON'));
    return lines;
  } finally {
    for (const runner of Object.values(runners)) await runner.close();
    await kubelet.stop();
    await server.stop();
  }
}
