// Delivered state: the changes that a handler receives after a change of engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Told } from '../src/told.js';

const object = (name, resourceVersion, uid = name) => ({ kind: 'Pod', metadata: { name, uid, resourceVersion }, status: 'new' });
const add = (name, version, uid) => ({ type: 'add', key: name, object: object(name, version, uid), isInInitialList: true });
const words = (changes) =>
  changes.map(({ type, key, object, previous, isInInitialList, finalStateUnknown }) => {
    const was = previous ? `${previous.metadata.uid}@${previous.metadata.resourceVersion}>` : '';
    return `${type} ${was}${object.metadata.uid}@${object.metadata.resourceVersion}${key === object.metadata.name ? '' : '?'}${isInInitialList ? '!' : ''}${finalStateUnknown ? '?' : ''}`;
  });

test('what it knows it is not told again, what changed as an update, what is new as new, what is gone last', () => {
  const told = new Told();
  assert.deepEqual(words(told.news([add('a', '1'), add('b', '2'), add('c', '3'), add('d', '4')])), ['add a@1!', 'add b@2!', 'add c@3!', 'add d@4!']);
  told.begin(true);
  const again = [add('a', '1'), add('b', '7'), add('c', '8', 'other'), add('e', '9')];
  assert.deepEqual(words(told.news(again)), ['update b@2>b@7', 'update c@3>other@8', 'add e@9']);
  assert.deepEqual(words(told.end()), ['delete d@4?']);
  // And from then on as ever.
  assert.deepEqual(words(told.news([{ type: 'delete', key: 'a', object: object('a', '1') }, { ...add('a', '10'), isInInitialList: false }])), ['delete a@1', 'add a@10']);
  assert.deepEqual(told.end(), []);
});

test('an engine that goes before it has named everything takes nothing along', () => {
  const told = new Told();
  told.news([add('a', '1'), add('b', '2')]);
  told.begin(true);
  told.news([add('a', '5')]);
  told.begin(true);
  assert.deepEqual(words(told.news([add('b', '2')])), []);
  assert.deepEqual(words(told.end()), ['delete a@5?']);
});

test('a list that was never told to its end goes on as the first', () => {
  const told = new Told();
  told.news([add('a', '1')]);
  told.begin(false);
  assert.deepEqual(words(told.news([add('a', '1'), add('b', '2')])), ['add b@2!']);
});

test('an object that is gone has its kind, name, namespace, uid and version', () => {
  const told = new Told();
  const known = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop', uid: 'u-1', resourceVersion: '7' } };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u-2', resourceVersion: '8' } };
  told.news([{ type: 'add', key: 'shop/web', object: { ...known, spec: {} }, isInInitialList: true }]);
  told.begin(true);
  assert.deepEqual(told.end(), [{ type: 'delete', key: 'shop/web', object: known, finalStateUnknown: true }]);
  const nodes = new Told();
  nodes.news([{ type: 'add', key: 'n1', object: node, isInInitialList: true }]);
  nodes.begin(true);
  assert.deepEqual(nodes.end()[0].object, { ...node, metadata: { ...node.metadata, namespace: undefined } });
  assert.deepEqual([nodes.end(), told.end()], [[], []]);
});

test('it costs at most 200 bytes an object, however often objects change, and nothing for those that are gone', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const used = () => (collect(), process.memoryUsage().heapUsed);
  const count = 30_000;
  // As a message brings it: parsed, with a body.
  const change = (type, n, version) =>
    JSON.parse(`{"type":"${type}","key":"shop/web-7d9f8c6b5d-${n}","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d9f8c6b5d-${n}",
      "namespace":"shop","uid":"6f1c2a10-0000-4000-8000-${String(n).padStart(12, '0')}","resourceVersion":"${version + n}"},"spec":{"nodeName":"n${n}"}}}`);
  const told = new Told();
  const each = (type, version) => {
    for (let n = 0; n < count; n++) told.news([change(type, n, version)]);
  };
  const before = used();
  each('add', 1_000_000);
  const full = (used() - before) / count;
  each('update', 2_000_000);
  const changed = (used() - before) / count;
  each('delete', 3_000_000);
  const empty = (used() - before) / count;
  assert.ok(full > 50 && full < 200 && changed < 200 && empty < 10, `${full}, ${changed}, ${empty} bytes`);
  assert.deepEqual(told.end(), []);
});
