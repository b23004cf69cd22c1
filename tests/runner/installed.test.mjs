// npm packages of the build and of the tests: detection of installed ones.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isInstalled } from '../../.ci/installed.mjs';

const LOCK = { '': {}, 'node_modules/a': { version: '1' }, 'node_modules/b': { version: '2', dev: true }, 'node_modules/c': { version: '3', dev: true, optional: true } };

/** A folder with `installed` packages, by name and version; returns for which goals they are enough. */
function goals(t, installed, record = installed) {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-installed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (path, packages) => writeFileSync(join(folder, path), JSON.stringify({ packages }));
  mkdirSync(join(folder, 'node_modules'));
  write('package-lock.json', LOCK);
  for (const name of Object.keys(installed)) {
    mkdirSync(join(folder, 'node_modules', name));
    write(`node_modules/${name}/package.json`, {});
  }
  if (record) write('node_modules/.package-lock.json', Object.fromEntries(Object.entries(record).map(([name, version]) => [`node_modules/${name}`, { version }])));
  return ['build', 'test', 'any'].filter((goal) => isInstalled(folder, goal));
}

test('the build is content with its own packages, and with those of the tests beside them', (t) => {
  assert.deepEqual(goals(t, { a: '1' }), ['build']);
  assert.deepEqual(goals(t, { a: '1', b: '2' }), ['build', 'test', 'any']);
  assert.deepEqual(goals(t, { a: '1', b: '2', c: '3' }), ['build', 'test', 'any']);
});

test('another version, a missing package and an interrupted installation are not enough', (t) => {
  assert.deepEqual(goals(t, {}), []);
  assert.deepEqual(goals(t, { a: '0' }), []);
  assert.deepEqual(goals(t, { b: '2' }), ['any'], 'packages of the tests must survive an installation for the build');
  assert.deepEqual(goals(t, { a: '1', b: '1' }), ['build', 'any']);
  assert.deepEqual(goals(t, { a: '1', b: '2', c: '0' }), ['build', 'any']);
  assert.deepEqual(goals(t, { a: '1', b: '2' }, null), ['any']);
  assert.deepEqual(goals(t, { a: '1' }, { a: '1', b: '2' }), ['build'], 'b was deleted');
});
