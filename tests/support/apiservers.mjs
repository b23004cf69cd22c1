// Apiservers of a stage: the embedded one (tests/apiserver), and a real kube-apiserver (tests/kube) that is filled like it.
//
// Each is started with arguments of the embedded one, and resolves to `{ kubeconfig, openWatches(), kindWatches, stop() }`.
// `kindWatches` is how many watches tell a visible page which kinds there are: one of definitions, and one of API services,
// which the embedded apiserver does not have.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveKubelet } from './kubelet.mjs';
import { run, serve } from './processes.mjs';
import { seed } from './seed.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kube = join(root, 'tests/kube/kube.sh');
const binaries = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'native');

/** Reason to skip rather than fail: this machine lacks something. */
export class Unavailable extends Error {}

/** The result of a promise; a program that is unavailable here has exit code 75. */
const available = (promise) =>
  promise.catch((error) => {
    throw error.exitCode === 75 ? new Unavailable(error.message) : error;
  });

export const findKubectl = async () => (await available(run(kube, ['kubectl']))).trim();

/** The embedded apiserver. */
async function embedded(args) {
  const binary = join(binaries, 'apiserver');
  if (!existsSync(binary)) throw new Error(`${binary} is missing: cargo build --profile native -p apiserver`);
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-e2e-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const server = await serve(binary, ['--port', '0', '--kubeconfig', kubeconfig, ...args], { ready: /listening on (http:\S+)/ });
  return {
    kubeconfig,
    openWatches: async () => (await (await fetch(`${server.match[1]}/admin/faults`)).json()).openWatches,
    kindWatches: 1,
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
    // Half an hour: the first time on a machine it builds them.
    const server = await available(serve(kube, [], { ready: /^audit (.*)$[\s\S]*^ready KUBECONFIG=(.*)$/m, seconds: 1800 }));
    ends.push(server.stop);
    const [, audit, kubeconfig] = server.match;
    if (pods !== '0') ends.push(await fill(kubeconfig, pods));
    return { kubeconfig, openWatches: () => openIn(audit), kindWatches: 2, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes the simulated cluster, whose containers all run, on the stub kubelet. Resolves to a function that ends it. */
async function fill(KUBECONFIG, pods) {
  const kubelet = await available(serveKubelet());
  const proxy = await serve(await findKubectl(), ['proxy', '--address=127.0.0.1', '--port=0'], { env: { KUBECONFIG }, ready: /Starting to serve on (\S+)/ });
  try {
    await seed(`http://${proxy.match[1]}`, { pods, kubelet: kubelet.match[1], binaries });
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
