// Type declarations of the source: they compile with the code of users. types.test.mjs checks the same for the built package.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compiler } from '../compile.mjs';

const npm = fileURLToPath(new URL('../..', import.meta.url));

test('the surface has the types that it should have', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'kube-informer-declarations-'));
  t.after(() => rmSync(home, { recursive: true }));
  const folder = join(home, 'node_modules/kube-informer');
  mkdirSync(folder, { recursive: true });
  cpSync(join(npm, 'package.json'), join(folder, 'package.json'));
  cpSync(join(npm, 'src'), join(folder, 'dist'), { recursive: true });
  assert.equal(compiler(home)('nodenext', 'nodenext'), '');
});
