// Contents of the release artefacts: the files of each, their texts, and what they name.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '../support/processes.mjs';
import { TEST, pack, root, unavailable } from './artefacts.mjs';

const folder = await mkdtemp(join(tmpdir(), 'launcher-package-'));
after(() => rm(folder, { recursive: true, force: true }));
let artefacts;
before(async () => {
  if (unavailable) return;
  artefacts = await pack();
  for (const [name, archive] of [['npm', artefacts.npm], ['page', artefacts.page], ['chart', artefacts.chart]]) {
    await mkdir(join(folder, name));
    await run('tar', ['xzf', archive, '-C', join(folder, name)]);
  }
});
after(() => artefacts?.end());

/** Paths of the files below a folder, sorted. */
async function filesIn(path) {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1)).sort();
}
const version = async () => (await readFile(join(root, 'Cargo.toml'), 'utf8')).match(/^version = "(.*)"$/m)[1];

/** Files that the page may have. A new kind of file is a decision: it is published. */
const OF_THE_PAGE = [/^index\.html$/, /^icon\.svg$/, /^context\.json$/, /^(LICENSE|third-party)\.txt$/, /^boot\.js$/, /^clusters\.html$/, /^clusters(-frame|-tab)?\.js$/, /^[a-z]+(-[0-9a-f]{16})?\.css$/, /^web-[0-9a-f]{16}(\.js|_bg\.wasm|_deferred\.wasm)$/, /^parts\/[\w-]+\.js$/, /^demo\/[\w-]+\.(js|json|css|wasm)$/, /^kube-informer\/[\w-]+\.(js|wasm|d\.ts)$/, /^kube-informer\/(client|types)\/[\w-]+(\.js|\.d\.ts)$/];
const isOfThePage = (path) => OF_THE_PAGE.some((pattern) => pattern.test(path));

test('the npm package has the launcher and the page, and no other file', TEST, async () => {
  const files = await filesIn(join(folder, 'npm/package'));
  const ofThePage = files.filter((path) => path.startsWith('page/'));
  assert.deepEqual(files.filter((path) => !ofThePage.includes(path)), ['LICENSE', 'README.md', 'demo.mjs', 'front.mjs', 'kubectl.mjs', 'launch.mjs', 'options.mjs', 'package.json', 'protected.mjs', 'reach.mjs', 'several.mjs']);
  assert.deepEqual(ofThePage.filter((path) => !isOfThePage(path.slice('page/'.length))), []);
});

test('the archive of the page has the same page in one folder, and no other file', TEST, async () => {
  assert.deepEqual(await readdir(join(folder, 'page')), ['kube-informer-dashboard']);
  const [page, packed] = [join(folder, 'page/kube-informer-dashboard'), join(folder, 'npm/package/page')];
  const files = await filesIn(page);
  assert.ok(files.includes('index.html') && files.length > 20);
  assert.deepEqual(files.filter((path) => !isOfThePage(path)), []);
  assert.deepEqual(files, await filesIn(packed));
  for (const file of files) assert.ok((await readFile(join(page, file))).equals(await readFile(join(packed, file))), file);
});

test('the archive of the chart has the chart in one folder, with the configuration of nginx, and no other file', TEST, async () => {
  assert.equal(basename(artefacts.chart), `kube-informer-dashboard-chart-${await version()}.tgz`);
  assert.deepEqual(await readdir(join(folder, 'chart')), ['kube-informer-dashboard']);
  const packed = join(folder, 'chart/kube-informer-dashboard');
  const sources = { 'Chart.yaml': 'chart/Chart.yaml', 'files/nginx.conf': 'base/nginx.conf', 'files/upstream/serviceAccount.conf': 'service-account/upstream.conf', 'values.yaml': 'chart/values.yaml', LICENSE: '../../LICENSE' };
  for (const [file, source] of Object.entries(sources)) assert.ok((await readFile(join(packed, file))).equals(await readFile(join(root, 'web/deploy', source))), file);
  const files = await filesIn(packed);
  const expected = [/^LICENSE$/, /^Chart\.yaml$/, /^values\.(yaml|schema\.json)$/, /^templates\/([a-z-]+\.yaml|_helpers\.tpl|NOTES\.txt)$/, /^files\/(upstream\/)?[a-zA-Z]+\.conf$/];
  assert.deepEqual(files.filter((file) => !expected.some((pattern) => pattern.test(file))), []);
});

test('the release workflow publishes the npm package, and no other artefact, on npm', TEST, async () => {
  const workflow = await readFile(join(root, '.github/workflows/release.yml'), 'utf8');
  const [, pattern] = workflow.match(/npm publish .* target\/release-artefacts\/(\S+)$/m);
  const matched = await run('bash', ['-c', `cd "$0" && echo ${pattern}`, artefacts.folder]);
  assert.equal(matched, `${basename(artefacts.npm)}\n`);
});

test('the manifest of the npm package', TEST, async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'npm/package/package.json'), 'utf8'));
  const { name, license, bin, type, engines, dependencies, scripts } = manifest;
  assert.deepEqual({ name, license, type, engines, dependencies, scripts, version: manifest.version }, { name: 'kube-informer-dashboard', license: 'Apache-2.0', type: 'module', engines: { node: '>=20' }, dependencies: undefined, scripts: undefined, version: await version() });
  for (const program of ['kube-informer-dashboard', 'kubectl-informer']) assert.equal(bin[program].replace('./', ''), 'launch.mjs');
  assert.ok((await stat(join(folder, 'npm/package/launch.mjs'))).mode & 0o100, 'krew starts this file itself');
});

/** Names of folders of this machine, or of any other, in files of the npm package. */
async function machinePaths(isWanted) {
  const own = [root.replace(/\/$/, ''), `${homedir()}/`, folder, artefacts.folder];
  const patterns = [/\/home\/\w+\//, /\/Users\/\w+\//, /\/root\//, /\.cargo\/registry/, /\/tmp\//];
  const found = [];
  for (const file of (await filesIn(join(folder, 'npm/package'))).filter(isWanted)) {
    const text = await readFile(join(folder, 'npm/package', file), 'latin1');
    const named = [...own.filter((path) => text.includes(path)), ...patterns.flatMap((pattern) => text.match(pattern)?.[0] ?? [])];
    if (named.length > 0) found.push(`${file}: ${named.join(', ')}`);
  }
  return found;
}

test('no text names a folder of the machine that packed it', TEST, async () => {
  assert.deepEqual(await machinePaths((file) => !file.endsWith('.wasm')), []);
});

test('no wasm names a folder of the machine that built it', TEST, async () => {
  assert.deepEqual(await machinePaths((file) => file.endsWith('.wasm')), []);
});

test('both artefacts have the licences of their code', TEST, async () => {
  const notices = await readFile(join(folder, 'page/kube-informer-dashboard/third-party.txt'), 'utf8');
  for (const name of ['httpxy', '@codemirror/view', '@xterm/xterm', '@dagrejs/dagre', 'uplot', 'yaml', 'leptos', 'serde_json', 'wasm-bindgen']) assert.match(notices, new RegExp(`^${name} \\d[\\w.+-]* \\(.+\\)$`, 'm'));
  assert.ok(!/^(web|informer|informer-engine) /m.test(notices), 'the own crates are no third party');
  const licence = await readFile(join(root, 'LICENSE'), 'utf8');
  for (const file of ['page/kube-informer-dashboard/LICENSE.txt', 'npm/package/LICENSE']) assert.equal(await readFile(join(folder, file), 'utf8'), licence);
});

test('modules of the package import only each other and Node', TEST, async () => {
  const own = ['demo', 'front', 'kubectl', 'launch', 'options', 'protected', 'reach', 'several'].map((name) => `${name}.mjs`);
  for (const file of own) {
    const text = await readFile(join(folder, 'npm/package', file), 'utf8');
    const imported = [...text.matchAll(/^import\b[^'"]*['"]([^'"]+)['"]/gm)].map(([, name]) => name);
    assert.ok(imported.length > 0 || file === 'protected.mjs', file);
    assert.deepEqual(imported.filter((name) => !name.startsWith('node:') && !own.includes(name.replace('./', ''))), [], file);
  }
});

test('a second run makes the same artefacts', TEST, async () => {
  const again = await pack();
  try {
    for (const name of ['npm', 'page', 'manifest', 'chart']) assert.ok((await readFile(again[name])).equals(await readFile(artefacts[name])), name);
  } finally {
    await again.end();
  }
});

test('the archive of the page is sorted, and has the owner 0 and the time 0', TEST, async () => {
  const listing = await run('tar', ['tvzf', artefacts.page, '--numeric-owner'], { env: { TZ: 'UTC', LC_ALL: 'C' } });
  const lines = listing.trim().split('\n');
  // The columns of the tars of GNU and of macOS differ.
  for (const line of lines) assert.match(line, / 0\/0 .* 1970-01-01 00:00| 0 +0 .*Jan +1 +1970/, line);
  const names = lines.map((line) => line.split(' ').at(-1));
  assert.deepEqual(names, [...names].sort());
});

test('the krew manifest names version, address and SHA-256 of the npm package', TEST, async () => {
  const manifest = await readFile(artefacts.manifest, 'utf8');
  const hash = createHash('sha256').update(await readFile(artefacts.npm)).digest('hex');
  const number = await version();
  assert.ok(!manifest.includes('{{'));
  for (const line of [`  version: v${number}`, `      sha256: ${hash}`, `/releases/download/v${number}/kube-informer-dashboard-${number}.tgz`, '      bin: launch.mjs', '    Requires Node.js 20 or later on PATH.']) assert.ok(manifest.includes(`${line}\n`), line);
});

test('sizes are printed', TEST, async (t) => {
  for (const path of [artefacts.npm, artefacts.page, artefacts.manifest, artefacts.chart]) {
    const { size } = await stat(path);
    assert.match(artefacts.printed, new RegExp(`^ *${size} bytes  .*${basename(path).replaceAll('.', '\\.')}$`, 'm'));
    t.diagnostic(`${basename(path)}: ${size} bytes`);
  }
});

test('a page that is not built is an error that says what to do', TEST, async () => {
  const program = join(root, 'web/launcher/pack.mjs');
  await assert.rejects(run(process.execPath, [program, join(folder, 'out'), folder]), (error) => error.message.endsWith(`error: ${folder} has no index.html: run make build`));
  await assert.rejects(run(process.execPath, [program]), /error: usage: node web\/launcher\/pack\.mjs OUT \[PAGE\]/);
});
