// Informers that the worker starts before the page asks for them, and the end of a factory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo } from '../../src/connect.js';
import { Page, settle, state, status } from './engine.mjs';

globalThis.location ??= { href: 'http://page.test/' };

/** A factory that prestarts, before the engine has answered. */
async function open(informers, t) {
  t?.mock.timers.enable({ apis: ['setTimeout'] });
  const page = new Page();
  const factory = page.factory();
  factory.prestart(informers);
  await settle();
  return { page, factory };
}

test('they are sent to the engine before its first response', async () => {
  const { page, factory } = await open([['v1/pods', { namespace: 'shop' }], ['v1/nodes']]);
  const heard = page.engine.take();
  assert.deepEqual(heard.map(({ type }) => type), ['wasm', 'connect', 'informer', 'informer', 'start']);
  assert.deepEqual([heard[2].resource, heard[2].options.namespace, heard[3].resource], ['v1/pods', 'shop', 'v1/nodes']);
  const pods = factory.forResource('v1/pods', { namespace: 'shop' });
  page.engine.say({ type: 'connected' });
  page.engine.say({ type: 'status', informer: heard[2].informer, status: status() });
  assert.deepEqual([pods.hasSynced, page.engine.take()], [true, []], 'it is the same informer');
  await pods.stop();
  assert.deepEqual(page.engine.take().map(({ type, informer }) => [type, informer]), [['stop', heard[2].informer]], 'and the page is its only user');
});

test('an unused prestarted informer is stopped after a while', async (t) => {
  const { page, factory } = await open([['v1/pods'], ['v1/nodes']], t);
  page.engine.say({ type: 'connected' });
  factory.forResource('v1/nodes');
  page.engine.take();
  t.mock.timers.tick(19_999);
  assert.deepEqual(page.engine.take(), []);
  t.mock.timers.tick(1);
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['stop']);
  assert.deepEqual(Object.keys(factory.status().informers), ['v1/nodes']);
});

test('invalid prestarts are rejected', async () => {
  for (const prestart of ['v1/pods', [5], ['v1/pods'], [['pods']], [['v1/pods', { mode: 'x' }]]]) {
    await assert.rejects(connectTo({ prestart, worker: new MessageChannel().port1 }), { code: 'bad-request' }, JSON.stringify(prestart));
  }
});

test('without waiting for an engine the factory is available at once, and `closed` rejects if there is no engine', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const factory = await connectTo({ worker: new MessageChannel().port1, wasm: 'none.wasm', awaitEngine: false, timeoutMs: 1000 });
  const pods = factory.forResource('v1/pods');
  factory.start();
  t.mock.timers.tick(1000);
  assert.match(await state(factory.closed), /within 1 s/);
  assert.equal(pods.status.phase, 'failed');
});

test('`closed` distinguishes a shutdown from an engine that cannot be replaced', async () => {
  const shut = (await Page.connected()).factory();
  assert.equal(await state(shut.closed), 'pending');
  await shut.shutdown();
  assert.equal(await state(shut.closed), 'resolved');
  const page = await Page.connected();
  const factory = page.factory();
  page.connection.end(new Error('no engine'));
  assert.equal(await state(factory.closed), 'no engine');
});

test('`retry` asks for the next attempt now', async () => {
  const page = await Page.connected();
  page.factory().retry();
  assert.deepEqual(page.engine.take(), [{ type: 'wake' }]);
});
