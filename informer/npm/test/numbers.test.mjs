// Integers beyond 2^53, decoded as requested, in browsers with and without source text access in `JSON.parse` revivers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reader } from '../src/numbers.js';

const { parse } = JSON;
/** Revivers: one that receives only the value, and that of a current browser. */
const revivers = { scan: (text, revive) => parse(text, revive && ((key, value) => revive(key, value))) };
if (parse('1', (_, value, context) => context?.source === '1')) revivers.source = parse;

const text = `{"large": 9007199254740993, "negative":-12345678901234567890,"list":[18446744073709551615,0],
  "fraction":1.0000000000000000001,"exponent":1e20,"safe":9007199254740991,"least":-9007199254740991,
  "text":"9007199254740993 \\" 9007199254740993","\\\\":"\\\\","#":"##9007199254740993","9007199254740993":true}`;

for (const [name, revive] of Object.entries(revivers)) {
  test(`large integers are what was asked for, and nothing else is touched (${name})`, (t) => {
    t.mock.method(JSON, 'parse', revive);
    const large = { large: '9007199254740993', negative: '-12345678901234567890', list: ['18446744073709551615', 0] };
    for (const [largeIntegers, read] of [['text', String], ['bigint', BigInt]]) {
      const expected = { ...parse(text), large: read(large.large), negative: read(large.negative), list: [read(large.list[0]), 0] };
      assert.deepEqual(reader(largeIntegers)(text), expected);
    }
    assert.deepEqual(reader('number')(text), parse(text));
  });
}

test('a text of a megabyte is no trouble', (t) => {
  t.mock.method(JSON, 'parse', revivers.scan);
  const value = { long: `${'\\"x'.repeat(400_000)}`, large: 1 };
  const { long, large } = reader('bigint')(JSON.stringify(value).replace(/1}$/, '9007199254740993}'));
  assert.deepEqual([long === value.long, large], [true, 9007199254740993n]);
});
