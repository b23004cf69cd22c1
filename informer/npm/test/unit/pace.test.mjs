// Pace of log processing: when the page has its turn, and pauses that signals end.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { settle, state } from './engine.mjs';
import { Pace, sleep } from '../../src/client/pace.js';

const SMALL = 1;
const LARGE = 32 << 10;

/** A pace whose clock the test sets: `turns(now, …)` is how it yields at that time, `frame 11`, `turn` or `none`. */
function paced(t) {
  let now = 1_000;
  const yields = [];
  t.mock.method(performance, 'now', () => now);
  t.mock.method(globalThis, 'setTimeout', (resolve, ms) => (yields.push(`frame ${ms}`), resolve()));
  const { MessageChannel } = globalThis;
  t.after(() => Object.assign(globalThis, { MessageChannel }));
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      yields.push('turn');
    }
  };
  const pace = new Pace();
  return async (at, ...args) => {
    now = 1_000 + at;
    await pace.turn(...args);
    return yields.splice(0).join() || 'none';
  };
}

test('small chunks become one batch for each frame', async (t) => {
  const turns = paced(t);
  assert.equal(await turns(0, SMALL), 'none', 'the first one is shown at once');
  assert.equal(await turns(5, LARGE - 1, true), 'frame 11');
  assert.equal(await turns(21, SMALL, true), 'turn', 'a frame has passed');
  assert.equal(await turns(36, SMALL, true), 'frame 1');
});

test('a large chunk, and one of which more has come, waits for no frame', async (t) => {
  const turns = paced(t);
  assert.equal(await turns(0, SMALL, true), 'none');
  assert.equal(await turns(1, LARGE, true), 'none');
  assert.equal(await turns(2, SMALL, false), 'none');
  assert.equal(await turns(3, LARGE, false), 'none');
  assert.equal(await turns(4, SMALL), 'frame 15', 'a chunk is the last one by default');
});

test('the page has its turn after eight milliseconds, counted from its last one', async (t) => {
  const turns = paced(t);
  assert.equal(await turns(7, LARGE, true), 'none');
  assert.equal(await turns(8, LARGE, true), 'turn');
  assert.equal(await turns(15, LARGE, true), 'none');
  assert.equal(await turns(16, LARGE, false), 'turn');
  assert.equal(await turns(17, SMALL, true), 'frame 15');
  assert.equal(await turns(24, LARGE, true), 'none');
  assert.equal(await turns(25, LARGE, true), 'turn');
});

test('a pause ends after its time, or early by a signal, without an error', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const gone = new AbortController();
  const [whole, early] = [sleep(10), sleep(10, undefined, gone.signal)];
  t.mock.timers.tick(9);
  assert.deepEqual([await state(whole), await state(early)], ['pending', 'pending']);
  gone.abort();
  assert.deepEqual([await state(whole), await state(early)], ['pending', 'resolved']);
  t.mock.timers.tick(1);
  assert.equal(await state(whole), 'resolved');
  assert.equal(await state(sleep(10, gone.signal)), 'resolved', 'a signal that is aborted already');
});

test('a pause leaves neither a timer nor a listener behind', async (t) => {
  const cleared = t.mock.method(globalThis, 'clearTimeout');
  const { signal } = new AbortController();
  await sleep(0, signal);
  await settle();
  assert.deepEqual([getEventListeners(signal, 'abort').length, cleared.mock.callCount()], [0, 1]);
});
