// The page: web/build/page.mjs produces the same page as Trunk, which `make serve` uses. Trunk takes minutes to build and is
// not needed here: its output for a page with every kind of link is recorded (same-page/record.mjs).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assemble, describe, linkedFiles, place, renameStyles } from '../../web/build/page.mjs';
import { filesOf } from './same-page/files.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const at = (path) => join(root, path);
const fixture = at('tests/runner/same-page/page/index.html');
const recorded = JSON.parse(readFileSync(at('tests/runner/same-page/recorded.json'), 'utf8'));

/** The kinds of links and their attributes. */
const kinds = ({ links }) => new Set(links.flatMap(({ tag, rel }) => [rel, ...[...tag.matchAll(/\s(data-[\w-]+)/g)].map(([, name]) => `${rel} ${name}`)]));

/** Builds the page of the fixture from this html. */
async function build(t, html = readFileSync(fixture, 'utf8')) {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-same-page-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [linked, dist] = [join(folder, 'linked'), join(folder, 'dist')];
  for (const path of [linked, dist]) mkdirSync(path);
  for (const file of linkedFiles('page')) writeFileSync(join(linked, file), 'linked');
  const page = await describe(fixture, at('Trunk.toml'));
  await assemble({ ...page, html }, dist);
  await place('page', linked, dist);
  return { dist, linked, page };
}

test('the build makes of a page the same files as Trunk', async (t) => {
  const { dist } = await build(t);
  assert.deepEqual(filesOf(dist), recorded.files);
});

test('the recording is of the version of Trunk that make serve installs, and covers www/index.html', async () => {
  assert.match(readFileSync(at('.ci/setup'), 'utf8'), new RegExp(`^trunk_version=${recorded.trunk.replaceAll('.', '\\.')}$`, 'm'), 'record it again');
  const known = kinds(await describe(fixture, at('Trunk.toml')));
  const used = kinds(await describe(at('www/index.html'), at('Trunk.toml')));
  assert.deepEqual([...used].filter((kind) => !known.has(kind)), [], 'add it to the fixture, and record it');
});

test('a file with another content has another name, which the page uses', async (t) => {
  const { dist, linked, page } = await build(t);
  const name = () => readFileSync(join(dist, 'index.html'), 'utf8').match(/data-wasm="\.\/(page-[0-9a-f]{16}_bg\.wasm)"/)[1];
  const before = name();
  assert.equal(readFileSync(join(dist, before), 'utf8'), 'linked');
  for (const file of linkedFiles('page')) {
    writeFileSync(join(linked, file), 'another');
    await assemble(page, dist);
    await place('page', linked, dist);
    assert.notEqual(name(), before);
    assert.equal(readFileSync(join(dist, name().replace('_bg', '_deferred')), 'utf8'), readFileSync(join(linked, 'page_deferred.wasm'), 'utf8'));
    writeFileSync(join(linked, file), 'linked');
  }
});

test('a minified style has a name and an integrity of its own content', async (t) => {
  const { dist } = await build(t);
  const styles = () => [...readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/rel="stylesheet" href="[^"]*?([\w.-]+\.css)" integrity="([^"]*)"/g)].map(([, file, integrity]) => ({ file, integrity }));
  const before = styles();
  assert.ok(before.length > 0);
  for (const { file } of before) writeFileSync(join(dist, file), 'minified');
  await renameStyles(dist);
  const integrity = `sha384-${createHash('sha384').update('minified').digest('base64')}`;
  for (const [at, style] of styles().entries()) {
    assert.notEqual(style.file, before[at].file);
    assert.equal(readFileSync(join(dist, style.file), 'utf8'), 'minified');
    assert.equal(style.integrity, integrity);
  }
});

test('a link of Trunk that the build does not know is an error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-same-page-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const index = join(folder, 'index.html');
  writeFileSync(index, readFileSync(fixture, 'utf8').replace('rel="css"', 'rel="sass"'));
  await assert.rejects(describe(index, at('Trunk.toml')), /does not know this link of Trunk's: <link data-trunk rel="sass"/);
});

test('a page may take the npm package from another folder', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-same-page-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [packed, dist] = [join(folder, 'packed'), join(folder, 'dist')];
  for (const path of [packed, dist]) mkdirSync(path);
  writeFileSync(join(packed, 'connect.js'), 'of the other folder');
  const page = await describe(at('www/index.html'), at('Trunk.toml'), packed);
  assert.equal(page.usesPackage, true);
  await assemble(page, dist);
  assert.equal(readFileSync(join(dist, 'kube-informer/connect.js'), 'utf8'), 'of the other folder');
});
