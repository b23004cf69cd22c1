// Stamps of a build: detection of changes.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isUnchanged, record } from '../../.ci/unchanged.mjs';

function project(t) {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-unchanged-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const at = (path) => join(folder, path);
  for (const path of ['src/inner', 'src/tests', 'dist']) mkdirSync(at(path), { recursive: true });
  const write = (path, text) => writeFileSync(at(path), text);
  for (const path of ['src/a.rs', 'src/inner/b.rs', 'src/tests/c.rs', 'src/README.md', 'dist/out']) write(path, path);
  const same = (options = 'rustc 1') => isUnchanged(at('stamp'), [at('src')], [at('dist')], options);
  const note = () => record(at('stamp'), [at('src')], [at('dist')], 'rustc 1');
  return { at, write, same, note };
}

test('nothing is unchanged before it is recorded', (t) => {
  const { same, note } = project(t);
  assert.ok(!same());
  note();
  assert.ok(same());
});

test('another content, another file, a missing one, another output and another compiler are changes', (t) => {
  const { at, write, same, note } = project(t);
  for (const change of [() => write('src/inner/b.rs', 'B'), () => write('src/d.rs', ''), () => rmSync(at('src/d.rs')), () => write('dist/out', 'of another branch'), () => rmSync(at('dist'), { recursive: true })]) {
    note();
    change();
    assert.ok(!same(), change.toString());
  }
  note();
  assert.ok(!same('rustc 2'));
});

test('times, tests and documents are no changes', (t) => {
  const { at, write, same, note } = project(t);
  note();
  utimesSync(at('src/a.rs'), 0, 0);
  write('src/tests/c.rs', 'other');
  write('src/README.md', 'other');
  assert.ok(same());
});
