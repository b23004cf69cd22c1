// waitFor(): when it resolves, and everything that ends it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page, settle, state, status } from './engine.mjs';
import { paint } from './frames.mjs';

// Loaded on first use, which takes longer than a turn.
await import('../../src/wait-for.js');

/** An informer whose cache has one object, which `set` changes; `reads` counts the reads. */
async function stage({ synced = true } = {}) {
  const page = await Page.connected();
  const factory = page.factory();
  const informer = factory.forResource('v1/pods');
  informer.addEventListener('error', () => {});
  const own = { page, factory, informer, object: null, reads: 0, failures: [] };
  const { port } = page.engine;
  const post = port.postMessage;
  const id = page.engine.take('informer')[0].informer;
  let follow;
  port.postMessage = (message) => {
    post(message);
    if (message.type === 'follow') follow = message.follow;
    if (message.type !== 'read') return;
    own.reads += 1;
    queueMicrotask(() => page.engine.answer(message, own.object));
  };
  own.sync = async () => {
    page.engine.say({ type: 'status', informer: id, status: status({ hasSynced: true, phase: 'watching' }) });
    await settle();
  };
  own.set = async (object) => {
    own.object = object;
    page.engine.say(`{"type":"object","follow":${follow},"json":${JSON.stringify(object)}}`);
    paint();
    await settle();
  };
  if (synced) await own.sync();
  return own;
}

const isRunning = (pod) => pod?.phase === 'Running';

test('it resolves at once for a state that is there', async () => {
  const own = await stage();
  own.object = { phase: 'Running' };
  assert.deepEqual(await own.informer.waitFor(isRunning, 'shop/web'), own.object);
});

test('it resolves to the object that has the state, after any number of changes', async () => {
  const own = await stage();
  own.object = { phase: 'Pending' };
  const waiting = own.informer.waitFor(isRunning, 'shop/web');
  assert.equal(await state(waiting), 'pending');
  await own.set({ phase: 'Pending', n: 2 });
  assert.equal(await state(waiting), 'pending');
  await own.set({ phase: 'Running', n: 3 });
  assert.deepEqual(await waiting, { phase: 'Running', n: 3 });
  assert.equal(own.page.engine.take('unfollow').length, 1, 'it follows the object no longer');
  const { reads } = own;
  await own.set({ phase: 'Running', n: 4 });
  assert.equal(own.reads, reads);
});

test('a missing object is undefined, and is missing only when the informer has synced', async () => {
  const own = await stage({ synced: false });
  const seen = [];
  const waiting = own.informer.waitFor((pod) => (seen.push(pod), pod === undefined), 'shop/web');
  await settle();
  assert.deepEqual(seen, []);
  own.object = { phase: 'Running' };
  await own.sync();
  assert.equal(await state(waiting), 'pending');
  await own.set(null);
  assert.equal(await waiting, undefined);
  assert.deepEqual(seen, [{ phase: 'Running' }, undefined]);
});

test('an asynchronous predicate is awaited', async () => {
  const own = await stage();
  own.object = { phase: 'Pending' };
  const waiting = own.informer.waitFor(async (pod) => isRunning(pod), 'shop/web');
  assert.equal(await state(waiting), 'pending');
  await own.set({ phase: 'Running' });
  assert.equal(await state(waiting), 'resolved');
});

test('it ends with its timeout, its signal, its predicate and its informer', async () => {
  const own = await stage();
  const { informer } = own;
  await assert.rejects(informer.waitFor(isRunning, 'shop/web', { timeoutMs: 5 }), { code: 'timeout', message: 'v1/pods: shop/web has not reached the awaited state within 5 ms' });
  const abort = new AbortController();
  const waiting = informer.waitFor(isRunning, 'shop/web', { signal: abort.signal });
  await settle();
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  await assert.rejects(informer.waitFor(isRunning, 'shop/web', { signal: AbortSignal.abort(new Error('before')) }), { message: 'before' });
  await assert.rejects(informer.waitFor(() => { throw new Error('mine'); }, 'shop/web'), { message: 'mine' });
  const last = informer.waitFor(isRunning, 'shop/web');
  await settle();
  await informer.stop();
  await assert.rejects(last, { code: 'closed' });
  await assert.rejects(informer.waitFor(isRunning, 'shop/web'), { code: 'closed' });
});

test('an informer that fails before its first list rejects it', async () => {
  const own = await stage({ synced: false });
  const waiting = own.informer.waitFor(isRunning, 'shop/web');
  await settle();
  await own.factory.shutdown();
  await assert.rejects(waiting, { code: 'closed' });
});

test('wrong arguments are named', async () => {
  const { informer } = await stage();
  for (const [args, message] of [
    [[isRunning, ''], '`key` must be'],
    [['Running', 'a/b'], '`predicate` must be a function'],
    [[isRunning, 'a/b', { timeoutMs: -1 }], '`timeoutMs` must be a number'],
    [[isRunning, 'a/b', { timeout: 1 }], 'waitFor() has no option `timeout`'],
  ]) {
    await assert.rejects(informer.waitFor(...args), (error) => error.code === 'bad-request' && error.message.includes(message));
  }
});
