#!/usr/bin/env node
// Demo: builds the dashboard with its simulated cluster as a folder of static files (`make demo`).
//
//   node web/demo/build.mjs OUT [PAGE] [quick]
//
// PAGE is the folder of the built page, dist/ by default. `quick` compiles the cluster in half the time, and twice as large.
// Opened with `?demo`, the page needs no apiserver. The files of the demo are in OUT/demo/; no other address loads them.
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Jobs, say } from '../build/jobs.mjs';
import { remapFlags } from '../build/remap.mjs';

const TARGET = 'wasm32-unknown-unknown';
const targetDir = process.env.CARGO_TARGET_DIR ?? resolve('target');
const work = join(targetDir, 'demo-work');
const isQuick = process.argv.includes('quick');
const profile = isQuick ? 'quick' : 'release';
/** Files that are served as they are, beside the wasm and its glue. */
const FILES = ['client.js', 'context.json', 'demo.css', 'network.js', 'page.js', 'worker.js'];

/** Compiles the cluster, and makes `cluster.js` and `cluster_bg.wasm` of it. */
async function buildCluster(jobs, folder) {
  const config = isQuick ? [] : await remapFlags(jobs, TARGET);
  await Promise.all([
    jobs.run('simulated cluster', 'cargo', [...config, 'build', '--locked', '--profile', profile, '--target', TARGET, '-p', 'demo']),
    jobs.run('wasm-link', '.ci/link', ['build']),
  ]);
  const options = ['--target', 'web', '--no-typescript', '--keep-debug', '--remove-producers-section', '--out-name', 'cluster'];
  await jobs.run('wasm-bindgen', '.ci/link', ['bindgen', ...options, '--out-dir', folder, join(targetDir, TARGET, profile, 'demo.wasm')]);
  const wasm = join(folder, 'cluster_bg.wasm');
  if (isQuick) return;
  await rename(wasm, join(work, 'named.wasm'));
  await jobs.run('wasm-opt', '.ci/shrink', [join(work, 'named.wasm'), wasm]);
}

async function build(out, page) {
  if (!existsSync(join(page, 'index.html'))) throw new Error(`${page} has no index.html: run make build`);
  const jobs = new Jobs(performance.now());
  await jobs.run('setup', '.ci/setup', ['build'], { shown: true });
  const demo = join(work, 'demo');
  await rm(work, { recursive: true, force: true });
  await mkdir(demo, { recursive: true });
  await buildCluster(jobs, demo);
  for (const file of FILES) await cp(join('web/demo', file), join(demo, file));
  const texts = (await readdir(demo)).filter((file) => /\.(js|css)$/.test(file)).map((file) => join(demo, file));
  await jobs.run('esbuild', 'esbuild', [...texts, '--minify', `--outdir=${demo}`, '--allow-overwrite', '--log-level=warning']);
  // Only the content is replaced: a server may be running in the folder.
  await mkdir(out, { recursive: true });
  for (const old of await readdir(out)) await rm(join(out, old), { recursive: true });
  await cp(page, out, { recursive: true, dereference: true });
  await cp(demo, join(out, 'demo'), { recursive: true });
  say(`demo: built in ${jobs.time()}; serve ${out} with any static server, and open it with ?demo`);
}

try {
  const [out, page = 'dist', ...others] = process.argv.slice(2).filter((argument) => argument !== 'quick');
  if (!out || others.length > 0) throw new Error('usage: node web/demo/build.mjs OUT [PAGE] [quick]');
  await build(resolve(out), resolve(page));
} catch (error) {
  say(`error: ${error.message}`);
  process.exitCode = 1;
}
