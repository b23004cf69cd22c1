// Followed object: its text as the server wrote it, and the parsed object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { object, Page } from './engine.mjs';
import { paint } from './frames.mjs';

async function open(options) {
  const page = await Page.connected(options);
  const informer = page.factory().forResource('v1/pods');
  const store = informer.object('shop/web');
  const [{ follow, ...message }] = page.engine.take('follow');
  const say = (json) => page.engine.say(`{"type":"object","follow":${follow},"json":${json}}`);
  return { page, informer, store, follow, message, say };
}

test('it is undefined, then the object, then null, with one callback per frame', async () => {
  const { informer, store, message, say } = await open();
  assert.deepEqual([message.type, message.key], ['follow', 'shop/web']);
  assert.deepEqual([store.getSnapshot(), store.text()], [undefined, undefined]);
  let told = 0;
  const forget = store.subscribe(() => told++);
  say('{"metadata":{"name":"web"}, "n": 12345678901234567890.0}');
  say('{"metadata":{"name":"web"}, "n": 12345678901234567890.50, "s":"}\\n"}');
  paint();
  assert.equal(told, 1);
  assert.equal(store.text(), '{"metadata":{"name":"web"}, "n": 12345678901234567890.50, "s":"}\\n"}', 'as it was written');
  assert.deepEqual(store.getSnapshot().metadata, { name: 'web' });
  assert.equal(store.getSnapshot(), store.getSnapshot());
  say('null');
  paint();
  assert.deepEqual([store.getSnapshot(), store.text(), told], [null, null, 2]);
  forget();
  say('{}');
  paint();
  assert.equal(told, 2);
  assert.throws(() => informer.object(''), { code: 'bad-request' });
});

test('its text is parsed by the connection’s parser, on first use', async () => {
  let read = 0;
  const { store, say } = await open({ parse: (text) => (read++, JSON.parse(text)) });
  say(JSON.stringify(object('web')));
  store.text();
  assert.equal(read, 0);
  store.getSnapshot();
  store.getSnapshot();
  assert.equal(read, 1);
});

test('between two engines it stays, and the next engine receives the subscription', async () => {
  const { page, store, follow, say } = await open();
  say('{"a":1}');
  await page.crash();
  assert.equal(store.text(), '{"a":1}');
  assert.deepEqual(page.engine.take('follow').map((message) => message.follow), [follow]);
});

test('disposing sends one message, and none after its informer is stopped', async () => {
  const { page, informer, store, follow, say } = await open();
  let told = 0;
  store.subscribe(() => told++);
  store[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  store[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  assert.deepEqual(page.engine.take('unfollow'), [{ type: 'unfollow', follow }]);
  say('{}');
  paint();
  assert.deepEqual([told, store.text()], [0, undefined]);
  informer.object('shop/db');
  page.engine.take();
  await informer.stop();
  assert.equal(page.engine.take('unfollow').length, 1);
  assert.throws(() => informer.object('shop/db'), { code: 'closed' });
});
