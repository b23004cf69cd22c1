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
