// Artefacts: the release artefacts, packed once for each file of tests, and the installed npm package.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../support/processes.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The built page: dist/, or the folder that PAGE names. */
const page = process.env.PAGE ?? join(root, 'dist');
/** The reason why the artefacts cannot be packed; false if they can. */
export const unavailable = !existsSync(join(page, 'index.html')) && `${page} has no index.html: make build`;

/** Timeout of a condition: long, so that no test depends on the machine's speed. */
export const PATIENCE = 120_000;
/** Timeout of a whole test. */
export const TEST = { timeout: 600_000, skip: unavailable };

/** Packs the artefacts into a new folder. Resolves to `{ folder, npm, page, manifest, chart, printed, end }`: their paths, and what the command printed. */
export async function pack() {
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-artefacts-'));
  const end = () => rm(folder, { recursive: true, force: true });
  try {
    const printed = await run(process.execPath, [join(root, 'web/launcher/pack.mjs'), folder, page]);
    const names = await readdir(folder);
    const find = (pattern) => join(folder, names.find((name) => pattern.test(name)));
    return { folder, npm: find(/dashboard-\d.*\.tgz$/), page: find(/\.tar\.gz$/), manifest: find(/\.yaml$/), chart: find(/-chart-\d.*\.tgz$/), printed, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Installs the npm package into the empty folder `to`, without a registry. Resolves to the folder of its programs. */
export async function install(npm, to) {
  await mkdir(to, { recursive: true });
  await writeFile(join(to, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', '--prefix', to, '--offline', '--no-audit', '--no-fund', '--silent', npm]);
  return join(to, 'node_modules/.bin');
}

/** Fills a folder with links to the programs of PATH except these. */
export async function programsWithout(folder, excluded) {
  await mkdir(folder);
  for (const path of process.env.PATH.split(delimiter)) {
    for (const name of await readdir(path).catch(() => [])) if (!excluded.includes(name)) await symlink(join(path, name), join(folder, name)).catch(() => {});
  }
}

/** The text of a file; an empty one if it does not exist. */
export const textOf = (file) => readFile(file, 'utf8').catch(() => '');
