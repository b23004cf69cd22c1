// The build of the dashboard: which commands run, in which order. See web/build.sh.
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, isUnchanged, record } from '../../.ci/unchanged.mjs';
import { Jobs, say } from './jobs.mjs';
import { assemble, describe } from './page.mjs';

const targetDir = process.env.CARGO_TARGET_DIR;
const work = join(targetDir, 'page');
const target = 'wasm32-unknown-unknown';
const dist = 'dist';
const cargo = (...args) => ['cargo', ['build', '--locked', ...args]];
const withApiserver = process.argv.includes('apiserver');

/** Everything that the page is made from. What is listed too much costs a run of cargo, which then finds nothing to do. */
const sources = ['.cargo', '.ci/link', '.ci/order.mjs', '.ci/shrink', '.ci/wasm-link', 'Cargo.lock', 'Cargo.toml', 'Trunk.toml', 'informer', 'tests/package-lock.json', 'web', 'www'];

/** Turns the compiled page into the two files that a browser loads: `<name>.js` and `<name>_bg.wasm` in the folder `linked`. */
async function link(jobs, name, optimisation) {
  const wasm = join(targetDir, target, 'release', `${name}.wasm`);
  const linked = join(work, 'linked');
  const stamp = join(work, 'linked.stamp');
  const inputs = [wasm, '.ci/wasm-link', '.ci/link', '.ci/order.mjs', '.ci/shrink', 'tests/package-lock.json'];
  if (isUnchanged(stamp, inputs, [linked], optimisation)) return linked;
  await rm(linked, { recursive: true, force: true });
  await mkdir(linked, { recursive: true });
  // Names stay until the file is shrunk.
  const options = ['--target', 'web', '--no-typescript', '--keep-debug', '--remove-producers-section', '--out-name', name];
  await jobs.run('wasm-bindgen', '.ci/link', ['bindgen', ...options, '--out-dir', linked, wasm]);
  if (optimisation) {
    const from = join(linked, `${name}_bg.wasm`);
    await jobs.run('wasm-opt', '.ci/shrink', [from, `${from}.small`]);
    await rename(`${from}.small`, from);
  }
  record(stamp, inputs, [linked], optimisation);
  return linked;
}

async function buildPage(jobs) {
  const page = await describe('www/index.html', 'Trunk.toml');
  const { name, optimisation } = page.crate;
  await Promise.all([
    jobs.run('wasm-link', '.ci/link', ['build']),
    jobs.run('page', ...cargo('--release', '--target', target, '-p', name)),
    // The page copies files of the npm package: then that is built, too.
    page.usesPackage && jobs.run('npm package', 'informer/npm/build.sh', []),
  ]);
  const linked = await link(jobs, name, optimisation);
  // Beside the old page first, so that a failure leaves that whole, and no reader meets half a page.
  const next = join(work, 'dist');
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  await assemble(page, linked, next);
  // The folder stays, only its content changes: a server may be running in it.
  await mkdir(dist, { recursive: true });
  for (const old of await readdir(dist)) await rm(join(dist, old), { recursive: true });
  await cp(next, dist, { recursive: true });
}

const start = performance.now();
const stamp = join(work, 'stamp');
const options = fingerprint.toolchain();
const jobs = new Jobs(start);
try {
  const unchanged = isUnchanged(stamp, sources, [dist], options);
  if (!unchanged) {
    const first = !existsSync(join(targetDir, target, 'release'));
    say(`dashboard: building ${withApiserver ? 'the page and the embedded apiserver' : 'the page'}${first ? ', four to six minutes on two cores the first time' : ''}`);
    await jobs.run('setup', '.ci/setup', ['build'], { shown: true });
  }
  await Promise.all([
    !unchanged && buildPage(jobs),
    withApiserver && jobs.run('apiserver', ...cargo('--profile', 'native', '-p', 'apiserver')),
  ]);
  if (!unchanged) record(stamp, sources, [dist], options);
  say(unchanged ? 'dashboard: the page is up to date' : `dashboard: the page is built (${jobs.time()})`);
} catch (error) {
  jobs.stop();
  say(`error: ${error.message}`);
  process.exitCode = 1;
}
