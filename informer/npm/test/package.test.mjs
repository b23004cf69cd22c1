// Contents of the tarball: complete, without duplicates, and small.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { root, unpack } from './tarball.mjs';

const { folder, remove } = await unpack();
after(remove);
const dist = join(folder, 'dist');
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'));
const text = (name) => readFileSync(join(dist, name), 'utf8');

/** All modules that a module leads to. */
function reached(entry, found = new Set()) {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [, name] of text(entry).matchAll(/(?:from|import)\s*\(?\s*["']\.\/([\w.-]+)["']/g)) reached(name, found);
  return found;
}

test('every entry of `exports` is there, with its types first', () => {
  for (const [entry, target] of Object.entries(manifest.exports)) {
    const paths = typeof target === 'string' ? [target] : Object.values(target);
    for (const path of paths) assert.ok(existsSync(join(folder, path)), `${entry}: ${path}`);
    if (typeof target !== 'string') assert.equal(Object.keys(target)[0], 'types');
  }
  assert.deepEqual(Object.keys(manifest.exports), ['.', './slim', './react', './worker', './informer.wasm', './deferred.wasm', './extras.wasm', './protobuf.wasm', './package.json']);
});

test('every type declaration of the tree is there, in files of at most 200 lines', () => {
  const declarations = (home) => readdirSync(home, { recursive: true }).filter((name) => name.endsWith('.d.ts')).sort();
  assert.deepEqual(declarations(dist), declarations(join(root, 'informer/npm/src')));
  for (const name of declarations(dist)) assert.ok(text(name).split('\n').length <= 201, name);
});

test('the version is the workspace\'s, also in the names of the shared worker and of the election', () => {
  const [, version] = readFileSync(join(root, 'Cargo.toml'), 'utf8').match(/\[workspace\.package\]\nversion = "(.+)"/);
  assert.equal(manifest.version, version);
  assert.equal(text('engine-host.js').split(`"kube-informer@${version}"`).length, 4);
});

test('the package has no effects at import, except its worker, no dependencies and no scripts', () => {
  assert.deepEqual(manifest.sideEffects, ['./dist/worker.js']);
  assert.equal(manifest.type, 'module');
  for (const field of ['dependencies', 'scripts', 'devDependencies']) assert.equal(manifest[field], undefined, field);
  // Only the entry `kube-informer/react` needs it.
  assert.deepEqual([manifest.peerDependencies, manifest.peerDependenciesMeta], [{ react: '>=18' }, { react: { optional: true } }]);
});

test('each part of the wasm is there once, wants nothing from "env", and names no folder of the machine that built it', () => {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.wasm'));
  assert.deepEqual(files.sort(), ['deferred.wasm', 'extras.wasm', 'informer.wasm', 'protobuf.wasm'].map((name) => join('dist', name)));
  for (const [file, from] of [['informer.wasm', ['./__wasm_split.js', './engine_bg.js']], ['deferred.wasm', ['__wasm_split']], ['extras.wasm', ['__wasm_split']], ['protobuf.wasm', ['__wasm_split']]]) {
    const bytes = readFileSync(join(dist, file));
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
    assert.deepEqual([...new Set(imports.map(({ module }) => module))].sort(), from);
    assert.doesNotMatch(bytes.toString('latin1'), /\/registry\/src|\/(?:root|home|Users)\//);
  }
});

test('the engine is at most 160 KB, gzipped', () => {
  const { length } = gzipSync(readFileSync(join(dist, 'informer.wasm')), { level: 9 });
  assert.ok(length <= 160 * 1024, `${length} bytes: make size tells more`);
});

test('exactly one module names the wasm, and neither slim nor the worker leads to it', () => {
  assert.deepEqual(scripts.filter((name) => /new URL\([^)]*wasm[^)]*import\.meta/.test(text(name))), ['wasm-url.js']);
  assert.equal(text('wasm-url.js').split('new URL(').length, 5);
  assert.ok(reached('index.js').has('wasm-url.js'));
  for (const entry of ['slim.js', 'worker.js']) assert.ok(!reached(entry).has('wasm-url.js'), entry);
});

test('the worker does not lead to the page\'s modules', () => {
  assert.deepEqual([...reached('worker.js')].sort(), ['deferred.js', 'engine.js', 'error.js', 'host.js', 'leader.js', 'locks.js', 'promises.js', 'wasm.js', 'worker.js']);
});

test('the worker is one graph of modules without `import()`, which Vite before 8 could not build', () => {
  const modules = [...reached('worker.js')];
  assert.ok(modules.includes('host.js') && modules.includes('leader.js'), modules.join(' '));
  for (const name of modules) assert.doesNotMatch(text(name), /\bimport\(/, name);
});

test('the page\'s part is at most 17,820 bytes, its files at most 200 lines', () => {
  const elsewhere = ['access.js', 'aggregate.js', 'deferred.js', 'elected.js', 'engine.js', 'host.js', 'leader.js', 'numbers.js', 'react.js', 'recording.js', 'render-cache.js', 'search.js', 'suspense.js', 'view-store.js', 'wait-for.js', 'worker.js'];
  const page = scripts.filter((name) => !elsewhere.includes(name));
  const bytes = gzipSync(page.map(text).join(''), { level: 9 }).length;
  // Views are 2.6 KB of it (tables as kubectl prints them, counts, the query in force), a followed object 0.6 KB, the
  // replacement of an engine 2.4 KB (replay log and delivered state), and the checks of arguments, with their messages, and
  // the deadline of connect() 2.1 KB. Rejecting what waits for a failed informer is 0.1 KB, and so is the call of a search,
  // whose code is loaded on first use. Columns of one's own beside kubectl's are 0.1 KB, and Vite's dev servers less.
  // Options of access (headers, credentials, fetch, maxStreams, backoff) are 0.2 KB; their code is loaded if one is given. The source of protobuf.wasm, and `false` for it, are 0.1 KB. waitFor(), whose code is loaded on first use, and the check of a transform are 0.2 KB.
  assert.ok(bytes <= 17_820, `${bytes} bytes`);
  for (const name of readdirSync(join(root, 'informer/npm/src'), { recursive: true }).filter((name) => name.endsWith('.js'))) {
    const lines = readFileSync(join(root, 'informer/npm/src', name), 'utf8').split('\n').length;
    assert.ok(lines <= 200, `${name}: ${lines} lines`);
  }
});

test('the code of the client is there, is loaded when it is first used, and each of its files is named', () => {
  const files = (home) => readdirSync(join(home, 'client')).sort();
  assert.deepEqual(files(dist), files(join(root, 'informer/npm/src')));
  assert.deepEqual(scripts.filter((name) => text(name).includes('./client/')), ['client.js']);
  assert.match(text('client.js'), /import\("\.\/client\/client\.js"\)/);
  const client = files(dist).map((name) => text(join('client', name))).join('');
  for (const name of files(dist).filter((name) => name !== 'client.js')) assert.ok(client.includes(`"./${name}"`), name);
  const bytes = gzipSync(client, { level: 9 }).length;
  // Of this, reading the logs of several objects as one, each line once, is about 9 KB, finding the jobs of a CronJob 0.7 KB, the pods of an owner
  // without a selector 0.2 KB, and headers of users 0.8 KB. It is loaded on the first use of the
  // client.
  assert.ok(bytes <= 21_950, `${bytes} bytes`);
});

test('README and LICENSE are there', () => {
  assert.ok(existsSync(join(folder, 'README.md')));
  assert.equal(existsSync(join(folder, 'LICENSE')), existsSync(join(root, 'LICENSE')));
});
