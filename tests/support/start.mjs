// Starts of apiservers: the embedded one, a real one, and `kubectl proxy` in front of either.
//
// A program that is unavailable on this machine has the exit code 75, which is `exitCode` of the error.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, serve } from './processes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kube = join(root, 'tests/kube/kube.sh');

/** Folder of the programs that `cargo build --profile native` builds. */
export const binaries = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'native');

/** The embedded apiserver's program, in the folder of another profile if one is given. Throws if it is not built. */
export function embeddedProgram(folder = binaries) {
  const program = join(folder, 'apiserver');
  if (!existsSync(program)) throw new Error(`${program} is missing: cargo build --profile native -p apiserver`);
  return program;
}

/** Starts an embedded apiserver. Resolves to `{ url, pid, stop }`. A large simulated cluster takes some `seconds`. */
export async function startEmbedded(args = [], { folder, seconds } = {}) {
  const { match, pid, stop } = await serve(embeddedProgram(folder), ['--port', '0', ...args], { ready: /listening on (http:\S+)/, seconds });
  return { url: match[1], pid, stop };
}

/** The path of kubectl. */
export const kubectlProgram = async () => (await run(kube, ['kubectl'])).trim();

/** Starts `kubectl proxy`. Resolves to `{ url, pid, stop }`. */
export async function startProxy(kubectl, KUBECONFIG, args = [], port = 0) {
  const options = { env: { KUBECONFIG }, ready: /Starting to serve on (\S+)/ };
  const { match, pid, stop } = await serve(kubectl, ['proxy', '--address=127.0.0.1', `--port=${port}`, ...args], options);
  return { url: `http://${match[1]}`, pid, stop };
}

/** Starts a real kube-apiserver. Resolves to `{ kubeconfig, etcd, audit, stop }`: the URL of its etcd, the path of its audit log. */
export async function startReal() {
  // Half an hour: the first time on a machine it builds them.
  const { match, stop } = await serve(kube, [], { ready: /^etcd (\S+)$[\s\S]*^audit (.*)$[\s\S]*^ready KUBECONFIG=(.*)$/m, seconds: 1800 });
  const [, etcd, audit, kubeconfig] = match;
  return { kubeconfig, etcd, audit, stop };
}

/** Starts a real kube-apiserver behind `kubectl proxy`. Resolves to `{ url, kubeconfig, etcd, stop }`. */
export async function startRealWithProxy(args = [], port = 0) {
  const server = await startReal();
  try {
    const proxy = await startProxy(await kubectlProgram(), server.kubeconfig, args, port);
    const stop = async () => {
      await proxy.stop();
      await server.stop();
    };
    return { url: proxy.url, kubeconfig: server.kubeconfig, etcd: server.etcd, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
