// Lines of a log: out of bytes that are cut anywhere, of limited length, and with their timestamps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, bytes, texts } from './log-stage.mjs';
import { instant, isLater, LineSplitter, secondsOf, stamped } from '../../src/client/log-lines.js';

test('lines are the same wherever the bytes are cut', () => {
  const all = bytes('one\n\nthrée 🙂\nfour\r\nlast');
  for (let first = 0; first <= all.length; first++) {
    for (let second = first; second <= all.length; second += 3) {
      const splitter = new LineSplitter(1000);
      const lines = [all.subarray(0, first), all.subarray(first, second), all.subarray(second)].flatMap((part) => splitter.push(part));
      assert.deepEqual(texts(lines), ['one', '', 'thrée 🙂', 'four\r']);
      assert.deepEqual(texts(splitter.end()), ['last']);
      assert.deepEqual(splitter.end(), []);
    }
  }
});

test('a long line is cut in bounded memory, with the number of missing bytes', () => {
  for (const piece of [7, 64 << 10, 10 << 20]) {
    const splitter = new LineSplitter(1000);
    const lines = [];
    for (let sent = 0; sent < 10 << 20; sent += piece) lines.push(...splitter.push(new Uint8Array(Math.min(piece, (10 << 20) - sent)).fill(97)));
    lines.push(...splitter.push(bytes('\nnext\n')));
    assert.deepEqual(lines.map(({ text, cut }) => [text.length, cut]), [[1000, (10 << 20) - 1000], [4, 0]]);
    if (piece === 7) continue;
    assert.deepEqual(new LineSplitter(4).push(bytes('ééé\n')).map(({ text, cut }) => [text, cut]), [['éé', 2]]);
  }
});

test('bytes that are no text do not break a log', () => {
  const splitter = new LineSplitter(1000);
  assert.deepEqual(texts(splitter.push(Uint8Array.of(0, 255, 254, 10, 65, 10))), ['\u0000\uFFFD\uFFFD', 'A']);
});

test('timestamps are split off, and compare by their value', () => {
  assert.deepEqual(stamped({ text: `${at(1, '5')} hello world`, cut: 3 }), { time: at(1, '5'), text: 'hello world', cut: 3 });
  assert.deepEqual(stamped({ text: at(1), cut: 0 }), { time: at(1), text: '', cut: 0 });
  assert.deepEqual(stamped({ text: 'rpc error', cut: 0 }), { time: null, text: 'rpc error', cut: 0 });
  // As text, "…1Z" would come after "…12Z".
  assert.ok(isLater(instant(at(1, '12')), instant(at(1, '1'))));
  assert.ok(isLater(instant('2026-01-01T01:00:00+01:00'), instant('2025-12-31T23:59:59Z')));
  assert.deepEqual(instant('2026-01-01T02:00:00.5+02:00'), instant('2026-01-01T00:00:00.500Z'));
});

test('a timestamp is read alike whichever second stood before it', () => {
  const all = ['2026-01-01T00:00:01.5Z', '2026-01-01T00:00:01.000000007Z', '2026-01-01T00:00:01Z', '2026-01-01T00:00:01.1234567891Z', '2026-01-01T00:00:01.5+00:00', '2026-01-01T00:00:02.25Z'];
  const read = (time) => [instant(time), secondsOf(time), stamped({ text: `${time} x`, cut: 0 }), stamped({ text: time, cut: 0 })];
  const alone = (time) => {
    instant('1999-12-31T23:59:59Z');
    return read(time);
  };
  for (const before of all) {
    for (const time of all) {
      const expected = alone(time);
      instant(before);
      assert.deepEqual(read(time), expected, `${time} after ${before}`);
      assert.deepEqual(expected[2], { time, text: 'x', cut: 0 });
    }
  }
  assert.deepEqual(instant('2026-01-01T00:00:01.1234567891Z'), [1767225601, 123456789]);
  for (const text of ['2026-01-01T00:00:02.Z x', '2026-01-01T00:00:02.5Zx', '2026-01-01T00:00:02.5 x']) {
    instant(all.at(-1));
    assert.equal(stamped({ text, cut: 0 }).time, null, text);
  }
});

test('lines of one second are read without the expression, which is slow', (t) => {
  const times = ['.5', '.0', '.9', '.019283746', '.000000007', '.1234567891'].map((fraction) => `2026-01-01T00:00:03${fraction}Z`);
  const exec = t.mock.method(RegExp.prototype, 'exec');
  const begun = exec.mock.callCount();
  const seconds = times.flatMap((time) => [stamped({ text: `${time} x`, cut: 0 }), stamped({ text: time, cut: 0 }), instant(time), secondsOf(time)]);
  const count = exec.mock.callCount() - begun;
  assert.deepEqual([count, seconds.length], [1, 24]);
});

test('the first timestamp of all is read like each other', async () => {
  const time = '2026-01-01T00:00:01.5Z';
  for (const [name, read] of [['instant', ({ instant: first }) => first(time)], ['secondsOf', ({ secondsOf: first }) => [first(time), 500_000_000]]]) {
    assert.deepEqual(read(await import(`../../src/client/log-lines.js?${name}`)), [1_767_225_601, 500_000_000], name);
  }
});

test('a second of another zone is not that of this one', () => {
  assert.deepEqual(instant('2026-01-01T01:00:00.5+01:00'), [1_767_225_600, 500_000_000]);
  assert.deepEqual(instant('2026-01-01T01:00:00.5Z'), [1_767_229_200, 500_000_000]);
  assert.deepEqual(instant('2026-01-01T01:00:00Z'), [1_767_229_200, 0]);
  assert.equal(secondsOf('2026-01-01T01:00:00-01:00'), 1_767_232_800);
});

test('a text that begins with no timestamp has no instant', () => {
  for (const text of ['at 2026-01-01T00:00:01Z x', '2026-01-01 00:00:01Z x', '']) {
    assert.deepEqual(stamped({ text, cut: 1 }), { time: null, text, cut: 1 });
    assert.deepEqual([secondsOf(text), ...instant(text)], [NaN, NaN, NaN]);
  }
});

test('an instant is later by its seconds, and by its nanoseconds within one', () => {
  assert.deepEqual([isLater([2, 0], [1, 9]), isLater([1, 9], [2, 0]), isLater([1, 2], [1, 1]), isLater([1, 1], [1, 1]), isLater([1, 1], [1, 2])], [true, false, true, false, false]);
});

test('a line of exactly the limit is whole, in one piece and in two', () => {
  for (const [text, limit] of [['abcd', 4], ['abc', 4], ['éé', 4], ['€', 3], ['ab', 6]]) {
    const all = bytes(`${text}\n`);
    assert.deepEqual(new LineSplitter(limit).push(all), [{ text, cut: 0 }], text);
    const splitter = new LineSplitter(limit);
    assert.deepEqual([...splitter.push(all.subarray(0, 1)), ...splitter.push(all.subarray(1))], [{ text, cut: 0 }], text);
  }
  assert.deepEqual(new LineSplitter(3).push(bytes('abcd\nab\n')), [{ text: 'abc', cut: 1 }, { text: 'ab', cut: 0 }]);
});
