// Connection of a page: message routing, responses, and replay to the next engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Requests } from '../../src/requests.js';
import { Restarts } from '../../src/restarts.js';
import { outcome, Page, settle, state } from './engine.mjs';

test('it sends the source of the wasm, then its identity, and is connected when the engine confirms it', async () => {
  const page = new Page({ url: 'http://server/api' });
  assert.equal(await state(page.connected), 'pending');
  assert.deepEqual(page.engine.take(), [
    { type: 'wasm', wasm: 'wasm', deferred: 'deferred', persist: true, lock: undefined },
    { type: 'connect', version: 15, url: 'http://server/api', persist: true },
  ]);
  assert.equal(page.connection.generation, 0);
  page.connection.send({ type: 'early' });
  page.connection.open(1, { type: 'informer', informer: 1 });
  const asked = page.connection.request({ type: 'resources' });
  assert.deepEqual(page.engine.take(), [{ type: 'informer', informer: 1 }], 'what is recorded does not wait for the engine to load');
  page.engine.say({ type: 'connected' });
  assert.equal(await state(page.connected), 'resolved');
  const [request, early] = page.engine.take();
  assert.deepEqual([request.type, early.type, page.connection.generation], ['resources', 'early', 1]);
  page.engine.answer(request, ['pods']);
  assert.deepEqual(await asked, ['pods']);
  page.connection.send({ type: 'later' });
  assert.deepEqual(page.engine.take(), [{ type: 'later' }]);
});

test('an engine that is unavailable rejects the connection with the reason', async () => {
  const page = new Page();
  await settle();
  page.onError(new Error('no file'));
  assert.equal(await state(page.connected), 'no file');
  assert.deepEqual([page.ended.map(({ message }) => message), page.engine.closed], [['no file'], true]);

  const other = new Page({ fail: new TypeError('no worker') });
  await settle();
  const { error } = await outcome(other.connected);
  assert.deepEqual([error.code, error.message, error.cause.message, error.retryable], ['internal', 'connecting failed: no worker', 'no worker', true]);
});

test('an undecodable message ends it, and after the end it sends nothing', async () => {
  const page = await Page.connected();
  const asked = page.connection.request({ type: 'resources' });
  const { port } = page.engine;
  port.onmessageerror();
  assert.equal(await state(asked), 'a message from the engine could not be deserialised');
  assert.deepEqual([page.engine.take().map(({ type }) => type), page.engine.closed, page.ended.length], [['resources', 'close'], true, 1]);
  page.connection.send({ type: 'x' });
  page.connection.leave();
  page.connection.back();
  page.connection.end(new Error('again'));
  assert.equal(await state(page.connection.request({ type: 'y' })), 'a message from the engine could not be deserialised');
  assert.deepEqual([page.engine.take(), page.ended.length, page.engines.length], [[], 1, 1]);
});

test('text is parsed as JSON, and each message goes to its listener', async () => {
  const page = await Page.connected();
  const heard = [];
  const [one, two] = [page.connection.listen((message) => heard.push(['one', message])), page.connection.listen((message) => heard.push(['two', message]))];
  assert.notEqual(one, two);
  page.engine.say(JSON.stringify({ type: 'status', informer: one, status: 1 }));
  page.engine.say({ type: 'changes', informer: one, handler: two });
  page.engine.say({ type: 'view', view: two, informer: one });
  page.engine.say({ type: 'status', informer: 99 });
  page.engine.say({ type: 'news' });
  page.engine.say(null);
  assert.deepEqual(heard.map(([listener, { type }]) => [listener, type]), [['one', 'status'], ['two', 'changes'], ['two', 'view']]);
  page.connection.close(one);
  page.engine.say({ type: 'status', informer: one });
  assert.equal(heard.length, 3);
});

test('replies are matched by request number, in any order, and rejections have the engine’s error', async () => {
  const page = await Page.connected();
  const [a, b] = [page.connection.request({ type: 'a' }), page.connection.request({ type: 'b' })];
  const [first, second] = page.engine.take();
  assert.notEqual(first.request, second.request);
  page.engine.refuse(second, 'not-found', 'there is none');
  page.engine.answer(first, { x: 1 });
  page.engine.answer(first, 'twice');
  page.engine.answer({ request: 999 }, 'unsolicited');
  page.engine.refuse({ request: 999 });
  assert.deepEqual(await a, { x: 1 });
  const { error } = await outcome(b);
  assert.deepEqual([error.code, error.message], ['not-found', 'there is none']);
});

test('a signal cancels a request, which rejects with the signal’s reason', async () => {
  const page = await Page.connected();
  const control = new AbortController();
  const asked = page.connection.request({ type: 'get' }, 1, control.signal);
  const [{ request }] = page.engine.take();
  control.abort(new Error('enough'));
  assert.deepEqual(page.engine.take(), [{ type: 'cancel', request }]);
  assert.equal(await state(asked), 'pending', 'the answer may be on its way');
  page.engine.refuse({ request });
  assert.equal(await state(asked), 'enough');
  assert.equal(await state(page.connection.request({ type: 'get' }, 1, control.signal)), 'enough');
  assert.deepEqual(page.engine.take(), [], 'aborted before it was asked');

  const later = new AbortController();
  const answered = page.connection.request({ type: 'get' }, 1, later.signal);
  page.engine.answer(page.engine.take()[0], 'key');
  assert.equal(await answered, 'key');
  later.abort();
  assert.deepEqual(page.engine.take(), [], 'after the answer there is nothing to cancel');
});

test('another engine replaces one that crashes, and receives the replay log', async () => {
  const page = await Page.connected();
  const heard = [];
  const informer = page.connection.listen(({ type, error }) => heard.push([type, error?.message]));
  page.connection.open(informer, { type: 'informer', informer });
  page.connection.open('known', { type: 'known' }, true);
  page.connection.open('start', { type: 'start' });
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['informer', 'start']);
  const asked = page.connection.request({ type: 'read', informer }, informer);
  const first = page.engine;
  assert.ok(await page.crash());
  assert.deepEqual(heard, [['disconnected', 'it has crashed']]);
  assert.deepEqual([first.closed, first.heard.map(({ type }) => type)], [true, ['read', 'close']]);
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['wasm', 'connect', 'informer', 'known', 'start', 'read']);
  assert.equal(page.connection.generation, 2);
  first.say({ type: 'status', informer });
  assert.equal(heard.length, 1, 'the old one is not heard any more');
  page.engine.answer({ request: 2 }, 'list');
  assert.equal(await asked, 'list');
  assert.deepEqual(page.ended, []);
});

test('a refusal that is no crash ends it; so does the crash of an engine that never was there, or that is in the page', async () => {
  const refused = new Page();
  await settle();
  refused.engine.say({ type: 'refused', error: { code: 'bad-request', message: 'another version', retryable: false } });
  assert.equal(await state(refused.connected), 'another version');
  for (const [host, wasUp] of [[{}, false], [{ isInPage: true }, true], [{ isReopenable: false }, true]]) {
    const page = new Page({ host });
    await settle();
    if (wasUp) page.engine.say({ type: 'connected' });
    page.engine.say({ type: 'refused', error: { code: 'internal', message: 'crashed', retryable: true } });
    await settle();
    assert.deepEqual([page.ended.map(({ message }) => message), page.engines.length], [['crashed'], 1], JSON.stringify(host));
  }
});

test('the second crash is followed by a pause, the fourth within a minute by the end', (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const restarts = new Restarts();
  assert.deepEqual([restarts.next(), restarts.next(), restarts.next(), restarts.next(), restarts.next()], [0, 1000, 5000, undefined, undefined]);
  now += 59_999;
  assert.equal(restarts.next(), undefined);
  now += 1;
  assert.equal(restarts.next(), 0, 'a minute later');
  assert.equal(restarts.next(), 1000);
});

test('a page in the back/forward cache closes its port, and replays its log when it returns', async () => {
  const page = await Page.connected();
  const heard = [];
  const informer = page.connection.listen(({ type, error }) => heard.push([type, error]));
  page.connection.open(informer, { type: 'informer', informer });
  page.engine.take();
  const first = page.engine;
  page.connection.leave();
  assert.deepEqual([first.take(), first.closed, heard], [[{ type: 'close' }], true, [['disconnected', undefined]]]);
  page.connection.send({ type: 'meanwhile' });
  page.connection.leave();
  assert.deepEqual([first.take(), heard.length], [[], 1], 'it is away already');
  page.connection.back();
  await settle();
  page.engine.say({ type: 'connected' });
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['wasm', 'connect', 'informer', 'meanwhile']);

  const own = await Page.connected({ host: { isReopenable: false } });
  own.connection.leave();
  own.connection.back();
  assert.deepEqual([own.ended[0].code, own.ended[0].retryable], ['closed', true]);
  assert.match(own.ended[0].message, /back\/forward cache, .* call connect\(\) again/);
});

test('a host that opens after the end is closed', async () => {
  const page = new Page();
  page.connection.end(new Error('changed my mind'));
  await settle();
  assert.deepEqual([page.engine.closed, page.engine.heard, await state(page.connected)], [true, [], 'changed my mind']);
});

test('reads wait while a cache is filled again, and are rejected with their informer', async () => {
  const page = await Page.connected();
  page.connection.setReadable(5, false);
  const [read, other, inspection] = [
    page.connection.request({ type: 'read', informer: 5 }, 5),
    page.connection.request({ type: 'read', informer: 6 }, 6),
    page.connection.request({ type: 'inspect', informer: 5 }, 5),
  ];
  for (const promise of [read, other, inspection]) promise.catch(() => {});
  assert.deepEqual(page.engine.take().map(({ type, informer }) => [type, informer]), [['read', 6], ['inspect', 5]]);
  page.connection.setReadable(5, true);
  assert.deepEqual(page.engine.take().map(({ type, informer }) => [type, informer]), [['read', 5]]);
  page.connection.setReadable(5, true);
  assert.deepEqual(page.engine.take(), [], 'once');
  page.connection.reject(5, new Error('stopped'));
  assert.deepEqual([await state(read), await state(other), await state(inspection)], ['stopped', 'pending', 'stopped']);

  const requests = new Requests();
  requests.add({ type: 'read', informer: 5, request: 1 }, 5).catch(() => {});
  requests.hold(5);
  assert.deepEqual(requests.messages(), []);
  requests.reject(new Error('gone'), 5);
  assert.deepEqual([requests.isDue({ type: 'read', informer: 5 }), requests.release(5)], [true, []]);
});
