// Time until the cache is filled, over the network: the same pages in JSON, one after the other, for all. The suite `real` has
// protobuf.
import { Runner } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'from an empty cache to a synced one';

const contestants = {
  download: ['download', 'worker'],
  ours: ['ours in JSON', 'worker'],
  javascript: ['javascript', 'worker'],
  'client-node': ['client-node', 'worker'],
  'javascript in the page': ['javascript', 'page'],
};

export async function measure({ browser, size, pairs, serving, say }) {
  const figures = [];
  await serving({ pods: size }, async (origin) => {
    const runners = {};
    const failures = {};
    const samples = {};
    const attempt = async (name, work) => {
      if (failures[name]) return;
      try {
        await work();
      } catch (error) {
        failures[name] = error.message.split('\n')[0];
        say(`${name}: ${failures[name]}`);
      }
    };
    for (const [name, [contestant, place]] of Object.entries(contestants)) {
      samples[name] = [];
      await attempt(name, async () => {
        runners[name] = await Runner.open(browser, origin, contestant, place);
        // The first round is a warm-up: compilers, connections, the server's pages.
        await runners[name].call('sync');
        await runners[name].call('stop');
        await runners[name].call('longTasks');
      });
    }
    for (let round = 0; round < pairs; round++) {
      for (const name of Object.keys(contestants)) {
        await attempt(name, async () => {
          const sample = await runners[name].timed('sync');
          if (place(name) === 'page') sample.longTask = Math.max(0, ...(await runners[name].call('longTasks')));
          await runners[name].call('stop');
          samples[name].push(sample);
        });
      }
    }
    for (const runner of Object.values(runners)) await runner.close();

    const milliseconds = (name) => samples[name].map((sample) => sample.milliseconds);
    const same = (name) => samples[name].every((s) => s.requests === samples.download[0].requests && s.bytes === samples.download[0].bytes);
    const differs = Object.keys(contestants).filter((name) => !failures[name] && !same(name));
    const { requests, bytes, wire } = samples.download[0];
    const note =
      differs.length === 0
        ? `${requests} requests, ${(bytes / 1e6).toFixed(1)} MB of JSON, ${(wire / 1e6).toFixed(1)} MB on the wire for each`
        : `not the same requests and bytes: ${differs.map((name) => `${name} ${samples[name][0].requests} requests, ${samples[name][0].bytes} bytes`).join('; ')}`;
    const line = (name, against, more = {}) => {
      const failure = failures.ours ?? failures[against];
      if (failure) return unmeasured({ name, unit: 'ms', size, against, reason: failure });
      return figure({ name, unit: 'ms', size, against, value: milliseconds('ours'), baseline: milliseconds(against), ...more });
    };
    // Only comparable with the same requests.
    figures.push(line('sync', 'download', { goal: { ratio: true, atMost: 1.15 }, judged: !failures.ours && same('ours'), note }));
    for (const against of ['javascript', 'client-node', 'javascript in the page']) figures.push(line('sync', against));
    if (!failures['javascript in the page']) {
      const value = samples['javascript in the page'].map(({ longTask }) => longTask);
      figures.push(
        figure({
          name: 'longest task of a page that lists by itself',
          unit: 'ms',
          size,
          value,
          note: 'ours has none: its page does not list',
        }),
      );
    }
    if (size >= 10_000 && !failures.ours && !failures.javascript) {
      const cpu = (name) => samples[name].map((sample) => sample.cpu);
      figures.push(
        figure({
          name: 'CPU of the renderer during sync',
          unit: 'ms',
          size,
          against: 'javascript',
          value: cpu('ours'),
          baseline: cpu('javascript'),
        }),
      );
    }
  });
  return figures;
}

const place = (name) => contestants[name][1];
