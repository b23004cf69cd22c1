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
import { run, serve } from '../support/processes.mjs';
import { seed } from '../support/seed.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binaries = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), process.env.PROFILE === 'dev' ? 'debug' : 'native');
const profile = process.env.PROFILE ?? 'native';
const kube = join(root, 'tests/kube/kube.sh');
const dist = join(root, 'dist');

try {
  console.log('building the simulator (once)');
  await run('cargo', ['build', '--profile', profile, '-p', 'apiserver', '-p', 'conformance', '--bins']);
  const kubectl = (await run(kube, ['kubectl'])).trim();
  const server = await serve(kube, [], { ready: /^ready KUBECONFIG=(.*)$/m, seconds: 1800 });
  const KUBECONFIG = server.match[1];
  const args = ['proxy', '--address=127.0.0.1', `--port=${process.env.PORT || 0}`];
  if (existsSync(join(dist, 'index.html'))) args.push(`--www=${dist}`, '--www-prefix=/ui/');
  const proxy = await serve(kubectl, args, { env: { KUBECONFIG }, ready: /Starting to serve on (\S+)/ });
  const url = `http://${proxy.match[1]}`;
  const kubelet = await serveKubelet('-api', url);

  const pods = process.env.PODS || '500';
  console.log(`writing ${pods} pods and what belongs to them`);
  console.log(await seed(url, { pods, seed: process.env.SEED || '1', kubelet: kubelet.match[1], binaries }));

  console.log(`KUBECONFIG=${KUBECONFIG}`);
  console.log(`${url}${args.length > 3 ? '/ui/' : ' (no dashboard: make build makes one)'}`);
  console.log('Ctrl-C ends all.');
  // Runs until a signal, with its children; processes.mjs ends them with this process.
  setInterval(() => {}, 3_600_000);
  // Termination by a signal is the regular end.
  process.on('exit', () => (process.exitCode = 0));
} catch (error) {
  console.error(error.message);
  process.exit(error.exitCode === 75 ? 75 : 1);
}
