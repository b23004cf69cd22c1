// The second attempt of browser tests: which files run again, and what is counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { none } from './counts.mjs';
import { failedIn, secondAttempt } from './second-attempt.mjs';

const report = (...failed) => ['ℹ fail 1', '', '✖ failing tests:', '', ...failed.flatMap(([file, title]) => [`test at ${file}:3:1`, `✖ ${title} (12.5ms)`, '  Error: no row', ''])].join('\n');
const counts = (passed, failed) => ({ ...none, passed, failed });

test('failed tests are found with their files', () => {
  assert.deepEqual(failedIn(report(['tests/e2e/a.test.mjs', 'a row (1)'])), [{ file: 'tests/e2e/a.test.mjs', title: 'a row (1)' }]);
  assert.deepEqual(failedIn('test at a.test.mjs:3:1\n✖ cancelled\n'), [{ file: 'a.test.mjs', title: 'cancelled' }]);
  assert.deepEqual(failedIn('✔ all is well (3ms)'), []);
});

test('a test that passes at the second attempt is counted as passed, and named', async () => {
  const asked = [];
  const after = await secondAttempt(report(['a.test.mjs', 'one'], ['a.test.mjs', 'two']), counts(5, 2), async (files) => (asked.push(files), counts(4, 0)));
  assert.deepEqual(asked, [['a.test.mjs']]);
  assert.deepEqual(after, { ...counts(7, 0), notes: ['one', 'two'].map((title) => `failed once, passed at the second attempt: ${title} (a.test.mjs)`) });
});

test('a test that fails twice, or is skipped then, has failed', async () => {
  assert.equal((await secondAttempt(report(['a.test.mjs', 'one']), counts(5, 1), async () => ({ ...counts(0, 0), skipped: 3 }))).failed, 1);
  const after = await secondAttempt(report(['a.test.mjs', 'one']), counts(5, 1), async () => counts(3, 1));
  assert.equal(after.failed, 1);
  assert.match(after.notes.join(), /second attempt did not pass/);
});

test('there is no second attempt for many files, nor for a failure that names none', async () => {
  const never = () => assert.fail('it runs again');
  const many = report(...['a', 'b', 'c', 'd'].map((name) => [`${name}.test.mjs`, name]));
  assert.equal((await secondAttempt(many, counts(5, 4), never)).failed, 4);
  assert.equal((await secondAttempt('', counts(0, 1), never)).failed, 1);
  assert.equal((await secondAttempt(report(['a.test.mjs', 'one']), counts(0, 2), never)).failed, 2, 'one of two is not found');
});
