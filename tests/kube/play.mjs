// `make kube`: a real apiserver with etcd behind `kubectl proxy`, filled with the simulated cluster, until Ctrl-C.
//
//   PODS=500 SEED=1 PORT=8001 node tests/kube/play.mjs
//
// The objects come from the embedded apiserver, which simulates them, and are written through the API. All
// nodes are on loopback, where one stub kubelet serves logs, exec and attach of every pod. If dist/ exists, the proxy
// serves the dashboard too.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveKubelet } from '../support/kubelet.mjs';
import { run } from '../support/processes.mjs';
import { seed } from '../support/seed.mjs';
import { startRealWithProxy } from '../support/start.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binaries = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), process.env.PROFILE === 'dev' ? 'debug' : 'native');
const profile = process.env.PROFILE ?? 'native';
const dist = join(root, 'dist');

try {
  console.log('building the simulator (once)');
  await run('cargo', ['build', '--profile', profile, '-p', 'apiserver', '-p', 'conformance', '--bins']);
  const args = existsSync(join(dist, 'index.html')) ? [`--www=${dist}`, '--www-prefix=/ui/'] : [];
  const { url, kubeconfig } = await startRealWithProxy(args, process.env.PORT || 0);
  const kubelet = await serveKubelet('-api', url);

  const pods = process.env.PODS || '500';
  console.log(`writing ${pods} pods and what belongs to them`);
  console.log(await seed(url, { pods, seed: process.env.SEED || '1', kubelet: kubelet.match[1], binaries }));

  console.log(`KUBECONFIG=${kubeconfig}`);
  console.log(`${url}${args.length > 0 ? '/ui/' : ' (no dashboard: make build makes one)'}`);
  console.log('Ctrl-C ends all.');
  // Runs until a signal, with its children; processes.mjs ends them with this process.
  setInterval(() => {}, 3_600_000);
  // Termination by a signal is the regular end.
  process.on('exit', () => (process.exitCode = 0));
} catch (error) {
  console.error(error.message);
  process.exit(error.exitCode === 75 ? 75 : 1);
}
