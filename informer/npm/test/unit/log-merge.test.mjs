// Merge of logs by time: slow and busy sources, backpressure and memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { settle, until } from './engine.mjs';
import { at, line, stopClock, texts } from './log-stage.mjs';
import { Merge } from '../../src/client/log-merge.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

test('a merge is in the order of time, also with slow sources', async (t) => {
  stopClock(t);
  const merge = new Merge();
  async function* source(pieces) {
    for (const piece of pieces) {
      if (typeof piece === 'number') for (let turn = 0; turn < piece; turn++) await settle();
      else yield piece;
    }
  }
  const adding = [
    merge.add(source([[line(at(1), 'a1'), line(at(4), 'a4')], 40, [line(at(7), 'a7')]]), { pod: 'a' }),
    merge.add(source([20, [line(at(2), 'b2'), line(null, 'b?')], 20, [line(at(3), 'b3'), line(at(9), 'b9')]]), { pod: 'b' }),
    merge.add(source([]), { pod: 'c' }),
  ];
  Promise.all(adding).then(() => merge.finish());
  const lines = [];
  for await (const batch of merge) lines.push(...batch);
  assert.deepEqual(texts(lines), ['a1', 'b2', 'b?', 'b3', 'a4', 'a7', 'b9']);
  assert.deepEqual([lines[0].pod, lines[1].pod], ['a', 'b']);
});

test('a merge waits for the past of a log whose connection is being opened', async (t) => {
  stopClock(t);
  const merge = new Merge();
  const [fast, slow] = [{ pod: 'fast' }, { pod: 'slow' }];
  let open;
  const opening = new Promise((resolve) => (open = resolve));
  async function* late() {
    await opening;
    merge.opened(slow);
    yield [line(at(1), 'slow 1'), line(at(3), 'slow 3')];
  }
  async function* early() {
    yield [line(at(2), 'fast 2')];
    // Longer than a log may be quiet; then the merge looks again.
    t.mock.timers.tick(400);
    await new Promise((resolve) => setTimeout(resolve, 400));
    open();
  }
  Promise.all([merge.add(early(), fast, { past: true }), merge.add(late(), slow, { past: true })]).then(() => merge.finish());
  const lines = [];
  for await (const batch of merge) lines.push(...batch);
  assert.deepEqual(texts(lines), ['slow 1', 'fast 2', 'slow 3']);
});

test('a merge of many busy logs is in order, and keeps no line that was taken', async (t) => {
  stopClock(t);
  const merge = new Merge();
  const logs = Array.from({ length: 7 }, (_, of) => of);
  async function* busy(of) {
    for (let start = 0; start < 30_000; start += 1000) {
      yield Array.from({ length: 1000 }, (_, number) => line(at(1, `${(start + number) * 7 + of}`.padStart(9, '0')), `${of}`));
    }
  }
  Promise.all(logs.map((of) => merge.add(busy(of), { pod: `${of}` }))).then(() => merge.finish());
  let [count, last] = [0, ''];
  for await (const batch of merge) {
    for (const { time, pod, text } of batch) {
      assert.ok(time > last && pod === text);
      last = time;
      count++;
    }
  }
  assert.equal(count, 210_000);
});

test('a merge that is not read holds back what comes', async () => {
  const merge = new Merge();
  let made = 0;
  async function* endless() {
    for (;;) {
      made++;
      yield Array.from({ length: 1000 }, () => line(at(1), 'x'));
    }
  }
  const adding = merge.add(endless(), {});
  await until(() => made === 21);
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.equal(made, 21);
  merge.close();
  await adding;
});

test('a merge keeps no line that was taken, also of a log that never runs dry', async () => {
  const merge = new Merge();
  async function* endless() {
    for (;;) yield Array.from({ length: 1000 }, () => line(at(1), 'x'));
  }
  const adding = merge.add(endless(), {});
  const taken = [];
  for await (const batch of merge) {
    taken.push(new WeakRef(batch[0]));
    // Let more lines come, so that there are always some left.
    await settle();
    if (taken.length === 60) break;
  }
  merge.close();
  await settle();
  collectGarbage();
  const kept = taken.filter((ref) => ref.deref()).length;
  assert.ok(kept < 20, `the first lines of ${kept} of 60 batches are kept`);
  await adding;
});

/** A log that the test writes: `write()` batches, `end()` it, or `fail()` it. */
function written() {
  const waiting = [];
  let wake = () => {};
  const put = (entry) => {
    waiting.push(entry);
    wake();
  };
  async function* batches() {
    for (;;) {
      while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
      const { lines, error } = waiting.shift();
      if (error) throw error;
      if (!lines) return;
      yield lines;
    }
  }
  return { batches: batches(), write: (...lines) => put({ lines }), end: () => put({}), fail: (error) => put({ error }) };
}

/** A merge whose clock the test moves: `batches` are those it has delivered. */
function merging(t) {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1e12 });
  const merge = new Merge();
  const stage = { merge, batches: [], isOver: false };
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await settle();
  };
  (async () => {
    for await (const batch of merge) stage.batches.push(texts(batch));
  })().then(() => (stage.isOver = true), (error) => (stage.error = error));
  /** Lets time pass, in steps in which the merge looks. */
  stage.passes = async (ms) => {
    await turns();
    for (let left = ms; left > 0; left -= 125) {
      t.mock.timers.tick(Math.min(125, left));
      await turns();
    }
  };
  stage.add = (origin, options) => {
    const log = written();
    log.added = merge.add(log.batches, origin, options);
    log.added.catch(() => {});
    return log;
  };
  return stage;
}

test('a log that is quiet for a quarter of a second is not waited for', async (t) => {
  const { add, batches, passes } = merging(t);
  const [busy, quiet] = [add({}), add({})];
  busy.write(line(at(2), 'busy'));
  await passes(125);
  assert.deepEqual(batches, []);
  await passes(125);
  assert.deepEqual(batches, [['busy']]);
  // Each batch of a log lets the merge wait for it again.
  quiet.write(line(at(1), 'late'));
  await passes(0);
  busy.write(line(at(3), 'next'));
  await passes(0);
  assert.deepEqual(batches, [['busy'], ['late']]);
  await passes(250);
  assert.deepEqual(batches, [['busy'], ['late'], ['next']]);
});

test('the past of a log is waited for up to two seconds, or until its connection is open', async (t) => {
  const { merge, add, batches, passes } = merging(t);
  const [busy, slow, other] = [add({}), { pod: 'slow' }, { pod: 'other' }];
  add(slow, { past: true });
  busy.write(line(at(1), 'a'));
  await passes(125);
  merge.opened(other);
  await passes(1_750);
  assert.deepEqual(batches, []);
  await passes(125);
  assert.deepEqual(batches, [['a']]);
  add(other, { past: true });
  busy.write(line(at(2), 'b'));
  await passes(250);
  merge.opened(other);
  await passes(125);
  assert.equal(batches.length, 1);
  await passes(125);
  assert.deepEqual(batches, [['a'], ['b']]);
  // A connection that opens again, later, is no reason to wait.
  busy.write(line(at(3), 'c'));
  merge.opened(other);
  await passes(0);
  assert.deepEqual(batches.at(-1), ['c']);
});

test('a log that has ended is not waited for, and its lines are delivered', async (t) => {
  const { merge, add, batches, passes } = merging(t);
  const [first, second] = [add({}), add({})];
  first.write(line(at(1), 'a'), line(at(4), 'd'));
  second.write(line(at(2), 'b'));
  await passes(0);
  assert.deepEqual(batches, [['a', 'b']], 'the second may have more in a moment');
  second.end();
  await passes(0);
  assert.deepEqual(batches, [['a', 'b'], ['d']]);
  first.end();
  merge.finish();
  await passes(0);
  await second.added;
});

test('a merge of nothing ends when no log will come', async (t) => {
  const stage = merging(t);
  await stage.passes(1000);
  assert.equal(stage.isOver, false);
  stage.merge.finish();
  await stage.passes(0);
  assert.equal(stage.isOver, true);
});

test('a merge that is finished reads each log to its end, and fails if it was said to', async (t) => {
  const stage = merging(t);
  const log = stage.add({});
  stage.merge.finish(new Error('all have failed'));
  log.write(line(at(1), 'a'));
  await stage.passes(500);
  assert.deepEqual([stage.batches, stage.error], [[['a']], undefined]);
  log.fail(new Error('of this log'));
  await stage.passes(0);
  assert.equal(stage.error.message, 'all have failed');
  await assert.rejects(log.added, { message: 'of this log' });
});

test('a merge that is closed ends at once, or with an error, and takes no more lines', async (t) => {
  for (const error of [undefined, new Error('left')]) {
    const stage = merging(t);
    const log = stage.add({});
    await stage.passes(0);
    stage.merge.close(error);
    await stage.passes(0);
    assert.deepEqual([stage.isOver, stage.error], [!error, error]);
    log.write(line(at(1), 'a'));
    await log.added;
    t.mock.timers.reset();
  }
});

test('a batch has at most two thousand lines', async (t) => {
  const { add, batches, passes } = merging(t);
  add({}).write(...Array.from({ length: 4_001 }, (_, number) => line(at(1), `${number}`)));
  await passes(250);
  assert.deepEqual(batches.map(({ length }) => length), [2_000, 2_000, 1]);
  assert.deepEqual(batches.flat(), Array.from({ length: 4_001 }, (_, number) => `${number}`));
});

test('lines are in the order of their seconds and nanoseconds, of however many logs', async (t) => {
  const { add, batches, passes } = merging(t);
  const [first, second, third] = [add({}), add({}), add({})];
  first.write(line(at(1, '9'), '1.9'), line(at(5), '5'), line(at(8), '8'));
  second.write(line(at(3), '3'), line(at(7), '7'));
  third.write(line(at(2, '1'), '2.1'), line(at(9), '9'));
  await passes(500);
  assert.deepEqual(batches.flat(), ['1.9', '2.1', '3', '5', '7', '8', '9']);
});

test('a line without a time stays behind the one before it, and lines of one moment stay together', async (t) => {
  const { add, batches, passes } = merging(t);
  const [first, second] = [add({}), add({})];
  first.write(line(null, 'no time'), line(at(2), 'a1'), line(null, 'a2'), line(at(2), 'a3'), line(at(2, '000000002'), 'a4'));
  second.write(line(at(1), 'b0'), line(at(2), 'b1'), line(at(2, '000000001'), 'b2'));
  await passes(250);
  assert.deepEqual(batches.flat(), ['no time', 'b0', 'b1', 'a1', 'a2', 'a3', 'b2', 'a4']);
});

test('each line has its origin', async () => {
  const merge = new Merge();
  async function* one() {
    yield [{ ...line(at(1), 'a'), cut: 3 }];
  }
  merge.add(one(), { namespace: 'n', pod: 'p', container: 'c', other: 1 }).then(() => merge.finish());
  const lines = [];
  for await (const batch of merge) lines.push(...batch);
  assert.deepEqual(lines, [{ time: at(1), text: 'a', cut: 3, namespace: 'n', pod: 'p', container: 'c' }]);
});
