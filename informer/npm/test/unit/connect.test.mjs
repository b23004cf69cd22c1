// `connect()`: checks of options, sources of the wasm, and engine hosts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo } from '../../src/connect.js';
import { openHost } from '../../src/engine-host.js';
import { settle, state } from './engine.mjs';
import { setLocks } from './locks.mjs';

globalThis.location = { href: 'http://page/dir/index.html' };
setLocks(undefined);

const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

/** Steps that the deadline covers. */
let waited = [];
const wait = ([what]) => waited.push(what);

/** A port whose other end responds as an engine does, and its received messages. */
function engine({ silent = false } = {}) {
  const { port1, port2 } = new MessageChannel();
  const heard = [];
  port2.onmessage = ({ data }) => {
    heard.push(data);
    if (/^connect(As)?$/.test(data.type) && !silent) port2.postMessage({ type: 'connected' });
  };
  port1.unref?.();
  port2.unref?.();
  return { port: port1, heard, end: () => (port1.close(), port2.close()) };
}

async function connected(options, files) {
  const { port, heard, end } = engine();
  const factory = await connectTo({ worker: port, wasm: bytes, ...options }, files);
  await factory.shutdown();
  end();
  return { url: factory.status().url, wasm: heard.find(({ type }) => type === 'wasm'), connect: heard.find(({ type }) => /^connect(As)?$/.test(type)) };
}

test('the server’s URL is made absolute, and may be no more than paths can be appended to', async () => {
  for (const [url, absolute] of [
    [undefined, 'http://page'],
    ['/', 'http://page'],
    ['api', 'http://page/dir/api'],
    ['/k8s//', 'http://page/k8s'],
    ['http://127.0.0.1:8001/', 'http://127.0.0.1:8001'],
    ['https://other/base/', 'https://other/base'],
    [new URL('http://server:1/x'), 'http://server:1/x'],
  ]) {
    const { url: is, connect } = await connected({ url });
    assert.deepEqual([is, connect.url], [absolute, absolute]);
  }
  for (const url of ['ftp://x/', 'http://x/?a=b', 'http://x/#a', 'http://u@x/', 'http://:p@x/', 'data:text/plain,x']) {
    await assert.rejects(connectTo({ url, wasm: bytes }), (error) => error.code === 'bad-request' && /is not supported: `url` must be http or https, with host and path only/.test(error.message), url);
  }
  await assert.rejects(connectTo({ url: 'http://u:secret@x/y' }), (error) => !error.message.includes('secret') && error.message.startsWith('http://x is not supported'));
  await assert.rejects(connectTo({ url: 'http://[' }), (error) => error.code === 'bad-request' && error.message === '`url` is not a valid URL: http://[' && error.cause instanceof TypeError);
  await assert.rejects(connectTo({ defaultResync: 0.5 }), { code: 'bad-request' });
});

test('persistence follows the option, and is on in a shared worker by default', async () => {
  for (const [persist, is] of [[undefined, false], [true, true], [false, false], [1, true]]) {
    assert.equal((await connected({ persist })).connect.persist, is);
  }
});

test('the wasm is the given source, or one of the package’s files', async () => {
  const sources = ({ wasm: { wasm, deferred, extras, protobuf } }) => [wasm, deferred, extras, protobuf];
  const given = await connected({});
  assert.deepEqual(sources(given), [bytes, undefined, undefined, undefined]);
  const files = { engine: 'http://cdn/informer.wasm', deferred: 'http://cdn/second.wasm', extras: 'http://cdn/third.wasm', protobuf: 'http://cdn/fourth.wasm' };
  const packaged = await connected({ wasm: undefined }, files);
  assert.deepEqual(sources(packaged), [files.engine, files.deferred, files.extras, files.protobuf]);
  const beside = await connected({ wasm: '/assets/informer.wasm' }, files);
  assert.deepEqual(sources(beside), ['informer', 'deferred', 'extras', 'protobuf'].map((name) => `http://page/assets/${name}.wasm`));
  const all = await connected({ wasm: 'a.wasm', deferred: 'b.wasm', extras: 'c.wasm', protobuf: 'd.wasm' });
  assert.deepEqual(sources(all), ['a', 'b', 'c', 'd'].map((name) => `http://page/dir/${name}.wasm`));
  const json = await connected({ wasm: undefined, protobuf: false }, files);
  assert.deepEqual([...sources(json), json.connect.type, json.connect.json], [files.engine, files.deferred, files.extras, undefined, 'connectAs', true]);
  assert.equal(packaged.connect.json, undefined);
  await assert.rejects(connected({ wasm: 7 }), { code: 'bad-request', message: /`wasm` must be a URL, Request, Response, bytes, or WebAssembly.Module/ });
});

test('a signal gives up connecting', async () => {
  const control = new AbortController();
  const { port, end } = engine({ silent: true });
  const connecting = connectTo({ worker: port, wasm: bytes, signal: control.signal });
  connecting.catch(() => {});
  await settle();
  assert.equal(await state(connecting), 'pending');
  control.abort(new Error('left'));
  assert.equal(await state(connecting), 'left');
  await assert.rejects(connectTo({ worker: port, wasm: bytes, signal: control.signal }), { message: 'left' });
  end();
});

test('a host: a port as it is, a worker by a port of its own, or a reason', async () => {
  const life = new AbortController().signal;
  const errors = [];
  const onError = ({ message }) => errors.push(message);
  const { port, end } = engine();
  const given = await openHost(port, onError, life, wait);
  assert.deepEqual([given.port === port, given.isInPage, given.isReopenable, given.isShared], [true, false, false, undefined]);
  given.close();
  end();

  const posted = [];
  globalThis.Worker = class extends EventTarget {
    constructor(url, options) {
      super();
      Object.assign(this, { url, options });
      made.push(this);
    }
    postMessage(message, ports) {
      posted.push([message, ports?.length]);
      ports?.forEach((port) => port.close());
    }
    terminate() {
      this.ended = true;
    }
  };
  const made = [];
  const own = await openHost('dedicated', onError, life, wait);
  assert.deepEqual([posted, own.isReopenable, own.isInPage, made[0].options.type], [[[{ type: 'port' }, 1]], true, false, 'module']);
  assert.match(`${made[0].url}`, /\/worker\.js$/);
  made[0].dispatchEvent(Object.assign(new Event('error'), { message: 'boom' }));
  made[0].dispatchEvent(new Event('error'));
  const file = `${made[0].url}`;
  assert.deepEqual(errors.splice(0), [`the worker could not be started: boom (${file})`, `the worker could not be started: its file is missing, or the page's policy forbids it (${file})`]);
  assert.deepEqual(waited.splice(0), [`the worker ${file} did not respond`]);
  own.close();
  assert.equal(made[0].ended, true, 'what we made we end');
  const theirs = new Worker('theirs.js');
  const host = await openHost(theirs, onError, life, wait);
  host.close();
  assert.deepEqual([host.isReopenable, theirs.ended, posted.length], [false, undefined, 2], 'what is given stays');
  await assert.rejects(openHost('nowhere', onError, life, wait), { code: 'bad-request', message: /`worker` must be "shared", "elected", "dedicated", false/ });
  await assert.rejects(openHost({}, onError, life, wait), { code: 'bad-request' });
  const best = await openHost(undefined, onError, life, wait);
  best.close();
  assert.equal(made.length, 3, 'without a shared worker and without locks: a dedicated one');
  delete globalThis.Worker;
});

test('a shared worker is connected when it responds; without a response it is opened again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const life = new AbortController();
  const made = [];
  globalThis.SharedWorker = class extends EventTarget {
    constructor(url, options) {
      super();
      this.port = { close: () => (this.closed = true) };
      Object.assign(this, { url, options });
      made.push(this);
    }
  };
  const errors = [];
  const opening = openHost(undefined, ({ message }) => errors.push(message), life.signal, wait);
  await settle();
  assert.deepEqual([made.length, made[0].options.type], [1, 'module']);
  t.mock.timers.tick(999);
  await settle();
  assert.equal(made.length, 1);
  t.mock.timers.tick(1);
  await settle();
  assert.deepEqual([made.length, made[0].closed], [2, true]);
  t.mock.timers.tick(1_999);
  await settle();
  assert.equal(made.length, 2, 'each time twice as long');
  made[1].port.onmessage({ data: { type: 'hello' } });
  const host = await opening;
  assert.deepEqual([host.port === made[1].port, host.isShared, host.isReopenable, host.isInPage, made[1].closed], [true, true, true, false, undefined]);
  made[1].dispatchEvent(Object.assign(new Event('error'), { message: 'late' }));
  assert.deepEqual(errors, [`the worker could not be started: late (${made[1].url})`]);
  const given = await openHost(made[1], () => {}, life.signal, wait);
  assert.deepEqual([given.port === made[1].port, given.isShared, given.isReopenable], [true, true, false]);

  const left = openHost('shared', () => {}, life.signal, wait);
  await settle();
  life.abort(new Error('left'));
  await settle();
  assert.equal(await state(left), 'resolved', 'the connection no longer waits for it');
  delete globalThis.SharedWorker;
});

test('a `fetch` of the page’s own, and a URL that only ends or begins like http', async () => {
  for (const url of ['xhttp://x/', 'httpsx://x/']) await assert.rejects(connectTo({ url, wasm: bytes }), { code: 'bad-request', message: /is not supported/ });
  const { port, end } = engine();
  const factory = await connectTo({ worker: port, wasm: bytes, fetch: async () => new Response('{}') });
  await factory.shutdown();
  end();
});

test('`prestart` and `fetch` are named if they are invalid', async () => {
  const prestart = '`prestart` must be an array of [resource] or [resource, options]';
  for (const wrong of [7, ['v1/pods'], [['v1/pods'], 'v1/nodes']]) await assert.rejects(connectTo({ prestart: wrong, wasm: bytes }), { code: 'bad-request', message: prestart });
  await assert.rejects(connectTo({ fetch, worker: 'shared' }), { code: 'bad-request', message: '`fetch` must be used with `worker: false` or your own worker: a worker cannot call it' });
});

test('a page without options of access sends its requests with no headers of a user, and may open WebSockets', async (t) => {
  const { port1, port2 } = new MessageChannel();
  const connects = [];
  port2.onmessage = ({ data }) => {
    if (data.type === 'connect') connects.push(data);
    if (data.type === 'connect') port2.postMessage({ type: 'connected' });
    if (data.type === 'lease') port2.postMessage({ type: 'reply', request: data.request, json: null });
  };
  const sent = [];
  t.mock.method(globalThis, 'fetch', async (url, { headers }) => (sent.push(Object.fromEntries(headers)), new Response('{}')));
  const factory = await connectTo({ worker: port1, wasm: bytes, headers: undefined, user: undefined });
  await factory.client.get({ resource: 'v1/nodes', name: 'n' });
  const opened = [];
  const gone = new AbortController();
  const { WebSocket } = globalThis;
  t.after(() => Object.assign(globalThis, { WebSocket }));
  globalThis.WebSocket = class {
    constructor(url) {
      opened.push(`${url}`.split('?')[0]);
      gone.abort();
      throw new Error('no');
    }
  };
  await factory.client.logs({ resource: 'v1/pods', namespace: 'n', name: 'p' }, { follow: true, container: 'c', signal: gone.signal }).next().catch(() => {});
  await factory.shutdown();
  port1.close();
  port2.close();
  assert.deepEqual([sent[0], opened[0], 'headers' in connects[0]], [{ accept: 'application/json' }, 'ws://page/api/v1/namespaces/n/pods/p/log', false]);
});
