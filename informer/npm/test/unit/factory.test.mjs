// Factory: shared informers, and the effect of page events on the engine.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { outcome, Page, settle, state, status } from './engine.mjs';
import { asyncDispose } from '../../src/promises.js';

const types = (messages) => messages.map(({ type }) => type);

test('equal words are one informer, with the factory’s resync by default', async () => {
  const page = await Page.connected({ resync: 5_000 });
  const factory = page.factory();
  const pods = factory.forResource('v1/pods');
  assert.equal(factory.forResource({ version: 'v1', resource: 'pods' }), pods);
  assert.notEqual(factory.forResource('v1/pods', { namespace: 'n' }), pods);
  const [first, second] = page.engine.take();
  assert.deepEqual([first.resource, first.options.resync, second.options], ['v1/pods', 5_000, { namespace: 'n', pageSize: undefined, resync: 5_000 }]);
  factory.forResource('v1/services', { resync: 0 });
  assert.equal(page.engine.take()[0].options.resync, 0);
  assert.deepEqual(Object.keys(factory.status().informers), ['v1/pods', 'v1/pods?namespace=n', 'v1/services']);
  assert.deepEqual([factory.status().url, factory.status().informers['v1/pods'].phase], ['http://server', 'idle']);
});

test('waiting for caches is about those that were started, and ends in time', async (t) => {
  const page = await Page.connected();
  const factory = page.factory();
  const pods = factory.forResource('v1/pods');
  const [{ informer }] = page.engine.take();
  assert.deepEqual(await factory.waitForCacheSync(), {});
  factory.start();
  assert.deepEqual(page.engine.take(), [{ type: 'start' }]);
  factory.forResource('v1/services');
  const waiting = factory.waitForCacheSync();
  assert.equal(await state(waiting), 'pending');
  const aborted = new AbortController();
  const left = factory.waitForCacheSync({ signal: aborted.signal });
  left.catch(() => {});
  aborted.abort(new Error('left'));
  assert.equal(await state(left), 'left');
  await assert.rejects(factory.waitForCacheSync({ signal: aborted.signal }), { message: 'left' });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const late = factory.waitForCacheSync({ timeoutMs: 100 });
  const never = factory.waitForCacheSync({ timeoutMs: 2 ** 31 });
  const always = factory.waitForCacheSync({ timeoutMs: Infinity });
  t.mock.timers.tick(99);
  assert.equal(await state(late), 'pending');
  t.mock.timers.tick(1);
  assert.deepEqual(await late, { 'v1/pods': false });
  assert.deepEqual([await state(never), await state(always)], ['pending', 'pending']);
  page.engine.say({ type: 'status', informer, status: status() });
  assert.deepEqual([await waiting, await never, pods.hasSynced], [{ 'v1/pods': true }, { 'v1/pods': true }, true]);
});

test('waitForCacheSync() does not wait for a failed informer', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  factory.forResource('v1/pods');
  const [{ informer }] = page.engine.take();
  factory.start();
  const waiting = factory.waitForCacheSync();
  page.engine.say({ type: 'status', informer, status: status({ hasSynced: false, phase: 'failed' }) });
  assert.deepEqual(await waiting, { 'v1/pods': false });
});

test('`start` is replayed to the next engine after all other messages', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  factory.forResource('v1/pods');
  factory.start();
  factory.forResource('v1/services');
  factory.start();
  assert.deepEqual(types(page.engine.take()), ['informer', 'start', 'informer', 'start']);
  await page.crash();
  assert.deepEqual(types(page.engine.take()), ['wasm', 'connect', 'informer', 'informer', 'start']);
});

test('resources, snapshots and inspections are requests to the engine', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  const promises = [factory.resources(), factory.clearSnapshots(), factory.inspect(), factory.inspect({ history: true })];
  const requests = page.engine.take();
  assert.deepEqual(types(requests), ['resources', 'clear', 'inspectAll', 'inspectAll']);
  assert.deepEqual(requests.slice(2).map(({ history }) => history), [false, true]);
  const responses = [[{ resource: 'pods' }], null, { informers: [], connections: null, memory: 1 }, { informers: [], connections: null, memory: 2 }];
  for (const [at, request] of requests.entries()) page.engine.answer(request, responses[at]);
  assert.deepEqual(await Promise.all(promises), responses);
});

test('after a shutdown all calls are rejected, and the engine is notified', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  const pods = factory.forResource('v1/pods');
  factory.start();
  const waiting = factory.waitForCacheSync();
  page.engine.take();
  await factory.shutdown();
  await factory[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]();
  assert.deepEqual([types(page.engine.take()), page.engine.closed], [['stop', 'close'], true]);
  assert.deepEqual([pods.status.phase, await state(pods.synced)], ['stopped', 'the factory has been stopped']);
  const closed = { code: 'closed', message: 'the factory has been stopped' };
  await assert.rejects(waiting, closed);
  await assert.rejects(factory.waitForCacheSync(), closed);
  await assert.rejects(factory.resources(), closed);
  await assert.rejects(factory.inspect(), closed);
  await assert.rejects(factory.inspect({ steps: 1 }), { code: 'bad-request', message: /no option `steps`/ });
  assert.throws(() => factory.forResource('v1/pods'), closed);
  assert.throws(() => factory.start(), closed);
  assert.equal(factory.status().informers['v1/pods'].phase, 'stopped', 'what there was can still be seen');
});

test('a signal shuts it down, with its reason', async () => {
  const control = new AbortController();
  const page = await Page.connected({ signal: control.signal });
  const factory = page.factory();
  const pods = factory.forResource('v1/pods');
  control.abort(new Error('left the route'));
  assert.deepEqual([pods.status.phase, await state(pods.synced), page.engine.closed], ['stopped', 'left the route', true]);
  const { error } = await outcome(factory.resources());
  assert.equal(error.message, 'left the route');
});

test('the page’s lifecycle: it is hidden, returns, and wakes waiting informers; after its end it sends nothing', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  factory.forResource('v1/pods');
  page.engine.take();
  dispatchEvent(new Event('online'));
  document.visibilityState = 'hidden';
  document.dispatchEvent(new Event('visibilitychange'));
  document.visibilityState = 'visible';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(page.engine.take(), [{ type: 'wake' }, { type: 'wake' }]);
  const first = page.engine;
  dispatchEvent(new Event('pagehide'));
  assert.deepEqual([first.take(), first.closed], [[{ type: 'close' }], true]);
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
  await settle();
  assert.equal(page.engines.length, 1, 'a page that was never put away');
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  await settle();
  assert.equal(page.engines.length, 2);
  page.engine.say({ type: 'connected' });
  assert.deepEqual(types(page.engine.take()), ['wasm', 'connect', 'informer']);
  page.connection.end(new Error('gone'));
  assert.deepEqual(types(page.engine.take()), ['close']);
  for (const event of ['online', 'pagehide']) dispatchEvent(new Event(event));
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.deepEqual([page.engine.take(), page.engines.length], [[], 2]);
  assert.throws(() => factory.start(), { message: 'gone' });
});

test('a signal that aborts after the end has no effect', async () => {
  const control = new AbortController();
  const page = await Page.connected({ signal: control.signal });
  const factory = page.factory();
  const pods = factory.forResource('v1/pods');
  page.connection.end(new Error('crashed'));
  control.abort(new Error('left'));
  assert.deepEqual([pods.status.phase, await state(pods.synced)], ['failed', 'crashed']);
});

test('the engine learns whether the page is visible, also the next one', async () => {
  const page = await Page.connected();
  page.factory();
  const visible = () => page.engine.take('visible').map((message) => message.visible);
  document.visibilityState = 'hidden';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(visible(), [false]);
  document.visibilityState = 'visible';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(visible(), [true]);
  await page.crash();
  assert.deepEqual(visible(), [true]);
});

test('a worker or node has no visibility', async () => {
  const page = await Page.connected();
  const { document } = globalThis;
  delete globalThis.document;
  try {
    page.factory();
    await page.crash();
    assert.deepEqual(page.engine.take('visible').filter(({ type }) => type === 'visible'), []);
  } finally {
    globalThis.document = document;
  }
});

test('one informer can be started alone', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  const [pods, services] = ['v1/pods', 'v1/services'].map((resource) => factory.forResource(resource));
  const ids = page.engine.take('informer').map(({ informer }) => informer);
  factory.startOne(services);
  assert.deepEqual(page.engine.take(), [{ type: 'startOne', informer: ids[1] }]);
  page.engine.say({ type: 'status', informer: ids[1], status: status() });
  assert.deepEqual([await factory.waitForCacheSync(), pods.hasSynced], [{ 'v1/services': true }, false]);
});

test('a wait that is over leaves no timer and no listener', async (t) => {
  const page = await Page.connected();
  const cleared = t.mock.method(globalThis, 'clearTimeout');
  const { signal } = new AbortController();
  assert.deepEqual(await page.factory().waitForCacheSync({ timeoutMs: 1e6, signal }), {});
  assert.deepEqual([cleared.mock.callCount(), getEventListeners(signal, 'abort').length], [1, 0]);
});

test('options are named by their call', async () => {
  const factory = (await Page.connected()).factory();
  await assert.rejects(factory.waitForCacheSync({ timeout: 1 }), { code: 'bad-request', message: 'waitForCacheSync() has no option `timeout`; its options are signal, timeoutMs' });
  await assert.rejects(factory.waitForCacheSync({ timeoutMs: -1 }), { code: 'bad-request', message: '`timeoutMs` must be a number, 0 or more' });
  await assert.rejects(factory.inspect({ all: true }), { code: 'bad-request', message: 'inspect() has no option `all`; its options are history' });
});

test('disposing is a shutdown, after which a wait is rejected', async () => {
  const page = await Page.connected();
  const factory = page.factory();
  await factory[asyncDispose]();
  await assert.rejects(factory.waitForCacheSync(), { code: 'closed' });
  await assert.rejects(factory.inspect(), { code: 'closed' });
  assert.equal(page.engine.closed, true);
});
