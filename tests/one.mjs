// Test selection (`make t`): runs the tests that a word names, Rust tests natively, those of the npm package, and those in a browser.
//
//   make t T=wat_26              each test with that in its name
//   make t T=silence             each test of a file of that name
//   make t T="rows are sorted"   each test with that in its title
//   make t T=table CLUSTER=kube  in a browser on a real apiserver (tests/kube) instead of the embedded one
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { find } from './runner/find.mjs';
import { startEmbedded } from './support/start.mjs';

const word = process.argv[2]?.trim();
if (!word) {
  console.error('error: which test? make t T=wat_26 runs those with wat_26 in their name, make t T=silence those of the file silence.');
  process.exit(1);
}

const lines = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n').filter(Boolean);
const files = lines('git', 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '*.rs', '*.test.mjs');

/** The packages of the workspace: `{ name, folder, hasLibrary }`. */
const packages = JSON.parse(lines('cargo', 'metadata', '--no-deps', '--offline', '--format-version', '1').join('')).packages.map(({ name, manifest_path, targets }) => ({
  name,
  folder: manifest_path.slice(process.cwd().length + 1).replace('/Cargo.toml', ''),
  hasLibrary: targets.some(({ kind }) => !['bin', 'test', 'bench', 'example', 'custom-build'].includes(kind[0])),
}));
// The innermost: a package may lie in the folder of another one.
packages.sort((a, b) => b.folder.length - a.folder.length);
const packageOf = (path) => packages.find(({ folder }) => path.startsWith(`${folder}/`));

const found = find(word, files, packageOf);
if (found.length === 0) {
  console.error(`error: no test has "${word}" in its name, and no file with tests is named so. Those for wasm32 alone run by make test STEPS=browser.`);
  process.exit(1);
}

let failed = false;
function run(command, args, env = {}) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (error) console.error(`error: ${command}: ${error.message}`);
  failed ||= status !== 0;
  return status === 0;
}

/** Builds the page for this machine, and names its folder for the tests (tests/support/harness.mjs). */
function buildPage() {
  console.log('$ web/build.sh quick');
  const { status, stdout } = spawnSync('web/build.sh', ['quick'], { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' });
  process.env.PAGE = stdout?.trim().split('\n').at(-1);
  failed ||= status !== 0;
  return status === 0;
}

const needs = new Set(found.flatMap((one) => one.needs));
const apiserver = ['build', '--quiet', '--profile', 'native', '-p', 'apiserver', '-p', 'conformance', '--bins'];
const ready =
  (needs.size === 0 || run('cargo', apiserver)) &&
  (!(needs.has('page') || needs.has('package')) || run('.ci/setup', ['test'])) &&
  (!needs.has('page') || buildPage()) &&
  (!needs.has('package') || run('informer/npm/build.sh', []));
for (const { command, args, needs } of ready ? found : []) {
  if (!needs.includes('apiserver')) {
    run(command, args, { E2E_CLUSTER: process.env.CLUSTER || 'embedded' });
    continue;
  }
  const options = ['--pods', '50', '--bookmark-seconds', '1'];
  const server = await startEmbedded(options);
  run(command, args, { KUBE_INFORMER_TEST_APISERVER: server.url });
  await server.stop();
}
process.exit(failed ? 1 : 0);
