// Permitted and unpermitted states of a page in a soak.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowed, since, unexplained } from './causes.mjs';

const quiet = { watches: 0, suspicions: 0, earlyEnds: 0, errors: 0 };

test('each time that the page catches up has a cause that is counted', () => {
  assert.deepEqual(unexplained({ live: 2 }, quiet), []);
  assert.deepEqual(unexplained({ live: 4, 'catching-up': 4 }, { ...quiet, watches: 2, suspicions: 1 }), []);
  assert.deepEqual(unexplained({ live: 4, 'catching-up': 2 }, quiet), ['2 times catching up, for 0 causes']);
});

test('a healthy page is nothing but live and catching up', () => {
  assert.deepEqual(unexplained({ live: 1, disconnected: 2 }, { ...quiet, watches: 9 }), ['2 times disconnected']);
});

test('a disconnection has a cause where an error is counted, other states have none', () => {
  assert.deepEqual(unexplained({ live: 3, disconnected: 1, stale: 1, 'catching-up': 2 }, { ...quiet, errors: 2 }), []);
  assert.deepEqual(unexplained({ live: 3, disconnected: 2, stale: 1 }, { ...quiet, errors: 2 }), ['2 times disconnected', '1 times stale']);
  assert.deepEqual(unexplained({ live: 1, queued: 1 }, { ...quiet, errors: 9 }), ['1 times queued']);
});

test('each suspicion, early end and error raises the request budget', () => {
  assert.deepEqual(allowed(20, quiet), { requests: 300, lists: 3, watches: 7 });
  assert.deepEqual(allowed(20, { ...quiet, suspicions: 2, earlyEnds: 1 }), { requests: 309, lists: 4, watches: 10 });
  assert.deepEqual(allowed(20, { ...quiet, errors: 2 }), { requests: 306, lists: 3, watches: 9 });
});

test('counts are reported as differences', () => {
  assert.deepEqual(since({ watches: 1, lists: 1 }, { watches: 3, lists: 1, new: 2 }), { watches: 2, lists: 0, new: 2 });
});
