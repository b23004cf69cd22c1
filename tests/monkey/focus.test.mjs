// Detection of a lost focus, and the report of findings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dice } from '../support/dice.mjs';
import { Findings } from './findings.mjs';
import { Focus } from './focus.mjs';
import { draw } from './input.mjs';

const has = (...layers) => ({ layers, holding: layers, isLost: false });
const beside = (...layers) => ({ layers, holding: [], isLost: false });
const none = (...layers) => ({ layers, holding: [], isLost: true });

test('a layer that closes and leaves the focus to the body has lost it', () => {
  assert.deepEqual(new Focus().lost(has('drawer', 'details'), none('details')), ['drawer']);
  assert.deepEqual(new Focus().lost(has('drawer'), none()), ['drawer']);
});

test('a layer that did not have the focus cannot lose it', () => {
  assert.deepEqual(new Focus().lost({ layers: ['drawer', 'help'], holding: ['help'], isLost: false }, none('help')), []);
});

test('a layer without the focus cannot lose it, nor one that keeps it', () => {
  assert.deepEqual(new Focus().lost(none('drawer'), none()), []);
  assert.deepEqual(new Focus().lost(has('drawer'), has()), []);
});

test('an element beside the layers that goes with the focus has lost it', () => {
  assert.deepEqual(new Focus().lost(has(), none()), ['the element that had it']);
  assert.deepEqual(new Focus().lost(beside('drawer'), none('drawer')), ['the element that had it']);
  assert.deepEqual(new Focus().lost(has(), none(), true), []);
  assert.deepEqual(new Focus().lost(has(), none(), false, true), [], 'Tab leaves the page');
});

test('a layer that was opened while nothing had the focus has nowhere to give it back to', () => {
  const focus = new Focus();
  focus.note(none(), has('help'));
  assert.deepEqual(focus.lost(has('help'), none()), []);
  focus.note(has(), has('help'));
  assert.deepEqual(focus.lost(has('help'), none()), ['help']);
  assert.deepEqual(focus.lost(has('help'), none(), true), [], 'what was done may take it');
});

test('the same seed draws the same actions', () => {
  const names = (seed) => Array.from({ length: 50 }, (_, at) => draw(dice(seed + at)).name).join();
  assert.equal(names(7), names(7));
  assert.notEqual(names(7), names(8_000));
});

test('findings that differ in numbers only are one', (t) => {
  t.mock.method(console, 'log', () => {});
  const findings = new Findings();
  findings.add('console', 'row 7 is gone\nat x');
  findings.add('console', 'row 9 is gone\nat y');
  findings.add('focus', 'lost');
  assert.ok(findings.has('focus') && !findings.has('crash'));
  assert.deepEqual(findings.tell('SEED=1'), { passed: 5, failed: 2 });
});
