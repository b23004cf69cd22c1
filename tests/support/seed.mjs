// Simulated cluster of the embedded apiserver, written to another apiserver.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.mjs';
import { binaries as native, startEmbedded } from './start.mjs';

/**
 * Writes it to the apiserver at `url`, which must require no credentials. `kubelet` is the port of the stub kubelet of
 * all nodes, `binaries` the folder of the programs, if they have another profile. Resolves to a sentence with the number of objects.
 */
export async function seed(url, { pods, seed = '1', kubelet, binaries = native }) {
  const copy = join(binaries, 'seed');
  if (!existsSync(copy)) throw new Error(`${copy} is missing: cargo build --profile native -p conformance --bins`);
  const simulated = await startEmbedded(['--pods', pods, '--churn', '0', '--seed', seed], { folder: binaries });
  try {
    return (await run(copy, ['--from', simulated.url, '--to', url, '--kubelet', kubelet])).trim();
  } finally {
    await simulated.stop();
  }
}
