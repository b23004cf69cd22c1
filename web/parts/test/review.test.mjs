// Reviews of edits without a page: the requests, and that no change of others is reverted silently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reverted } from '../src/manifest.js';
import { carryOut, review } from '../src/review.js';
import { parse } from '../src/yaml.js';

/** A client that records its requests. */
function clientOf(live, result) {
  const calls = [];
  const record = (name) => async (...args) => (calls.push([name, ...args]), result(name, ...args));
  const get = async () => live ?? Promise.reject(Object.assign(new Error('absent'), { code: 'not-found' }));
  return { calls, get, apply: record('apply'), patch: record('patch'), create: record('create') };
}

const LIVE = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7' }, data: { x: '1', y: '2' } };

test('an object that does not exist is applied as typed, in the default namespace of the review', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: "3"}\n';
  const [document] = parse(text).documents;
  const client = clientOf(null, () => ({ ...LIVE, data: { x: '3' } }));
  const reviewed = await review(client, document, { namespace: 'shop' });
  assert.equal(reviewed.before, null);
  await carryOut(client, reviewed);
  const [first, second] = client.calls;
  assert.equal(first[2].dryRun, true);
  assert.equal(first[2].ref.metadata.namespace, 'shop');
  assert.equal(second[2].dryRun, undefined);
  assert.deepEqual([first[1], second[1]], [document.text, document.text]);
});

test('a removal is sent as a patch of the version that was reviewed', async () => {
  const [document] = parse('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, uid: u}\ndata: {x: "1"}\n').documents;
  const client = clientOf(LIVE, () => LIVE);
  const reviewed = await review(client, document, { base: LIVE });
  assert.equal(reviewed.method, 'patch');
  assert.deepEqual(reviewed.patch, { data: { y: null }, metadata: { uid: 'u', resourceVersion: '7' } });
});

/** The document of an edit of `LIVE`, with other data. */
const documentOf = (data, uid = 'uid: u') => parse(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, ${uid}}\ndata: ${JSON.stringify(data)}\n`).documents[0];
const changed = (data, version = '9') => ({ ...LIVE, metadata: { ...LIVE.metadata, resourceVersion: version }, data });
const options = { base: LIVE, ref: { resource: 'v1/configmaps', namespace: 'b', name: 'a' } };

test('a removal leaves what others have added since the edit was opened', async () => {
  const live = changed({ x: '1', y: '2', z: 'theirs' });
  const reviewed = await review(clientOf(live, () => live), documentOf({ x: '1' }), options);
  assert.deepEqual(reviewed.patch, { data: { y: null }, metadata: { uid: 'u', resourceVersion: '9' } });
});

test('an older text does not remove a field that another dashboard has added, though both are one manager', async () => {
  const live = changed({ x: '1', y: '2', z: 'theirs' });
  for (const force of [false, true]) {
    // The server removes fields that the manager applied before and does not apply again.
    const client = clientOf(live, (name) => (name === 'apply' ? changed({ x: '3', y: '2' }) : live));
    const reviewed = await review(client, documentOf({ x: '3', y: '2' }), { ...options, force });
    assert.deepEqual([reviewed.method, reviewed.patch], ['patch', { data: { x: '3' }, metadata: { uid: 'u', resourceVersion: '9' } }]);
    assert.deepEqual(client.calls.map(([name, , , given]) => [name, given?.dryRun]), [['apply', undefined], ['patch', true]]);
  }
});

test('a field that others have changed, too, is a conflict until it is taken over', async () => {
  const live = changed({ x: 'theirs', y: '2' });
  const mine = changed({ x: 'mine', y: '2' });
  const failed = await review(clientOf(live, () => mine), documentOf({ x: 'mine', y: '2' }), options).catch((error) => error);
  assert.equal(failed.message, 'These fields have changed since you opened the ConfigMap.');
  assert.deepEqual(failed.conflicts, [{ field: '.data.x', message: 'was changed by others' }]);
  const taken = await review(clientOf(live, () => mine), documentOf({ x: 'mine', y: '2' }), { ...options, force: true });
  assert.deepEqual(taken.patch.data, { x: 'mine' });
});

test('an edit of an object without other changes is an apply, also when the server fills in fields', async () => {
  const status = { ...changed({ x: '1', y: '2' }), status: { ready: 1 } };
  const after = { ...changed({ x: '3', y: '2', defaulted: 'd' }), status: { ready: 2 } };
  assert.equal((await review(clientOf(status, () => after), documentOf({ x: '3', y: '2' }), options)).method, 'apply');
});

test('an object that was deleted or replaced is not written, and the error says what to do', async () => {
  const says = (live, document, more) => review(clientOf(live, () => assert.fail('nothing is sent')), document, { ...options, ...more }).catch(({ message, code, status }) => ({ message, code, status }));
  const other = { ...LIVE, metadata: { ...LIVE.metadata, uid: 'v' } };
  const replaced = { message: 'The ConfigMap was replaced by another one of the same name. Start again from the current state.', code: 'replaced', status: 409 };
  assert.deepEqual(await says(other, documentOf({ x: '3' })), replaced);
  assert.deepEqual(await says(other, documentOf({ x: '3' }, '')), replaced);
  assert.deepEqual(await says(null, documentOf({ x: '3' })), { message: 'The ConfigMap does not exist any more. To create it anew, remove the line with its uid.', code: 'gone', status: 409 });
  assert.deepEqual(await says(other, documentOf({ x: '3' }), { base: null, ref: undefined }), { message: 'Another ConfigMap has this name. To change that one, remove the line with the uid.', code: 'replaced', status: 409 });
  assert.equal((await review(clientOf(null, () => LIVE), documentOf({ x: '3' }, ''), options)).method, 'apply', 'without the uid it is created anew');
});

test('a change between the review and the apply is not overwritten', async () => {
  let live = LIVE;
  const client = { ...clientOf(null, () => changed({ x: '3', y: '2' })), get: async () => live ?? Promise.reject(Object.assign(new Error('absent'), { code: 'not-found' })) };
  const reviewed = await review(client, documentOf({ x: '3', y: '2' }), options);
  assert.equal(reviewed.method, 'apply');
  live = changed({ x: '1', y: 'theirs' });
  await assert.rejects(carryOut(client, reviewed), { code: 'changed', message: 'The object has changed since the review.' });
  live = null;
  await assert.rejects(carryOut(client, reviewed), { code: 'changed' });
  assert.equal(client.calls.length, 1, 'only the dry run was sent');
  live = { ...changed({ x: '1', y: '2' }), status: { ready: 1 } };
  await carryOut(client, reviewed);
  assert.equal(client.calls.length, 2, 'a new status is no change');
});

test('a reverted change is named by its field, and by the name of a list item', () => {
  const containers = (web, side, ...more) => ({ spec: { containers: [{ name: 'web', image: web }, { name: 'side', image: side }, ...more] } });
  const base = containers('1', '1');
  assert.deepEqual(reverted(base, containers('2', '1'), containers('2', '3')), [], 'the change of others is kept');
  assert.deepEqual(reverted(base, containers('2', '1'), containers('1', '3')), ['.spec.containers[name="web"].image']);
  assert.deepEqual(reverted(base, containers('1', '1', { name: 'injected' }), containers('1', '3', { name: 'injected' })), []);
  assert.deepEqual(reverted(base, containers('1', '1', { name: 'injected' }), containers('1', '3')), ['.spec.containers[name="injected"]']);
  assert.deepEqual(reverted({ a: [1] }, { a: [1, 2] }, { a: [1, 3] }), ['.a']);
  assert.deepEqual(reverted({}, { labels: { theirs: '1' } }, { labels: { theirs: '1', mine: '1' } }), []);
  assert.deepEqual(reverted({ a: { b: 0 } }, {}, { a: { b: 1 } }), ['.a'], 'a field that others removed');
  assert.deepEqual(reverted({ a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] }, { a: [] }), [], 'the order of keys is no change');
});
