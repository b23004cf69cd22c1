// Verdict on a series of measurements: a leak is detected, noise is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, median, trend } from './verdict.mjs';

const series = (of) => Array.from({ length: 60 }, (_, at) => of(at));
// A saw of ±2 %, and now and then twice as much as usual.
const noise = (at) => 1 + 0.02 * Math.sin(at * 2.4);
const burst = (at) => (at % 13 === 12 ? 2 : 1);

test('noise and bursts are flat', () => {
  assert.ok(judge(series((at) => 100 * noise(at)), 0).isFlat);
  assert.ok(judge(series((at) => 100 * noise(at) * burst(at)), 0).isFlat);
});

test('a leak is not, however noisy, and however late it begins', () => {
  assert.ok(!judge(series((at) => 100 * noise(at) * burst(at) + at / 4), 0).isFlat);
  assert.ok(!judge(series((at) => 100 * noise(at) + (at > 40 ? 8 : 0)), 0).isFlat);
  assert.ok(!judge(series((at) => 100 * noise(at) - at / 4), 0).isFlat, 'nor is what falls');
});

test('a small value may change by the slack, and changes during the warm-up are ignored', () => {
  assert.ok(judge(series((at) => 1 + at / 100), 1).isFlat);
  assert.ok(!judge(series((at) => 1 + at / 100), 0.1).isFlat);
  assert.ok(judge(series((at) => (at < 12 ? at : 100)), 0).isFlat);
});

test('medians and trends are correct', () => {
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3])], [2, 2.5]);
  assert.deepEqual([trend([1, 2, 3, 4]), trend([5])], [3, 0]);
});
