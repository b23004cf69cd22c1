// Liveness locks: released when their holder dies, on either side of a port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hold, whenGone } from '../../src/locks.js';
import { Page, settle } from './engine.mjs';
import { Locks, setLocks } from './locks.mjs';

test('a lock of its own is held until the signal', async () => {
  const locks = setLocks(new Locks());
  const life = new AbortController();
  const [one, two] = await Promise.all([hold(life.signal), hold(new AbortController().signal)]);
  assert.match(one, /^kube-informer [0-9a-f-]{36}$/);
  assert.deepEqual([locks.names, one === two], [[one, two], false]);
  const gone = [];
  whenGone(one, new AbortController().signal, () => gone.push('one'));
  whenGone(two, life.signal, () => gone.push('two'));
  await settle();
  assert.deepEqual(gone, []);
  life.abort();
  await settle();
  assert.deepEqual([gone, locks.names], [['one'], [two]], 'an aborted wait is not notified');
  locks.release(two);
  await settle();
  assert.deepEqual(gone, ['one']);
});

test('where there are no locks nothing is held, and no holder is missed', async () => {
  setLocks(undefined);
  assert.equal(await hold(new AbortController().signal), undefined);
  whenGone(undefined, new AbortController().signal, () => assert.fail('there was none'));
  setLocks({ request: () => Promise.reject(new Error('not here')) });
  assert.equal(await hold(new AbortController().signal), undefined, 'a page that may not have any');
});

test('a worker whose lock is released has died: another one is started, with an error event, except after a hand-over', async () => {
  for (const [handsOver, errors] of [[false, 1], [true, 0]]) {
    const locks = setLocks(new Locks());
    locks.request('worker', () => new Promise(() => {}));
    const page = new Page({ host: { lock: 'worker', handsOver } });
    for (let turn = 0; turn < 5; turn++) await settle();
    assert.match(page.engine.heard[0].lock, /^kube-informer /, 'what the page holds');
    page.engine.say({ type: 'connected' });
    const heard = [];
    page.connection.listen((message) => heard.push(message));
    locks.release('worker');
    for (let turn = 0; turn < 20 && page.engines.length < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(page.engines.length, 2);
    assert.deepEqual([heard.map(({ type }) => type), heard.filter(({ error }) => error).length], [['disconnected'], errors]);
    page.connection.end(new Error('enough'));
  }
  setLocks(undefined);
});

test('after a crash a shared worker is opened again when its lock is free', async () => {
  const locks = setLocks(new Locks());
  locks.request('w', () => new Promise(() => {}));
  const page = new Page();
  for (let turn = 0; turn < 5; turn++) await settle();
  page.engine.say({ type: 'lock', lock: 'w' });
  page.engine.say({ type: 'connected' });
  page.engine.say({ type: 'refused', error: { code: 'internal', message: 'crashed', retryable: true } });
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(page.engines.length, 1, 'it would be found, however dead');
  locks.release('w');
  for (let turn = 0; turn < 20 && page.engines.length < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(page.engines.length, 2);
  page.connection.end(new Error('enough'));
  setLocks(undefined);
});
