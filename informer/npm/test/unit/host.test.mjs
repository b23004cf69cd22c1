// Engine host: loading, rejections, and messages after a crash of the engine.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { beforeEach, test } from 'node:test';
import { settle, until } from './engine.mjs';
import { Locks, setLocks } from './locks.mjs';

// host.js needs the engine's code, which only a build has.
register(`data:text/javascript,${encodeURIComponent(`
  export async function resolve(specifier, context, next) {
    if (specifier === './engine.js') return { url: 'stub:engine', shortCircuit: true };
    return next(specifier, context);
  }
  export async function load(url, context, next) {
    const source = 'export default (options) => globalThis.engine.load(options); export const serve = (port) => globalThis.engine.serve(port);';
    if (url === 'stub:engine') return { format: 'module', source, shortCircuit: true };
    return next(url, context);
  }`)}`);

const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
let hosts = 0;
const load = () => import(`../../src/host.js?${++hosts}`);

let locks;
beforeEach(() => {
  locks = setLocks(new Locks());
  globalThis.engine = { loads: 0, served: [], load: async () => (engine.loads++, {}), serve: (port) => engine.served.push(port) };
});

/** A worker's end of a port. */
class Port extends EventTarget {
  said = [];
  handed = [];
  constructor() {
    super();
    this.addEventListener('message', ({ data }) => this.handed.push(data));
  }
  postMessage(message) {
    this.said.push(message);
  }
  /** As from the page: through `onmessage`, until the engine has taken that over. */
  hear(data) {
    return this.onmessage?.({ data });
  }
}
const types = (messages) => messages.map(({ type }) => type);
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await settle();
};

test('it announces itself, holds a lock, loads the engine once, and forwards early messages', async () => {
  const { take } = await load();
  const [one, two] = [new Port(), new Port()];
  take(one, 'elected');
  assert.deepEqual(one.said, [{ type: 'hello', lock: 'elected' }]);
  one.hear({ type: 'connect' });
  one.hear({ type: 'wasm', wasm: empty });
  await until(() => engine.served.length === 1);
  await turns();
  assert.match(one.said[1].lock, /^kube-informer /);
  assert.deepEqual([types(one.said), one.handed, engine.loads, engine.served], [['hello', 'lock'], [{ type: 'connect' }], 1, [one]]);
  take(two);
  two.hear({ type: 'wasm', wasm: empty });
  await until(() => engine.served.length === 2);
  assert.deepEqual([engine.loads, engine.served.length, two.said[0].lock], [1, 2, undefined]);
  // A page that closes its port, and one that dies.
  const [, { lock }] = one.said;
  assert.ok(locks.names.includes(lock));
  one.dispatchEvent(new MessageEvent('message', { data: { type: 'other' } }));
  await turns();
  assert.ok(locks.names.includes(lock));
  one.dispatchEvent(new MessageEvent('message', { data: { type: 'close' } }));
  await turns();
  assert.ok(!locks.names.includes(lock));
});

test('a page that dies sends no close: its released lock shows the end', async () => {
  const { take } = await load();
  locks.request('page', () => new Promise(() => {}));
  const port = new Port();
  take(port);
  port.hear({ type: 'wasm', wasm: empty, lock: 'page' });
  await until(() => engine.served.length === 1);
  assert.deepEqual(port.handed, []);
  locks.release('page');
  await turns();
  assert.deepEqual(port.handed, [{ type: 'close' }]);
});

test('loading that failed for one page is retried for the next', async () => {
  const { take } = await load();
  const [bad, good] = [new Port(), new Port()];
  take(bad);
  bad.hear({ type: 'wasm', wasm: new Uint8Array([1, 2, 3]) });
  bad.hear({ type: 'connect' });
  await until(() => bad.said.at(-1).type === 'refused');
  const refusal = bad.said.at(-1);
  assert.deepEqual([refusal.type, refusal.error.code, refusal.error.retryable, bad.handed], ['refused', 'internal', true, []]);
  assert.match(refusal.error.message, /^the engine could not be loaded: /);
  take(good);
  good.hear({ type: 'wasm', wasm: empty });
  await until(() => engine.served.length === 1);
  assert.deepEqual(engine.served, [good]);
  good.onmessageerror();
  assert.equal(good.said.at(-1).error.message, 'a message to the worker could not be deserialised');
});

test('a trap is reported to all pages, ends the worker, and later pages get no response', async (t) => {
  const { take, reportCrashes } = await load();
  const listeners = {};
  globalThis.addEventListener = (type, listener) => (listeners[type] = listener);
  const ended = [];
  globalThis.self = { close: () => ended.push('closed') };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  reportCrashes();
  const [one, two, gone] = [new Port(), new Port(), new Port()];
  for (const port of [one, two, gone]) {
    take(port);
    port.hear({ type: 'wasm', wasm: empty });
  }
  const early = new Port();
  take(early);
  await until(() => engine.served.length === 3);
  gone.dispatchEvent(new MessageEvent('message', { data: { type: 'close' } }));
  listeners.error({ error: new Error('a page’s own') });
  listeners.unhandledrejection({ reason: undefined });
  assert.deepEqual(types(one.said), ['hello', 'lock']);
  listeners.unhandledrejection({ reason: new WebAssembly.RuntimeError('unreachable') });
  listeners.error({ error: new WebAssembly.RuntimeError('again') });
  for (const port of [one, two]) {
    assert.deepEqual([types(port.said), port.said.at(-1).error.message], [['hello', 'lock', 'refused'], 'the engine has crashed (unreachable)']);
  }
  assert.deepEqual([types(gone.said), ended], [['hello', 'lock'], []]);
  t.mock.timers.tick(99);
  assert.deepEqual(ended, []);
  t.mock.timers.tick(1);
  assert.deepEqual(ended, ['closed']);
  const late = new Port();
  take(late);
  assert.deepEqual(late.said, []);
  early.hear({ type: 'wasm', wasm: empty });
  await until(() => early.said.length > 1);
  assert.equal(early.said.at(-1).error.message, 'the engine could not be loaded: the engine has crashed (unreachable)');
});

test('the database is opened early if snapshots are wanted, and never created', async (t) => {
  const opened = [];
  t.after(() => delete globalThis.indexedDB);
  globalThis.indexedDB = { open: (name) => (opened.push({ name, did: [], result: { close: () => opened[0].did.push('close') }, transaction: { abort: () => opened[0].did.push('abort') } }), opened.at(-1)) };
  const { take } = await load();
  for (const persist of [false, true]) {
    const port = new Port();
    take(port);
    port.hear({ type: 'wasm', wasm: empty, persist });
    await until(() => engine.served.includes(port));
    assert.equal(opened.length, persist ? 1 : 0);
  }
  const [{ name, did, onupgradeneeded, onsuccess, onerror }] = opened;
  onupgradeneeded();
  onsuccess();
  onerror({ preventDefault: () => did.push('prevented') });
  assert.deepEqual([name, did], ['kube-informer', ['abort', 'close', 'prevented']]);
});

test('storage that is blocked does not keep the engine from loading', async (t) => {
  t.after(() => delete globalThis.indexedDB);
  globalThis.indexedDB = { open: () => { throw new DOMException('blocked', 'SecurityError'); } };
  const { take } = await load();
  const port = new Port();
  take(port);
  port.hear(null);
  port.dispatchEvent(new MessageEvent('message', { data: null }));
  port.hear({ type: 'wasm', wasm: empty, persist: true });
  await until(() => engine.served.includes(port));
  assert.deepEqual(types(port.said), ['hello', 'lock']);
});

test('the engine is loaded from the compiled module, and a failure of any kind has a sentence', async () => {
  const given = [];
  globalThis.engine.load = async (options) => {
    given.push(options);
    if (given.length === 1) throw undefined;
    return {};
  };
  const { take } = await load();
  const port = new Port();
  take(port);
  await port.hear({ type: 'wasm', wasm: empty });
  assert.equal(port.said.at(-1).error.message, 'the engine could not be loaded: undefined');
  assert.ok(given[0].module_or_path instanceof WebAssembly.Module);
});
