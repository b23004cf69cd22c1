// Work queue of a page: its requests to the engine, and keys that two engines deliver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page, settle, state } from './engine.mjs';

async function open(options) {
  const page = await Page.connected();
  const informer = page.factory().forResource('v1/pods');
  const [{ informer: id }] = page.engine.take();
  const queue = informer.workQueue(options);
  const [opened] = page.engine.take();
  const calls = () => page.engine.take('queue').map(({ call }) => call);
  /** Answers the last request. `said` collects the messages to the engine. */
  const said = [];
  const answer = async (json) => {
    await settle();
    said.push(...page.engine.take());
    const asked = said.findLast(({ type }) => type === 'askQueue');
    page.engine.answer(asked, json);
    await settle();
    return asked.ask;
  };
  return { page, informer, id, queue, opened, calls, answer, said };
}

test('it opens with client-go’s defaults, and with numbers that a message can hold', async () => {
  const { opened, id } = await open();
  assert.deepEqual([opened.type, opened.informer, opened.options], ['openQueue', id, { baseDelayMs: 5, maxDelayMs: 1e6, qps: 10, burst: 100, resyncPeriod: undefined }]);
  const own = await open({ baseDelayMs: 1, maxDelayMs: Infinity, qps: Infinity, burst: 7, resyncPeriod: 9000 });
  assert.deepEqual(own.opened.options, { baseDelayMs: 1, maxDelayMs: Number.MAX_VALUE, qps: Number.MAX_VALUE, burst: 7, resyncPeriod: 9000 });
  for (const wrong of [{ burst: 0.5 }, { burst: -1 }, { resyncPeriod: -1 }]) {
    assert.throws(() => own.informer.workQueue(wrong), { code: 'bad-request' });
  }
});

test('keys are sent to the engine as text', async () => {
  const { queue, calls, page, opened, id } = await open();
  queue.add('7');
  queue.addAfter('a', 100);
  queue.addAfter('a', Infinity);
  queue.addRateLimited('b');
  queue.forget('b');
  assert.deepEqual(page.engine.heard.map(({ type, queue, informer }) => [type, queue, informer])[0], ['queue', opened.queue, id]);
  assert.deepEqual(calls(), [
    { add: '7' },
    { addAfter: { key: 'a', ms: 100 } },
    { addAfter: { key: 'a', ms: Number.MAX_VALUE } },
    { addRateLimited: 'b' },
    { forget: 'b' },
  ]);
});

test('keys come one after the other, each until it is done, and then nothing', async () => {
  const { queue, calls, answer } = await open();
  const first = queue.get();
  assert.equal(await answer('a'), 'get');
  assert.equal(await first, 'a');
  queue.done('a');
  assert.deepEqual(calls(), [{ done: 'a' }]);
  const last = queue.get();
  await answer(null);
  assert.equal(await last, undefined);
  const [length, requeues] = [queue.length(), queue.numRequeues('x')];
  length.catch(() => {});
  assert.deepEqual(await answer(3), { numRequeues: 'x' });
  assert.equal(await requeues, 3);
  const drained = queue.shutDownWithDrain();
  assert.equal(await answer(null), 'shutDownWithDrain');
  assert.equal(await drained, undefined);
});

test('a loop says done after each key, also after one that failed, and ends with the queue', async () => {
  const { queue, answer, said } = await open();
  const done = () => said.filter(({ type }) => type === 'queue').map(({ call }) => call);
  const worked = [];
  const loop = (async () => {
    for await (const key of queue) worked.push(key);
  })();
  await answer('a');
  await answer('b');
  await answer(null);
  await loop;
  assert.deepEqual([worked, done()], [['a', 'b'], [{ done: 'a' }, { done: 'b' }]]);
  const failing = (async () => {
    for await (const key of queue) throw new Error(`no ${key}`);
  })();
  failing.catch(() => {});
  await answer('c');
  assert.equal(await state(failing), 'no c');
  const next = queue.get();
  await answer('d');
  assert.deepEqual([await next, done().slice(2)], ['d', [{ done: 'c' }]]);
});

test('a key that is worked on is not handed out again by the next engine; it is worked on once more when it is done', async () => {
  const { page, queue, answer, calls } = await open();
  const first = queue.get();
  await answer('a');
  await first;
  await page.crash();
  page.engine.take();
  const second = queue.get();
  assert.equal(await answer('a'), 'get');
  assert.equal(await state(second), 'pending');
  await answer('b');
  assert.equal(await second, 'b', 'the other key is in process');
  queue.done('a');
  assert.deepEqual(calls(), [{ done: 'a' }, { add: 'a' }]);
  queue.done('b');
  assert.deepEqual(calls(), [{ done: 'b' }]);
});

test('what is done that the next engine has not handed out is not said to it', async () => {
  const { page, queue, answer, calls } = await open();
  const key = queue.get();
  await answer('c');
  await key;
  await page.crash();
  page.engine.take();
  queue.done('c');
  assert.deepEqual(calls(), []);
  queue.done('c');
  assert.deepEqual(calls(), [{ done: 'c' }], 'a second done() is passed on');
});

test('what is shut down stays so for the next engine; a signal gives up waiting', async () => {
  const { page, queue, calls } = await open();
  const control = new AbortController();
  const waiting = queue.get({ signal: control.signal });
  waiting.catch(() => {});
  const [asked] = page.engine.take('askQueue');
  control.abort(new Error('left'));
  assert.deepEqual(page.engine.take(), [{ type: 'cancel', request: asked.request }]);
  page.engine.refuse(asked);
  assert.equal(await state(waiting), 'left');
  queue.shutDown();
  assert.deepEqual(calls(), ['shutDown']);
  await page.crash();
  assert.deepEqual(page.engine.take().map(({ type, call }) => call ?? type), ['wasm', 'connect', 'informer', 'openQueue', 'shutDown']);
  await queue[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]();
  assert.deepEqual(calls(), ['shutDown']);
});
