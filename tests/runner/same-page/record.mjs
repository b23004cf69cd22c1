// Records what Trunk makes of the page beside this file: recorded/ (hashes in names as HASH, without the crate's own files).
//
//   make serve once, for Trunk; then: . .ci/env.sh && node tests/runner/same-page/record.mjs
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf } from './files.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'kube-informer-same-page-'));
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
try {
  cpSync(join(here, 'page'), folder, { recursive: true });
  const version = readFileSync(join(root, 'Cargo.lock'), 'utf8').match(/name = "wasm-bindgen"\nversion = "(.*)"/)[1];
  const manifest = `[package]\nname = "page"\nedition = "2024"\n[dependencies]\nwasm-bindgen = "=${version}"\n[workspace]\n`;
  writeFileSync(join(folder, 'Cargo.toml'), manifest);
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/main.rs'), '#[wasm_bindgen::prelude::wasm_bindgen]\npub fn exported() {}\nfn main() {}\n');
  // The project's settings, but for the names of its folders.
  const settings = readFileSync(join(root, 'Trunk.toml'), 'utf8').replace('"www/index.html"', '"index.html"').replace(/^\[watch\][\s\S]*/m, '');
  writeFileSync(join(folder, 'Trunk.toml'), settings);
  run('trunk', 'build', '--release');
  const recorded = { trunk: run('trunk', '--version').trim().split(' ')[1], files: filesOf(join(folder, 'dist')) };
  writeFileSync(join(here, 'recorded.json'), `${JSON.stringify(recorded, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
