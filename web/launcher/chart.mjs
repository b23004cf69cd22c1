// Chart: the Helm chart of web/deploy/chart as an archive, which helm installs. `helm package` would write the same files, but helm is not
// needed to build.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { archiveOf } from './archive.mjs';

/** Returns the archive. Its folder has the name of the chart, as that of `helm package`; links are replaced by their files. */
export async function packChart() {
  const work = await mkdtemp(join(tmpdir(), 'kube-informer-chart-'));
  try {
    await cp(fileURLToPath(new URL('../deploy/chart', import.meta.url)), work, { recursive: true, dereference: true });
    return await archiveOf(work, 'kube-informer-dashboard');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
