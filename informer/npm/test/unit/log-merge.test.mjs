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
