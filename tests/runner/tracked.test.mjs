// Tracked files are sources: none is large, and none is a build output.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LARGEST, committed, complaint, isClone, staged } from './tracked.mjs';

const options = { skip: !isClone() && 'this is no clone of the repository' };
const complaints = (files) => [...new Set(files.map(complaint).filter(Boolean))];

test('no tracked file is large or a build output', options, () => {
  const files = staged();
  assert.ok(files.some(({ path }) => path === 'Cargo.lock'), 'the files of the repository are found');
  assert.deepEqual(complaints(files), [], 'remove these from the next commit with git rm --cached, and add them to .gitignore');
});

test('no earlier commit has a file that is large or a build output', options, () => {
  assert.deepEqual(complaints(committed()), [], 'git rm does not make a clone smaller: take these out of the commits that added them');
});

test('size and name decide', () => {
  assert.equal(complaint({ path: 'Cargo.lock', size: LARGEST }), null);
  assert.match(complaint({ path: 'a/picture.png', size: LARGEST + 1 }), /^a\/picture\.png has 513 KB, and 512 KB is the limit$/);
  for (const path of ['web/page_bg.wasm', 'informer/npm/kube-informer-0.1.0.tgz', 'target/debug/x', 'informer/fuzz/target/x', 'dist/index.html', 'tests/e2e/node_modules/a.js']) {
    assert.equal(complaint({ path, size: 1 }), `${path} is a build output`);
  }
  for (const path of ['web/src/target.rs', 'tests/bench/stage.mjs', '.ci/wasm-target', 'informer/src/distance.rs']) {
    assert.equal(complaint({ path, size: 1 }), null, path);
  }
});
