// Integers beyond 2^53, decoded as requested, in browsers with and without source text access in `JSON.parse` revivers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reader } from '../src/numbers.js';

const { parse } = JSON;
/** Revivers: one that receives only the value, and that of a current browser. */
const revivers = { scan: (text, revive) => parse(text, revive && ((key, value) => revive(key, value))) };
revivers.source = parse('1', (_, value, context) => context?.source === '1') ? parse : withSources;

/** `JSON.parse` of a current browser, in node 20: each number becomes an object with its source, which the reviver never sees. */
function withSources(text, revive) {
  if (!revive) return parse(text);
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs, (token) => (token[0] === '"' ? token : `{"source of a number":"${token}"}`));
  return parse(marked, (key, value) => {
    const source = value?.['source of a number'];
    if (source !== undefined) return revive(key, Number(source), { source });
    return key === 'source of a number' ? value : revive(key, value, {});
  });
}

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

test('a short text, and one without a large integer, are read as they are', (t) => {
  for (const revive of Object.values(revivers)) {
    const calls = t.mock.method(JSON, 'parse', revive).mock;
    const read = reader('bigint');
    const own = (given) => {
      const before = calls.callCount();
      const value = read(given);
      return [value, calls.calls.slice(before).map(({ arguments: args }) => [args[0], args.length]).filter(([text]) => text !== '1')];
    };
    assert.deepEqual(own('9007199254740993')[0], 9007199254740993n);
    assert.deepEqual(own('{"a":1,"b":"a text of more than sixteen characters"}'), [{ a: 1, b: 'a text of more than sixteen characters' }, [['{"a":1,"b":"a text of more than sixteen characters"}', 1]]]);
    const [, [[text]]] = own('[9007199254740993]');
    assert.equal(text === '[9007199254740993]', revive === revivers.source, 'a platform that hands out sources needs no marks');
    t.mock.restoreAll();
  }
});

test('an unknown way to read integers is an error, and by default they are numbers', () => {
  assert.equal(reader()('9007199254740993'), 9007199254740992);
  for (const wrong of ['BigInt', 'toString', null]) assert.throws(() => reader(wrong), { code: 'bad-request', message: '`largeIntegers` must be "number", "bigint" or "text"' });
});
