// Notices: the licences of third-party code in the page, whose texts each copy must contain.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Crates that are compiled to the wasm of the page, and of its demo. */
const [CRATES, OF_DEMO] = [['web', 'informer-engine'], ['demo']];
const LICENCE_FILE = /^(un)?licen[sc]e|^copying/i;

/** Packages that are bundled into page/parts and into the front: `{ title, licence, folder }`. */
async function npmPackages(root) {
  const parts = join(root, 'web/parts');
  const { packages } = JSON.parse(await readFile(join(parts, 'package-lock.json'), 'utf8'));
  const named = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  return named.map(([path, { version, license }]) => ({ title: `${path.split('node_modules/').at(-1)} ${version}`, licence: license, folder: join(parts, path) }));
}

/** Crates from a registry that these depend on, also those that only run in the compiler. */
async function crates(root, compiled) {
  const args = ['metadata', '--offline', '--locked', '--format-version=1', '--filter-platform=wasm32-unknown-unknown'];
  const { stdout } = await promisify(execFile)('cargo', args, { cwd: root, maxBuffer: 1 << 28 }).catch((error) => {
    throw new Error(`cargo cannot list the crates of the page: run make build (${error.stderr?.trim() || error.message})`);
  });
  const { packages, resolve } = JSON.parse(stdout);
  const [nodes, byId] = [resolve.nodes, packages].map((list) => new Map(list.map((entry) => [entry.id, entry])));
  const reached = new Set();
  const reach = (id) => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) if (kinds.some(({ kind }) => kind === null)) reach(pkg);
  };
  for (const { id, name } of packages) if (compiled.includes(name)) reach(id);
  const external = [...reached].map((id) => byId.get(id)).filter(({ source }) => source !== null);
  return external.map(({ name, version, license, manifest_path: manifest }) => ({ title: `${name} ${version}`, licence: license, folder: dirname(manifest) }));
}

/** The text of a package's licence; of several alternatives, that of MIT. Undefined if the package has no such file. */
async function licenceText(folder) {
  if (!existsSync(folder)) throw new Error(`${folder} is missing: run make build`);
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name)).map(({ name }) => name).sort();
  const file = files.find((name) => /mit/i.test(name)) ?? files[0];
  return file && (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim();
}

/** Returns the text of all notices. Packages with the same text share it. `root` is the folder of the repository, `page` that of the page. */
export async function thirdPartyNotices(root, page) {
  const compiled = existsSync(join(page, 'demo')) ? [...CRATES, ...OF_DEMO] : CRATES;
  const byText = new Map();
  for (const { title, licence, folder } of [...(await npmPackages(root)), ...(await crates(root, compiled))].sort((a, b) => (a.title < b.title ? -1 : 1))) {
    const text = (await licenceText(folder)) ?? `The package has no text of its licence, which is ${licence}.`;
    byText.set(text, [...(byText.get(text) ?? []), `${title} (${licence})`]);
  }
  const rule = '-'.repeat(80);
  const notices = [...byText].map(([text, titles]) => `${rule}\n${titles.join('\n')}\n\n${text}\n`);
  return ['Third-party code in the dashboard, with its licences. The Rust standard library (MIT OR Apache-2.0) is part of it as well.\n', ...notices].join('\n');
}
