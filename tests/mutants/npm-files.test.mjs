// Selection of the package's files for mutation tests: files in folders are included, and deleted ones are not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sources, testGlobs } from './npm-files.mjs';

const src = 'informer/npm/src';

test('sources in folders are mutated', () => {
  const found = sources(src);
  assert.ok(found.includes('view.js') && found.includes('client/logs.js'), found.join(' '));
  assert.ok(found.every((name) => readFileSync(`${src}/${name}`, 'utf8')));
  assert.ok(!found.includes('worker.js'));
});

test('an exception or a test that is gone is an error', () => {
  assert.throws(() => sources(src, { 'gone.js': 'a reason' }), /are gone: gone\.js/);
  assert.throws(() => testGlobs('informer/npm', ['test/view.test.mjs', 'test/told.test.mjs']), /are gone: test\/told\.test\.mjs/);
});

test('every test of the list exists', () => assert.ok(testGlobs('informer/npm').length > 0));
