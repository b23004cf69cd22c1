// The files of a built page, in comparable form: hashes in names are HASH, and the crate's own files are compared by name.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const withoutHash = (text) => text.replace(/-[0-9a-f]{16}(?=[_.])/g, '-HASH');

export function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1)).sort();
  const content = (path) => (/\.(js|wasm)$/.test(path) ? '' : withoutHash(readFileSync(join(folder, path), 'utf8')));
  return Object.fromEntries(paths.map((path) => [withoutHash(path), content(path)]));
}
