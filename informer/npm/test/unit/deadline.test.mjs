// Deadline of a connection: its sentences, when it begins anew, and delays that a timer cannot hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadline, engineStarts, workerAnswers } from '../../src/deadline.js';

/** A deadline of so many milliseconds, and what was late. */
function deadline(t, ms) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const late = [];
  const own = new Deadline(ms);
  return { late, begin: (what) => own.begin(what, (error) => late.push(error)), end: () => own.end(), passes: (time) => t.mock.timers.tick(time) };
}

test('what is late is named, with what to do about it', (t) => {
  const { late, begin, passes } = deadline(t, 1_500);
  const worker = 'within 1.5 s. Check that this is kube-informer\'s worker.js and that it runs without errors; if it is shared, close all tabs of this origin.';
  const engine = 'within 1.5 s. Check that the file can be loaded; on a slow network set a longer `timeoutMs`.';
  for (const [what, message] of [
    [workerAnswers(), `the worker did not respond ${worker}`],
    [workerAnswers('http://x/worker.js'), `the worker http://x/worker.js did not respond ${worker}`],
    [engineStarts('http://x/informer.wasm'), `the engine did not start from http://x/informer.wasm ${engine}`],
    [engineStarts(new URL('http://x/a.wasm')), `the engine did not start from http://x/a.wasm ${engine}`],
    [engineStarts(new Uint8Array(2)), `the engine did not start from the source in \`wasm\` ${engine}`],
  ]) {
    begin(what);
    passes(1_499);
    assert.deepEqual(late, []);
    passes(1);
    const [error] = late.splice(0);
    assert.deepEqual([error.code, error.retryable, error.message], ['timeout', true, message]);
  }
});

test('it runs on for the same, and begins anew for another', (t) => {
  const { late, begin, end, passes } = deadline(t, 1_000);
  begin(workerAnswers());
  passes(600);
  begin(workerAnswers());
  passes(399);
  begin(engineStarts('a'));
  passes(999);
  assert.deepEqual(late, []);
  passes(1);
  assert.equal(late.length, 1);
  begin(engineStarts('b'));
  passes(999);
  end();
  passes(1_000);
  assert.equal(late.length, 1, 'it was ended');
  begin(engineStarts('b'));
  passes(1_000);
  assert.equal(late.length, 2, 'after its end the same counts anew');
});

test('a delay of more than 31 bits is none', (t) => {
  const timers = t.mock.method(globalThis, 'setTimeout', () => {});
  for (const [ms, count] of [[2 ** 31, 0], [Infinity, 0], [2 ** 31 - 1, 1]]) {
    new Deadline(ms).begin(workerAnswers(), () => {});
    assert.equal(timers.mock.callCount(), count, `${ms}`);
  }
});
