// `make conformance`: the same suite on the embedded apiserver and on a real one, side by side.
//
//   node tests/conformance/run.mjs [--record] [further arguments of the suite]
//
// Three columns: `real` and `embedded`, both through `kubectl proxy`, and `direct`, the embedded one without
// it. A real one that is unavailable here counts as skipped, with its reason. The last line is the suite's:
// `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, serve } from '../support/processes.mjs';
import { kubectlProgram, startEmbedded, startProxy, startReal } from '../support/start.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const targetDir = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
const [profile, folder] = process.env.PROFILE ? [process.env.PROFILE, process.env.PROFILE === 'dev' ? 'debug' : process.env.PROFILE] : ['native', 'native'];
const kube = join(root, 'tests/kube/kube.sh');
const recorded = join(root, 'tests/conformance/recorded.txt');
const ends = [];

/** A server that is being started, which is stopped at the end. */
async function started(starting) {
  const server = await starting;
  ends.unshift(server.stop);
  return server;
}

/** Result of a command that may be unavailable here; the message of exit code 75 is the reason. */
async function orMissing(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.exitCode !== 75) throw error;
    return { missing: error.message.split('\n').at(-1) };
  }
}

async function proxy(kubectl, kubeconfig, ...further) {
  return (await started(startProxy(kubectl, kubeconfig, further))).url;
}

async function suite(args) {
  const files = ['-p', 'apiserver', '-p', 'conformance'];
  await new Promise((resolve, reject) => {
    const build = spawn('cargo', ['build', '--profile', profile, ...files, '--bins'], { cwd: root, stdio: 'inherit' });
    build.once('error', reject);
    build.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`cargo build ended with ${code}`))));
  });
  const temporary = await mkdtemp(join(tmpdir(), 'kube-informer-conformance-'));
  ends.unshift(() => rm(temporary, { recursive: true, force: true }));
  const kubeconfig = join(temporary, 'kubeconfig');

  // Without simulated changes during the suite, and without a rate limit.
  const still = ['--still', '--kubeconfig', kubeconfig];
  const embedded = await started(startEmbedded(still, { folder: join(targetDir, folder) }));
  const real = await orMissing(started(startReal()));
  const kubectl = await orMissing(kubectlProgram());

  const stub = await orMissing(run(kube, ['kubelet']));

  const given = [];
  if (real.missing || kubectl.missing) {
    given.push('--missing', `real=${real.missing ?? kubectl.missing}`);
  } else {
    const url = await proxy(kubectl, real.kubeconfig);
    given.push('--target', `real=${url}`, '--compaction', `real=${real.etcd}/v3/kv/compaction`);
    // exec and attach, which a proxy rejects by default.
    given.push('--shells', `real=${await proxy(kubectl, real.kubeconfig, '--reject-paths=^$')}`);
    if (!stub.missing) {
      const kubelet = await started(serve(stub.trim(), ['-api', url], { ready: /kubelet on port (\d+)/ }));
      given.push('--kubelet', kubelet.match[1]);
    }
  }
  if (kubectl.missing) {
    given.push('--missing', `embedded=${kubectl.missing}`);
  } else {
    given.push('--shells', `embedded=${await proxy(kubectl, kubeconfig, '--reject-paths=^$')}`);
    given.push('--target', `embedded=${await proxy(kubectl, kubeconfig)}`, '--compaction', `embedded=${embedded.url}/admin/compact`);
  }
  given.push('--target', `direct=${embedded.url}`, '--direct', 'direct', '--compaction', `direct=${embedded.url}/admin/compact`);
  if (args[0] === '--record') {
    if (real.missing) throw new Error(`only the real one is recorded, and it is missing: ${real.missing}`);
    args.splice(0, 1, '--record', recorded);
  }
  return new Promise((resolve, reject) => {
    const child = spawn(join(targetDir, folder, 'conformance'), [...given, ...args], { stdio: 'inherit' });
    ends.unshift(() => child.kill());
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

let code = 1;
try {
  code = await suite(process.argv.slice(2));
} catch (error) {
  console.log(`${error.message}\n0 passed, 1 failed, 0 skipped`);
} finally {
  for (const end of ends) await end();
}
process.exit(code);
