// Apiservers of a stage: the embedded one (tests/apiserver), and a real kube-apiserver (tests/kube) that is filled like it.
//
// Each is started with arguments of the embedded one, and resolves to `{ kubeconfig, openWatches(), kindWatches, stop() }`.
// `kindWatches` is how many watches tell a visible page which kinds there are: one of definitions, and one of API services.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveKubelet } from './kubelet.mjs';
import { seed } from './seed.mjs';
import { kubectlProgram, startEmbedded, startProxy, startReal } from './start.mjs';

/** Reason to skip rather than fail: this machine lacks something. */
export class Unavailable extends Error {}

/** The result of a promise; a program that is unavailable here has exit code 75. */
const available = (promise) =>
  promise.catch((error) => {
    throw error.exitCode === 75 ? new Unavailable(error.message) : error;
  });

export const findKubectl = () => available(kubectlProgram());

/** The embedded apiserver. */
async function embedded(args) {
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-e2e-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const server = await startEmbedded(['--kubeconfig', kubeconfig, ...args]);
  return {
    kubeconfig,
    openWatches: async () => (await (await fetch(`${server.url}/admin/faults`)).json()).openWatches,
    kindWatches: 2,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Pods of a simulated cluster that a real apiserver can hold: only clients change its objects. */
function podsOf(args) {
  const options = { still: { type: 'boolean' }, pods: { type: 'string' }, churn: { type: 'string' } };
  const { still, pods = '0', churn } = parseArgs({ args, options }).values;
  if (!still && churn !== '0') throw new Error(`nothing simulates changes on a real apiserver: start it with --still, or with --churn 0, not with ${args.join(' ')}`);
  return pods;
}

/** A real kube-apiserver. */
async function real(args) {
  const pods = podsOf(args);
  const ends = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const { kubeconfig, audit, stop: stopServer } = await available(startReal());
    ends.push(stopServer);
    if (pods !== '0') ends.push(await fill(kubeconfig, pods));
    return { kubeconfig, openWatches: () => openIn(audit), kindWatches: 2, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes the simulated cluster, whose containers all run, on the stub kubelet. Resolves to a function that ends it. */
async function fill(kubeconfig, pods) {
  const kubelet = await available(serveKubelet());
  const proxy = await startProxy(await findKubectl(), kubeconfig);
  try {
    await seed(proxy.url, { pods, kubelet: kubelet.match[1] });
  } catch (error) {
    await kubelet.stop();
    throw error;
  } finally {
    await proxy.stop();
  }
  return kubelet.stop;
}

/** The number of watches that an audit log shows as begun and not as ended. */
async function openIn(audit) {
  const open = new Set();
  // The last line may be incomplete.
  for (const line of (await readFile(audit, 'utf8')).split('\n').slice(0, -1)) {
    const { auditID, stage } = JSON.parse(line);
    if (stage === 'ResponseStarted') open.add(auditID);
    else open.delete(auditID);
  }
  return open.size;
}

export const apiservers = { embedded, kube: real };
