// Simulated cluster of the embedded apiserver, written to another apiserver.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run, serve } from './processes.mjs';

/**
 * Writes it to the apiserver at `url`, which must require no credentials. `kubelet` is the port of the stub kubelet of
 * all nodes, `binaries` the folder of the programs. Resolves to a sentence with the number of objects.
 */
export async function seed(url, { pods, seed = '1', kubelet, binaries }) {
  const [apiserver, copy] = ['apiserver', 'seed'].map((name) => join(binaries, name));
  if (!existsSync(copy)) throw new Error(`${copy} is missing: cargo build --profile native -p conformance --bins`);
  const simulated = await serve(apiserver, ['--port', '0', '--pods', pods, '--churn', '0', '--seed', seed], { ready: /listening on (http:\S+)/ });
  try {
    return (await run(copy, ['--from', simulated.match[1], '--to', url, '--kubelet', kubelet])).trim();
  } finally {
    await simulated.stop();
  }
}
