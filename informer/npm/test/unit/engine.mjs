// Fake engine: a port whose messages the test sends and reads.
import { setMaxListeners } from 'node:events';
import { after } from 'node:test';
import { Access } from '../../src/access.js';
import { Connection } from '../../src/connection.js';
import { SharedInformerFactory } from '../../src/factory.js';

/** Globals of a page that node lacks. */
const globals = new EventTarget();
for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent']) globalThis[name] = globals[name].bind(globals);
setMaxListeners(0, globals);
globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
setMaxListeners(0, globalThis.document);

/** As connect() makes it. */
const accessOf = (options) => (options ? new Access(options) : { options: {}, headers: async () => [], allowsSockets: true });

/** Lets every promise that can be settled be settled. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Waits for a condition, on a machine of any speed. */
export async function until(holds) {
  for (const late = Date.now() + 60_000; !holds(); await settle()) {
    if (Date.now() > late) throw new Error(`it did not come about: ${holds}`);
  }
}

/** `pending`, `resolved` or the message of the rejection. */
export const state = (promise) =>
  Promise.race([promise.then(() => 'resolved', (error) => error?.message ?? `${error}`), settle().then(() => 'pending')]);

/** A promise's value or error, as `{ value }` or `{ error }`; undefined while it is pending. */
export const outcome = (promise) => Promise.race([promise.then((value) => ({ value }), (error) => ({ error })), settle()]);

/** One life of an engine, behind a port. */
export class Engine {
  /** Messages of the page, in order. */
  heard = [];
  closed = false;

  constructor(host) {
    const port = { postMessage: (message) => this.heard.push(structuredClone(message)), onmessage: null, onmessageerror: null };
    this.port = port;
    this.host = { port, isInPage: false, isReopenable: true, handsOver: false, close: () => (this.closed = true), ...host };
  }

  say(message) {
    this.port.onmessage?.({ data: message });
  }

  /** Messages since the last call, of one type or of all. */
  take(type) {
    // factory.test.mjs tests the messages about visibility.
    const taken = this.heard.splice(0).filter((message) => type === 'visible' || message.type !== 'visible');
    return type ? taken.filter((message) => message.type === type) : taken;
  }

  answer({ request }, json) {
    this.say({ type: 'reply', request, json });
  }

  refuse({ request }, code = 'bad-request', message = 'no') {
    this.say({ type: 'failed', request, error: { code, message, retryable: false } });
  }
}

const pages = [];
// Deadlines that are no longer needed.
after(() => pages.forEach((page) => page.connection.end(new Error('the test is over'))));

/** A page with a connection whose engines the test simulates; `engines` has them all, the newest last. */
export class Page {
  engines = [];
  persist = true;

  /** `fail` is the error of dialling, instead of a host. */
  constructor({ host = {}, url = 'http://server', resync, signal, fail, timeoutMs = 10_000, parse = JSON.parse, access } = {}) {
    pages.push(this);
    const dial = async (onError, life) => {
      this.onError = onError;
      this.life = life;
      if (fail) throw fail;
      const engine = new Engine(host);
      this.engines.push(engine);
      return { host: engine.host, persist: this.persist, wasm: 'wasm', deferred: 'deferred' };
    };
    this.connection = new Connection({ dial, url, access: accessOf(access), timeoutMs, parse });
    this.ended = [];
    this.connection.onend = (error) => this.ended.push(error);
    this.connected = this.connection.connect();
    this.options = { url, access: accessOf(access), resync, signal };
  }

  static async connected(options) {
    const page = new Page(options);
    await settle();
    page.engine.say({ type: 'connected' });
    await page.connected;
    page.engine.take();
    return page;
  }

  get engine() {
    return this.engines.at(-1);
  }

  factory() {
    const { url, access, resync, signal } = this.options;
    const factory = new SharedInformerFactory(this.connection, url, access, resync, signal);
    this.engine.take('visible');
    return factory;
  }

  /** The engine crashes, and another one responds; resolves to `true` as soon as it is connected. */
  async crash(code = 'internal') {
    const before = this.engines.length;
    this.engine.say({ type: 'refused', error: { code, message: 'it has crashed', retryable: true } });
    for (let turn = 0; turn < 200 && this.engines.length === before; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    if (this.engines.length === before) return false;
    await settle();
    this.engine.say({ type: 'connected' });
    return true;
  }
}

/** A status as an engine sends it. */
export const status = (more) => ({
  phase: 'watching', freshness: 'live', hasSynced: true, resourceVersion: '10', objects: 1, bytes: 100, listed: 1,
  lastEventAt: 1, lastBookmarkAt: 2, lastContactAt: 3, nextRetryAt: null,
  lists: 1, watches: 1, relists: 0, events: 0, droppedEvents: 0, queueDepth: 0, lastError: null, namespaces: [], ...more,
});

export const object = (name, resourceVersion = '1', uid = name) => ({ kind: 'Pod', metadata: { name, uid, resourceVersion } });
