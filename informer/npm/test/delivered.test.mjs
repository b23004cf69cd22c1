// Delivered state: the changes that a handler receives after a change of engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DeliveredState } from '../src/delivered.js';

const object = (name, resourceVersion, uid = name) => ({ kind: 'Pod', metadata: { name, uid, resourceVersion }, status: 'new' });
const add = (name, version, uid) => ({ type: 'add', key: name, object: object(name, version, uid), isInInitialList: true });
const words = (changes) =>
  changes.map(({ type, key, object, previous, isInInitialList, finalStateUnknown }) => {
    const was = previous ? `${previous.metadata.uid}@${previous.metadata.resourceVersion}>` : '';
    return `${type} ${was}${object.metadata.uid}@${object.metadata.resourceVersion}${key === object.metadata.name ? '' : '?'}${isInInitialList ? '!' : ''}${finalStateUnknown ? '?' : ''}`;
  });

test('a replay delivers changed objects as updates, new ones as additions, and deletions last', () => {
  const state = new DeliveredState();
  assert.deepEqual(words(state.differences([add('a', '1'), add('b', '2'), add('c', '3'), add('d', '4')])), ['add a@1!', 'add b@2!', 'add c@3!', 'add d@4!']);
  state.beginReplay(true);
  const again = [add('a', '1'), add('b', '7'), add('c', '8', 'other'), add('e', '9')];
  assert.deepEqual(words(state.differences(again)), ['update b@2>b@7', 'update c@3>other@8', 'add e@9']);
  assert.deepEqual(words(state.endReplay()), ['delete d@4?']);
  // Changes after the replay are delivered unchanged.
  assert.deepEqual(words(state.differences([{ type: 'delete', key: 'a', object: object('a', '1') }, { ...add('a', '10'), isInInitialList: false }])), ['delete a@1', 'add a@10']);
  assert.deepEqual(state.endReplay(), []);
});

test('an engine that ends during the replay deletes nothing', () => {
  const state = new DeliveredState();
  state.differences([add('a', '1'), add('b', '2')]);
  state.beginReplay(true);
  state.differences([add('a', '5')]);
  state.beginReplay(true);
  assert.deepEqual(words(state.differences([add('b', '2')])), []);
  assert.deepEqual(words(state.endReplay()), ['delete a@5?']);
});

test('an initial list that was interrupted continues as the initial list', () => {
  const state = new DeliveredState();
  state.differences([add('a', '1')]);
  state.beginReplay(false);
  assert.deepEqual(words(state.differences([add('a', '1'), add('b', '2')])), ['add b@2!']);
});

test('a deleted object has its kind, name, namespace, uid and version', () => {
  const state = new DeliveredState();
  const known = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop', uid: 'u-1', resourceVersion: '7' } };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u-2', resourceVersion: '8' } };
  state.differences([{ type: 'add', key: 'shop/web', object: { ...known, spec: {} }, isInInitialList: true }]);
  state.beginReplay(true);
  assert.deepEqual(state.endReplay(), [{ type: 'delete', key: 'shop/web', object: known, finalStateUnknown: true }]);
  const nodes = new DeliveredState();
  nodes.differences([{ type: 'add', key: 'n1', object: node, isInInitialList: true }]);
  nodes.beginReplay(true);
  assert.deepEqual(nodes.endReplay()[0].object, { ...node, metadata: { ...node.metadata, namespace: undefined } });
  assert.deepEqual([nodes.endReplay(), state.endReplay()], [[], []]);
});

test('the state takes at most 200 bytes per object, however often objects change, and none for deleted ones', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const used = () => (collect(), process.memoryUsage().heapUsed);
  const count = 30_000;
  // As in a message: parsed, with a body.
  const change = (type, n, version) =>
    JSON.parse(`{"type":"${type}","key":"shop/web-7d9f8c6b5d-${n}","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d9f8c6b5d-${n}",
      "namespace":"shop","uid":"6f1c2a10-0000-4000-8000-${String(n).padStart(12, '0')}","resourceVersion":"${version + n}"},"spec":{"nodeName":"n${n}"}}}`);
  const state = new DeliveredState();
  const each = (type, version) => {
    for (let n = 0; n < count; n++) state.differences([change(type, n, version)]);
  };
  const before = used();
  each('add', 1_000_000);
  const full = (used() - before) / count;
  each('update', 2_000_000);
  const changed = (used() - before) / count;
  each('delete', 3_000_000);
  const empty = (used() - before) / count;
  assert.ok(full > 50 && full < 200 && changed < 200 && empty < 10, `${full}, ${changed}, ${empty} bytes`);
  assert.deepEqual(state.endReplay(), []);
});
