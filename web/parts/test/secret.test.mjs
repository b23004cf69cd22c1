// Secrets in the editor without a page: masking, parsing of the text, and the request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairOf, plainForm, secretForm } from '../src/form.js';
import { MASK, encode, fill, hidden, hide, pair, replace, reviewSecret, revealedValue, scrub, textOf } from '../src/secret.js';
import { parse } from '../src/yaml.js';

const BINARY = Buffer.from([0xff, 0, 0x80]).toString('base64');
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const BASE = {
  apiVersion: 'v1', kind: 'Secret',
  metadata: { name: 's', namespace: 'n', uid: 'u', resourceVersion: '7', annotations: { [LAST_APPLIED]: '{"password":"hunter2"}', note: 'plain' } },
  data: { password: encode('hunter2'), file: encode('line 1\nline 2\n'), key: BINARY },
  type: 'Opaque',
};
const VALUES = ['hunter2', encode('hunter2'), 'line 1', encode('line 1\nline 2\n'), BINARY];
const assertNoValue = (text) => VALUES.forEach((value) => assert.ok(!text.includes(value), `${value} in ${text}`));
const read = (text, base = BASE, revealed = new Set()) => fill(parse(text).documents[0].object, text, base, revealed);

test('the text of an edit has no value, and parses to the unchanged Secret', () => {
  const text = hide(BASE);
  assertNoValue(text);
  assert.match(text, /^stringData:\n {2}password: •{8}\n {2}file: •{8}\ndata:\n {2}key: •{8}\n$/m);
  assert.match(text, /note: plain/);
  const { object, problems } = read(text);
  assert.deepEqual(problems, []);
  assert.deepEqual(object.data, BASE.data);
  assert.equal(object.stringData, undefined);
  assert.equal(object.metadata.annotations[LAST_APPLIED], BASE.metadata.annotations[LAST_APPLIED]);
});

test('bytes that are not text stay base64', () => {
  assert.equal(textOf(encode('größe\t1\n')), 'größe\t1\n');
  for (const bytes of [BINARY, encode('a\u0000b'), 'not base64!', 7]) assert.equal(textOf(bytes), null);
});

test('a placeholder that was changed is an error with its line, and names no value', () => {
  const text = hide(BASE);
  const line = (found) => text.split('\n').findIndex((one) => one.includes(found)) + 1;
  const damaged = read(text.replace(`password: ${MASK}`, `password: ${MASK}x`));
  assert.deepEqual(damaged.problems.map(({ line, column }) => ({ line, column })), [{ line: line('password'), column: 3 }]);
  assert.match(damaged.problems[0].message, /The placeholder of password was changed/);
  const short = read(text.replace(`key: ${MASK}`, 'key: ••'));
  assert.match(short.problems[0].message, /The placeholder of key was changed/);
  const renamed = read(text.replace(`password: ${MASK}`, `pass: ${MASK}`));
  assert.match(renamed.problems[0].message, /no key pass\./);
  const annotation = read(text.replace(`configuration: ${MASK}`, 'configuration: •••x'));
  assert.match(annotation.problems[0].message, /placeholder of this annotation/);
  assert.deepEqual(read(text.replace(`password: ${MASK}`, 'password: a••b'), BASE, new Set(['password'])).problems, [], 'in a revealed value these characters are part of the value');
});

test('invalid content of a Secret is an error before it is sent', () => {
  const of = (from, to) => read(hide(BASE).replace(from, to)).problems.map(({ message }) => message).join();
  assert.match(of(`password: ${MASK}`, 'password: 123'), /must be text/);
  assert.match(of(`key: ${MASK}`, 'key: "***"'), /not base64/);
  assert.match(of(`key: ${MASK}`, `key: ${MASK}\n  password: ${MASK}`), /in data, too/);
  assert.match(of(/stringData:[^]*data:/, 'stringData: text\ndata:'), /map of keys/);
});

test('revealed values are edited as they are, and hidden again', () => {
  let text = hide(BASE);
  const reveal = (key, value) => (text = replace(text, parse(text).documents[0].object, key, value));
  reveal('password', revealedValue(BASE, 'password'));
  reveal('file', revealedValue(BASE, 'file'));
  reveal('key', revealedValue(BASE, 'key'));
  assert.match(text, /stringData:\n {2}password: hunter2\n {2}file: \|\n {4}line 1\n {4}line 2\ndata:\n {2}key: \/wCA\n/);
  assert.deepEqual(hidden(parse(text).documents[0].object, BASE), { masked: [], revealed: ['password', 'file', 'key'] });
  assert.deepEqual(read(text).object.data, BASE.data);
  for (const key of ['file', 'password', 'key']) reveal(key, MASK);
  assert.equal(text, hide(BASE));
});

test('a comparison detects differences, and shows revealed values only', () => {
  const other = { ...BASE, data: { ...BASE.data, password: encode('swordfish'), added: encode('new') } };
  const [before, after] = pair(BASE, other);
  assertNoValue(before + after);
  assert.ok(!/swordfish|: new/.test(after));
  assert.match(before, /password: •{8} \(7 bytes, one value\)/);
  assert.match(after, /password: •{8} \(9 bytes, another value\)/);
  const same = (text) => text.split('\n').filter((line) => /file|key:/.test(line));
  assert.deepEqual(same(before), same(after));
  const [, shown] = pair(BASE, other, new Set(['password']));
  assert.match(shown, /password: swordfish/);
  assertNoValue(pairOf(null, BASE)[1]);
  assert.equal(pairOf(null, BASE)[0], '');
});

/** A client that records its requests; the server has the Secret `live`. */
function clientOf(live) {
  const calls = [];
  const record = (name) => async (...args) => (calls.push([name, ...args]), live);
  return { calls, get: async () => live ?? Promise.reject(Object.assign(new Error('absent'), { code: 'not-found' })), patch: record('patch'), create: record('create') };
}

test('only changes are sent, with the reviewed version', async () => {
  const { object } = read(hide(BASE).replace(`password: ${MASK}`, 'password: swordfish').replace(/ {2}file: .*\n/, ''));
  const client = clientOf({ ...BASE, metadata: { ...BASE.metadata, resourceVersion: '9' } });
  const reviewed = await reviewSecret(client, { object }, { base: BASE, ref: {} });
  assert.deepEqual(reviewed.patch, { metadata: { uid: 'u', resourceVersion: '9' }, data: { password: encode('swordfish'), file: null } });
  assert.equal(client.calls[0][3].dryRun, true);
});

test('a change of others is overwritten only with force', async () => {
  const live = { ...BASE, data: { ...BASE.data, password: encode('theirs'), key: encode('other') } };
  const { object } = read(hide(BASE).replace(`password: ${MASK}`, 'password: mine'));
  const failed = await reviewSecret(clientOf(live), { object }, { base: BASE, ref: {} }).catch((error) => error);
  assert.deepEqual(failed.conflicts.map(({ field }) => field), ['.data.password'], 'the change of a value that the user did not edit is no conflict');
  const taken = await reviewSecret(clientOf(live), { object }, { base: BASE, ref: {}, force: true });
  assert.deepEqual(taken.patch.data, { password: encode('mine') });
});

test('a deleted Secret is created again only without its uid', async () => {
  const { object } = read(hide(BASE));
  await assert.rejects(reviewSecret(clientOf(null), { object }, { base: BASE, ref: {} }), { code: 'gone' });
  const client = clientOf(null);
  await reviewSecret(client, { object: read(hide(BASE).replace(/ {2}uid: u\n/, '')).object }, { base: BASE, ref: {} });
  assert.deepEqual(client.calls[0][1].data, BASE.data);
});

test('a Secret that was replaced is not written, with or without force', async () => {
  const other = { ...BASE, metadata: { ...BASE.metadata, uid: 'v' } };
  for (const text of [hide(BASE), hide(BASE).replace(/ {2}uid: u\n/, '')]) {
    for (const force of [false, true]) {
      const client = clientOf(other);
      await assert.rejects(reviewSecret(client, { object: read(text).object }, { base: BASE, ref: {}, force }), {
        message: 'The Secret was replaced by another one of the same name. Start again from the current state.', status: 409,
      });
      assert.deepEqual(client.calls, []);
    }
  }
});

test('an error of the server is shown without values', () => {
  const error = Object.assign(new Error(`invalid: "hunter2", ${encode('hunter2')}`), { status: 422, causes: [{ field: 'data', message: `has ${BINARY}` }] });
  const shown = scrub(error, [BASE, null]);
  assertNoValue(JSON.stringify(shown));
  assert.equal(shown.status, 422);
  // Quoted as in Go.
  const quoted = scrub(new Error('Invalid value: "line 1\\nline 2\\n"'), [BASE]);
  assert.equal(quoted.message, `Invalid value: "${MASK}"`);
  assert.deepEqual(scrub({ causes: [{ field: 'data' }] }, [BASE]).causes, [{ field: 'data', message: '' }]);
});

test('a warning of the server is shown without values, also new ones', () => {
  const form = secretForm(null);
  const { text } = form.open(JSON.stringify(BASE));
  form.read(text.replace(`password: ${MASK}`, 'password: swordfish'));
  assert.equal(form.warning(`weak: "swordfish", was hunter2, ${encode('swordfish')}`), `weak: "${MASK}", was ${MASK}, ${MASK}`);
  assert.equal(plainForm().warning('weak: hunter2'), 'weak: hunter2');
});

test('a form compares a newer state, and reads back the text that it opened', () => {
  const form = secretForm(null);
  const opened = form.open(JSON.stringify(BASE));
  assertNoValue(opened.text);
  const later = form.peek(JSON.stringify({ ...BASE, metadata: { ...BASE.metadata, resourceVersion: '8' } }));
  assert.equal(later.state, opened.state, 'a new version alone is no change');
  assert.notEqual(form.peek(JSON.stringify({ ...BASE, data: {} })).state, opened.state);
  assert.deepEqual([form.versionOf(JSON.stringify(BASE)), form.versionOf('')], ['7', null]);
  assert.deepEqual(form.read(opened.text).documents[0].object.data, BASE.data);
});
