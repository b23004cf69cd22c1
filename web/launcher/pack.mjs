#!/usr/bin/env node
// Release artefacts: packs the built page, so that it opens without a build, and the Helm chart.
//
//   node web/launcher/pack.mjs OUT [PAGE]    PAGE is the folder of the built page, dist/ by default (`make build`), or that of `make demo`
//
// Writes into the folder OUT, and prints the sizes:
//   kube-informer-dashboard-VERSION.tgz         the npm package: the launcher and the page
//   kube-informer-dashboard.tar.gz              the page alone, in a folder, for `kubectl proxy --www`
//   informer.yaml                               the krew manifest, whose archive is the npm package
//   kube-informer-dashboard-chart-VERSION.tgz   the Helm chart. `helm package` would give it the name of the npm package, and all
//                                               artefacts of a release are in one folder. helm reads name and version from Chart.yaml
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { archiveOf } from './archive.mjs';
import { packChart } from './chart.mjs';
import { thirdPartyNotices } from './notices.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const NAME = 'kube-informer-dashboard';
/** Files of the launcher in the package, beside package.json. */
const SOURCES = ['demo.mjs', 'kubectl.mjs', 'launch.mjs', 'options.mjs', 'protected.mjs', 'reach.mjs', 'several.mjs', 'README.md'];

/** A field of `[workspace.package]` in Cargo.toml. */
async function workspaceField(name) {
  const table = (await readFile(join(root, 'Cargo.toml'), 'utf8')).match(/^\[workspace\.package\]\n((?:[^[\n].*\n|\n)*)/m)?.[1];
  const value = table?.match(new RegExp(`^${name} = "([^"]+)"$`, 'm'))?.[1];
  if (!value) throw new Error(`Cargo.toml has no ${name} in [workspace.package]`);
  return value;
}

/** Bundles the front with its library: the package has no dependencies. */
async function bundleFront(file) {
  const esbuild = join(root, 'tests/node_modules/.bin/esbuild');
  if (!existsSync(esbuild) || !existsSync(join(root, 'web/parts/node_modules/httpxy'))) throw new Error('esbuild or the libraries of web/parts are missing: run .ci/setup build');
  const options = ['--bundle', '--platform=node', '--format=esm', '--target=node20', '--log-level=warning'];
  await run(esbuild, ['web/launcher/front.mjs', ...options, `--outfile=${file}`], { cwd: root });
}

/** Writes the content of the npm package into a folder. */
async function stage(folder, page, version) {
  await cp(page, join(folder, 'page'), { recursive: true, dereference: true });
  for (const name of SOURCES) await cp(here(name), join(folder, name));
  // The page alone is published as well.
  for (const copy of ['LICENSE', 'page/LICENSE.txt']) await cp(join(root, 'LICENSE'), join(folder, copy));
  await writeFile(join(folder, 'page/third-party.txt'), await thirdPartyNotices(root, page));
  await bundleFront(join(folder, 'front.mjs'));
  const manifest = JSON.parse(await readFile(here('package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) await chmod(join(entry.parentPath, entry.name), entry.isFile() ? 0o644 : 0o755);
  await chmod(join(folder, 'launch.mjs'), 0o755);
}

/** Returns the krew manifest for the archive of this name and content. */
async function krewManifest(archive, content, version) {
  const values = { version, archive, sha256: createHash('sha256').update(content).digest('hex'), repository: await workspaceField('repository') };
  const template = await readFile(here('informer.yaml'), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name) => {
    if (!(name in values)) throw new Error(`web/launcher/informer.yaml has the unknown placeholder ${placeholder}`);
    return values[name];
  });
}

/** Packs the page into the folder `out`. Resolves to the paths of the artefacts. */
async function pack(out, page) {
  if (!existsSync(join(page, 'index.html'))) throw new Error(`${page} has no index.html: run make build`);
  const version = await workspaceField('version');
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'kube-informer-pack-'));
  try {
    await stage(work, page, version);
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: work });
    const [tgz, tar, manifest, chart] = [`${NAME}-${version}.tgz`, `${NAME}.tar.gz`, 'informer.yaml', `${NAME}-chart-${version}.tgz`];
    await writeFile(join(out, tar), await archiveOf(join(work, 'page'), NAME));
    await writeFile(join(out, manifest), await krewManifest(tgz, await readFile(join(out, tgz)), version));
    await writeFile(join(out, chart), await packChart());
    return [tgz, tar, manifest, chart].map((name) => join(out, name));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

try {
  const [out, page = join(root, 'dist'), ...others] = process.argv.slice(2);
  if (!out || others.length > 0) throw new Error('usage: node web/launcher/pack.mjs OUT [PAGE]');
  for (const file of await pack(resolve(out), resolve(page))) console.log(`${String((await readFile(file)).length).padStart(9)} bytes  ${file}`);
} catch (error) {
  console.error(`error: ${error.stderr?.trim() || error.message}`);
  process.exitCode = 1;
}
