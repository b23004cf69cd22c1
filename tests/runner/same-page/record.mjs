// Records `recorded.json`, Trunk's output for the fixture `page/`. `same-page.test.mjs` compares the project's own build
// with it. Hashes in file names become HASH; generated crate files are compared by name only.
//
//   make serve once, for Trunk; then: . .ci/env.sh && node tests/runner/same-page/record.mjs
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkedFiles } from '../../../web/build/page.mjs';
import { filesOf } from './files.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'kube-informer-same-page-'));
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
try {
  cpSync(join(here, 'page'), folder, { recursive: true });
  for (const file of linkedFiles('page')) writeFileSync(join(folder, file), 'linked');
  // `Trunk.toml` with the fixture's paths, and a post-build hook that skips linking.
  const hook = `import { place } from ${JSON.stringify(join(root, 'web/build/page.mjs'))}; await place('page', '.', process.env.TRUNK_STAGING_DIR);`;
  writeFileSync(join(folder, 'hook.mjs'), hook);
  const hooks = '[[hooks]]\nstage = "post_build"\ncommand = "node"\ncommand_arguments = ["hook.mjs"]\n';
  const settings = readFileSync(join(root, 'Trunk.toml'), 'utf8').replace('"www/index.html"', '"index.html"').replace(/^\[\[hooks\]\][\s\S]*/m, hooks);
  writeFileSync(join(folder, 'Trunk.toml'), settings);
  run('trunk', 'build', '--release');
  const recorded = { trunk: run('trunk', '--version').trim().split(' ')[1], files: filesOf(join(folder, 'dist')) };
  writeFileSync(join(here, 'recorded.json'), `${JSON.stringify(recorded, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
