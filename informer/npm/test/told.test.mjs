// Delivered state: the changes that a handler receives after a change of engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
