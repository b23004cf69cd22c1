// Tests of the report's arithmetic: `node --test tests/bench/statistics.test.mjs`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growth } from './growth.mjs';
import { figure, quantile, unmeasured } from './statistics.mjs';

test('quantiles lie between the two nearest samples', () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([4, 1, 2, 3], 0.5), 2.5);
  assert.equal(quantile([0, 10], 0.99), 9.9);
  assert.equal(quantile([7], 0.25), 7);
});

test('a ratio is the median of the ratios of pairs, so a slow minute that strikes both sides of one does not count', () => {
  const line = figure({
    name: 'x',
    unit: 'ms',
    size: 1,
    against: 'y',
    value: [1, 1, 30],
    baseline: [2, 2, 60],
    goal: { ratio: true, atMost: 0.5 },
  });
  assert.deepEqual([line.value, line.baseline, line.ratio, line.spread.ratio], [1, 2, 0.5, [0.5, 0.5]]);
  assert.deepEqual([line.goal, line.met], ['ratio ≤ 0.5', true]);
});

test('a goal is met at its limit or not, by its operator', () => {
  const met = (goal) => figure({ name: 'x', unit: 'ms', size: 1, value: [8], goal: { value: true, ...goal } }).met;
  assert.deepEqual([met({ below: 8 }), met({ atMost: 8 }), met({ atLeast: 8 }), met({ atLeast: 9 })], [false, true, true, false]);
});

test('a goal for the ratio is not one for the value', () => {
  const line = figure({ name: 'x', unit: 'events/s', size: 1, value: [100], baseline: [10], goal: { ratio: true, atLeast: 5 } });
  assert.deepEqual([line.goal, line.met], ['ratio ≥ 5', true]);
  const slow = figure({ name: 'x', unit: 'events/s', size: 1, value: [100], baseline: [50], goal: { ratio: true, atLeast: 5 } });
  assert.equal(slow.met, false);
});

test('a missing measurement has no verdict', () => {
  const line = unmeasured({ name: 'x', unit: 'ms', size: 1, goal: 'ratio ≤ 1', reason: 'out of memory' });
  assert.deepEqual([line.value, line.met, line.note], [null, null, 'not measured: out of memory']);
});

test('under other conditions a goal is neither met nor missed', () => {
  const line = figure({ name: 'x', unit: 'ms', size: 1, value: [1], goal: { value: true, below: 8 }, judged: false, note: 'why' });
  assert.deepEqual([line.value, line.goal, line.met, line.note], [1, 'value < 8', null, 'why']);
});

test('growth compares the cost of one object', () => {
  const of = (name, against) => (size, value, baseline) => figure({ name, unit: 'ms', size, against, value: [value], baseline: [baseline] });
  const memory = of('memory, all in', 'JSON on the wire');
  const [line] = growth([memory(1000, 9, 1), memory(10_000, 100, 1), memory(100_000, 1500, 1)]);
  assert.deepEqual([line.value, line.baseline, line.ratio, line.met, line.size], [15, 10, 1.5, false, 100_000]);
  assert.deepEqual(growth([memory(10_000, 100, 1)]), []);
  // The server's part is reported, but has no goal.
  const sync = of('sync', 'download');
  const [told] = growth([sync(10_000, 100, 50), sync(100_000, 1500, 750)]);
  assert.deepEqual([told.ratio, told.met, told.note], [1.5, null, 'the bare download grows by 1.50']);
});
