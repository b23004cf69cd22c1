// Build of the dashboard: the commands and their order. See web/build.sh.
import { copyFile, cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shortenImports, shortenKeys } from '../../.ci/short-imports.mjs';
import { withoutClasses, withoutExports } from '../../.ci/unused-exports.mjs';
import { fingerprint, isUnchanged, record, toolchain } from '../../.ci/unchanged.mjs';
import { Jobs, say } from './jobs.mjs';
import { assemble, describe, linkedFiles, place, renameStyles } from './page.mjs';
import { remapFlags } from './remap.mjs';

const targetDir = process.env.CARGO_TARGET_DIR;
const withApiserver = process.argv.includes('apiserver');
const mode = process.argv[2];
/** Whether the page is for this machine only: compiled in half the time, ten times as large, and not in dist/. */
const isQuick = mode === 'quick' || mode === 'any';
/** Cargo's profile: see Cargo.toml. */
const profile = isQuick ? 'quick' : 'release';
const work = join(targetDir, isQuick ? 'page-quick' : 'page');
const target = 'wasm32-unknown-unknown';
/** The page of `make build`, and the one of this build. */
const optimised = 'dist';
const dist = isQuick ? join(work, 'dist') : optimised;
/** The npm package of this build. */
const packed = isQuick ? join(targetDir, 'npm/quick-package') : 'informer/npm/dist';
const cargo = (...args) => ['cargo', ['build', '--locked', ...args]];
/** The crate of the page. */
const name = 'web';
const linked = join(work, 'linked');
/** The libraries of web/parts, bundled. */
const bundled = join(work, 'bundled');

/** All inputs of the page. A superfluous entry only causes a run of cargo without changes. */
const sources = ['.cargo', '.ci/link', '.ci/order.mjs', '.ci/short-imports.mjs', '.ci/shrink', '.ci/unused-exports.mjs', '.ci/wasm-file.mjs', '.ci/wasm-link', 'Cargo.lock', 'Cargo.toml', 'Trunk.toml', 'informer', 'tests/package-lock.json', 'web', 'www'];

/** The import of the glue that loads the second wasm file. */
const LOADER = /^import \* as import1 from "\.\/__wasm_split\.js"$/m;

/**
 * Turns the compiled page into the files that a browser loads (`linkedFiles`), in the folder `linked`. The code behind
 * web/src/deferred.rs is split off before wasm-bindgen generates the glue of the rest.
 */
async function link(jobs) {
  const wasm = join(targetDir, target, profile, `${name}.wasm`);
  const stamp = join(work, 'linked.stamp');
  const inputs = [wasm, '.ci/wasm-link', '.ci/link', '.ci/order.mjs', '.ci/short-imports.mjs', '.ci/shrink', '.ci/unused-exports.mjs', '.ci/wasm-file.mjs', 'tests/package-lock.json', 'web/build'];
  if (isUnchanged(stamp, inputs, [linked])) return;
  const before = fingerprint(inputs);
  const [parts, glued] = [join(work, 'parts'), join(work, 'glued')];
  for (const folder of [parts, glued, linked]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
  await jobs.run('wasm-split', '.ci/link', ['split', '--out-name', name, wasm, parts]);
  // Names stay until the files are shrunk, and exports because the second file uses them.
  const options = ['--target', 'web', '--no-typescript', '--keep-lld-exports', '--keep-debug', '--remove-producers-section', '--out-name', name];
  await jobs.run('wasm-bindgen', '.ci/link', ['bindgen', ...options, '--out-dir', glued, join(parts, `${name}.wasm`)]);
  const used = await dropUnused(join(glued, `${name}.js`), join(glued, `${name}_bg.wasm`), join(parts, 'split_deferred.wasm'));
  const [js, first, deferred] = linkedFiles(name).map((file) => join(linked, file));
  const shrink = (job, from, to) => (isQuick ? copyFile(from, to) : jobs.run(job, '.ci/shrink', [from, to]));
  await Promise.all([
    shrink('wasm-opt', join(glued, `${name}_bg.wasm`), first),
    shrink('wasm-opt of the deferred file', join(parts, 'split_deferred.wasm'), deferred),
  ]);
  const { wasm: shortened, short } = shortenImports(await readFile(first), `./${name}_bg.js`);
  await writeFile(first, shortened);
  const glue = withoutHtml(shortenKeys(used, short));
  if (!LOADER.test(glue)) throw new Error("wasm-bindgen's glue does not import the loader of the second wasm file");
  const loader = await readFile('web/build/deferred.js', 'utf8');
  await writeFile(js, glue.replace(LOADER, () => loader));
  if (existsSync(join(glued, 'snippets'))) await cp(join(glued, 'snippets'), join(linked, 'snippets'), { recursive: true });
  // A file that changed meanwhile may be missing in the output.
  if (fingerprint(inputs) === before) record(stamp, inputs, [linked]);
}

/**
 * Removes from the first file what neither the glue nor the second file uses: Leptos brings the classes of the crate
 * wasm-streams, 2 KB gzip, for server functions, which this page does not have. Returns the new glue.
 */
async function dropUnused(js, first, deferred) {
  const glue = withoutClasses(await readFile(js, 'utf8'));
  const wanted = new Set(WebAssembly.Module.imports(new WebAssembly.Module(await readFile(deferred))).map((wanted) => wanted.name));
  const isUsed = (name) => wanted.has(name) || new RegExp(`\\bwasm\\.${name.replace(/\W/g, '\\$&')}(?![\\w$])`).test(glue);
  await writeFile(first, withoutExports(await readFile(first), isUsed));
  return glue;
}

/**
 * Replaces the assignment of HTML in wasm-bindgen's glue. Leptos's erased attributes contain it, for an attribute that no
 * view here has (tests/e2e/csp.test.mjs).
 */
const withoutHtml = (glue) => glue.replace(/^\s*\w+\.innerHTML = .*;$/gm, "throw new Error('The page writes no HTML');");

/** Compiles the page. */
async function compilePage(jobs) {
  const config = isQuick ? [] : await remapFlags(jobs, target);
  // The splitter needs the relocations.
  await jobs.run('page', 'cargo', [...config, 'rustc', '--locked', '--profile', profile, '--target', target, '-p', name, '--bin', name, '--', '-Clink-arg=--emit-relocs']);
}

/** Compiles and links the parts of the page: its wasm, and the npm package if the page copies its files. */
async function buildParts(jobs, page) {
  await Promise.all([
    jobs.run('wasm-link', '.ci/link', ['build']),
    compilePage(jobs),
    page.usesPackage && jobs.run('npm package', 'informer/npm/build.sh', isQuick ? ['quick'] : []),
    bundle(jobs),
  ]);
  await link(jobs);
}

/** Bundles the modules that the page imports on first use, each with its libraries; shared code is a separate file. */
async function bundle(jobs) {
  await rm(bundled, { recursive: true, force: true });
  const entries = ['chart', 'comparison', 'drain', 'edit', 'map', 'map-layout', 'picture', 'shell', 'timeline'].map((entry) => `web/parts/src/${entry}.js`);
  const options = ['--bundle', '--splitting', '--chunk-names=chunk-[hash]', '--format=esm', '--target=es2022', '--minify', '--legal-comments=none', '--loader:.css=text'];
  await jobs.run('page parts', 'esbuild', [...entries, ...options, `--outdir=${bundled}`, '--log-level=warning']);
}

/** Puts the linked wasm into a page and minifies the page's JavaScript and styles: names and blanks are a quarter of them. */
async function finish(jobs, folder) {
  await place(name, linked, folder);
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(js|css)$/.test(file)).map((file) => join(folder, file));
  await jobs.run('esbuild', 'esbuild', [...files, '--minify', `--outdir=${folder}`, `--outbase=${folder}`, '--allow-overwrite', '--log-level=warning']);
  await renameStyles(folder);
  await cp(bundled, join(folder, 'parts'), { recursive: true });
}

async function buildPage(jobs) {
  const page = await describe('www/index.html', 'Trunk.toml', resolve(packed));
  await buildParts(jobs, page);
  // The new page is built beside the old one, so that a failure leaves the old one complete, and no reader sees a
  // mixture.
  const next = join(work, 'next');
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  await assemble(page, next);
  await finish(jobs, next);
  // Only the folder's content is replaced: a server may be running in it.
  await mkdir(dist, { recursive: true });
  for (const old of await readdir(dist)) await rm(join(dist, old), { recursive: true });
  await cp(next, dist, { recursive: true });
}

/** Trunk's hooks: see Trunk.toml. */
const hooks = {
  parts: async (jobs) => buildParts(jobs, await describe('www/index.html', 'Trunk.toml')),
  place: (jobs) => finish(jobs, process.env.TRUNK_STAGING_DIR),
};

/** The stamp of a page, in its work folder. */
const stampOf = (work) => join(work, 'stamp');

const start = performance.now();
const options = toolchain();
const jobs = new Jobs(start);
const hook = hooks[mode];
if (hook) await hook(jobs);
else try {
  const stamp = stampOf(work);
  const built = mode === 'any' && isUnchanged(stampOf(join(targetDir, 'page')), sources, [optimised], options) ? optimised : dist;
  const unchanged = built !== dist || isUnchanged(stamp, sources, [dist], options);
  const before = fingerprint(sources);
  if (!unchanged) {
    const first = !existsSync(join(targetDir, target, profile));
    say(`dashboard: building ${withApiserver ? 'the page and the embedded apiserver' : 'the page'}${first ? ', about five minutes on two cores the first time' : ''}`);
    await jobs.run('setup', '.ci/setup', ['build'], { shown: true });
  }
  await Promise.all([
    !unchanged && buildPage(jobs),
    withApiserver && jobs.run('apiserver', ...cargo('--profile', 'native', '-p', 'apiserver')),
  ]);
  const isCurrent = fingerprint(sources) === before;
  if (!unchanged && isCurrent) record(stamp, sources, [dist], options);
  say(unchanged ? 'dashboard: the page is up to date' : `dashboard: the page is built (${jobs.time()})`);
  if (!isCurrent) say('dashboard: sources changed during the build; run it again for these changes');
  if (isQuick) process.stdout.write(`${resolve(built)}\n`);
} catch (error) {
  jobs.stop();
  say(`error: ${error.message}`);
  process.exitCode = 1;
}
