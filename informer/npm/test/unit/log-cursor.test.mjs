// Cursor of a log: a resumed log continues without gap or duplicate, also after a rotation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, line, texts } from './log-stage.mjs';
import { Cursor } from '../../src/client/log-cursor.js';
import { instant } from '../../src/client/log-lines.js';

test('a resumed log has no gap and no duplicate, also between equal timestamps and streams out of order', () => {
  const log = [line(at(1), 'a'), line(at(2, '9'), 'b'), line(at(2, '5'), 'c'), line(at(2, '9'), 'b'), line(at(2, '9'), 'd'), line(at(3), 'e'), line(at(2, '99'), 'f'), line(at(4), 'g')];
  for (let drop = 0; drop <= log.length; drop++) {
    const cursor = new Cursor();
    for (const one of log.slice(0, drop)) cursor.note(one);
    const since = drop === 0 ? -Infinity : instant(cursor.since)[0];
    // As the kubelet does it: each line for itself.
    const again = log.filter(({ time }) => instant(time)[0] >= since);
    for (const size of [1, 3, 10]) {
      const { filter, rest } = cursor.resume();
      const passed = [];
      for (let start = 0; start < again.length; start += size) passed.push(...filter(again.slice(start, start + size)));
      passed.push(...rest());
      // A line older than the second of the drop is indistinguishable from a delivered one.
      const expected = log.slice(drop).filter(({ time }) => instant(time)[0] >= since);
      assert.deepEqual(texts(passed), texts(expected), `dropped after ${drop}, ${size} at a time`);
    }
  }
});

test('after a rotation only later lines pass', () => {
  const cursor = new Cursor();
  for (const text of ['a', 'b', 'c']) cursor.note(line(at(5, '1'), text));
  const { filter, rest } = cursor.resume();
  assert.deepEqual(texts(filter([line(at(5, '2'), 'd'), line(at(6), 'e')])), []);
  assert.deepEqual(texts(filter([line(at(7), 'f'), line(at(8), 'g')])), ['d', 'e', 'f', 'g']);
  assert.deepEqual(rest(), []);
});

test('after a rotation only later lines pass, however they are cut', () => {
  for (const size of [1, 2, 5]) {
    const cursor = new Cursor();
    for (const text of ['a', 'b', 'c']) cursor.note(line(at(5, '1'), text));
    const { filter } = cursor.resume();
    const log = [line(at(5, '05'), 'x'), line(at(5, '06'), 'y'), line(at(5, '07'), 'z'), line(at(5, '08'), 'old'), line(at(5, '2'), 'new')];
    const passed = [];
    for (let start = 0; start < log.length; start += size) passed.push(...filter(log.slice(start, start + size)));
    assert.deepEqual(texts(passed), ['new'], `${size} at a time`);
  }
});

/** A cursor that has delivered these lines. */
const cursorAfter = (...lines) => {
  const cursor = new Cursor();
  for (const one of lines) cursor.note(one);
  return cursor;
};

test('the time to resume from is the second of the last line', () => {
  assert.equal(cursorAfter().since, undefined);
  assert.equal(cursorAfter(line(null, 'x')).since, undefined);
  assert.equal(cursorAfter(line(at(1, '9'), 'a'), line(at(2, '5'), 'b')).since, at(2));
  assert.equal(cursorAfter(line(at(2), 'a'), line(at(1), 'late'), line(null, 'x')).since, at(2), 'an older one moves nothing');
});

test('a line without a time passes once the place is found, and does not count before', () => {
  const cursor = cursorAfter(line(at(1), 'a'), line(at(1), 'b'));
  const { filter, rest } = cursor.resume();
  assert.deepEqual(texts(filter([line(null, 'x'), line(at(1), 'a'), line(null, 'y')])), []);
  assert.deepEqual(texts(filter([line(null, 'z'), line(at(1), 'b'), line(null, 'v'), line(at(2), 'c')])), ['v', 'c']);
  assert.deepEqual(texts(filter([line(null, 'w')])), ['w']);
  assert.deepEqual(rest(), []);
});

test('lines from before the second do not count', () => {
  const { filter } = cursorAfter(line(at(2), 'a'), line(at(2), 'b')).resume();
  assert.deepEqual(texts(filter([line(at(1), 'old'), line(at(1), 'older'), line(at(2), 'a'), line(at(2), 'b'), line(at(2), 'c')])), ['c']);
});

test('what is held when the log ends passes if it is later', () => {
  const { filter, rest } = cursorAfter(line(at(2), 'a'), line(at(2), 'b')).resume();
  assert.deepEqual(texts(filter([line(at(2, '5'), 'c')])), []);
  assert.deepEqual(texts(rest()), ['c']);
  const known = cursorAfter(line(at(2), 'a'), line(at(2), 'b')).resume();
  known.filter([line(at(2), 'a')]);
  assert.deepEqual(known.rest(), []);
});

test('a line that is two seconds later shows that the log was rotated, and one second does not', () => {
  const { filter } = cursorAfter(line(at(2), 'a'), line(at(2), 'b'), line(at(2), 'c')).resume();
  assert.deepEqual(texts(filter([line(at(3, '9'), 'd')])), []);
  assert.deepEqual(texts(filter([line(at(4), 'e'), line(at(1), 'old')])), ['d', 'e']);
  assert.deepEqual(texts(filter([line(at(2), 'older'), line(null, 'x'), line(at(5), 'f')])), ['x', 'f']);
});

test('of another run all lines pass that are later than the last one', () => {
  const cursor = cursorAfter(line(at(2), 'a'), line(at(2), 'b'));
  cursor.startRun();
  const { filter, rest } = cursor.resume();
  assert.deepEqual(texts(filter([line(at(1), 'old'), line(at(2), 'b'), line(null, 'x'), line(at(2, '1'), 'c')])), ['x', 'c']);
  assert.deepEqual([rest(), cursor.since], [[], at(2)]);
  assert.deepEqual(texts(new Cursor().resume().filter([line(at(1), 'a'), line(null, 'x')])), ['a', 'x']);
});
