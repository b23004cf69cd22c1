// The unpacked tarball, as users get the package.
import { existsSync } from 'node:fs';
import { readFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../../tests/support/processes.mjs';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Unpacks it into the node_modules of a new folder. */
export async function unpack() {
  const [, version] = (await readFile(join(root, 'Cargo.toml'), 'utf8')).match(/\[workspace\.package\]\nversion = "(.+)"/);
  const tarball = join(root, `informer/npm/kube-informer-${version}.tgz`);
  if (!existsSync(tarball)) throw new Error(`${tarball} is missing: make npm`);
  const home = await mkdtemp(join(tmpdir(), 'kube-informer-npm-'));
  const folder = join(home, 'node_modules/kube-informer');
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return { home, folder, remove: () => rm(home, { recursive: true, force: true }) };
}
