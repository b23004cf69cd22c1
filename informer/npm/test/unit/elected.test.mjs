// Leader election: one tab of the origin is elected, and its worker serves all of them.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { beforeEach, test } from 'node:test';
import { Locks, setLocks } from './locks.mjs';

/** Channels of one origin, which deliver messages in a later turn. */
class Channel {
  static open = new Set();
  constructor(name) {
    this.name = name;
    Channel.open.add(this);
  }
  postMessage(message) {
    for (const other of Channel.open) {
      if (other !== this && other.name === this.name) queueMicrotask(() => Channel.open.has(other) && other.onmessage?.({ data: message }));
    }
  }
  close() {
    Channel.open.delete(this);
  }
}
globalThis.BroadcastChannel = Channel;
globalThis.Worker = class {};

let workers;
let locks;
let tabs = 0;
let events;

beforeEach(() => {
  workers = [];
  Channel.open.clear();
  locks = setLocks(new Locks());
  events = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent']) globalThis[name] = events[name].bind(events);
  globalThis.document = new EventTarget();
});

/** A worker that behaves like leader.js: it holds a lock, and responds to each page that opens an address. */
function worker({ lock = `lock of ${workers.length}`, failed } = {}) {
  const made = { lock, heard: [], served: [], terminate: () => ((made.ended = true), made.control?.close()) };
  made.postMessage = ({ type, name }) => {
    made.heard.push({ type, name });
    if (failed) return queueMicrotask(() => made.onmessage({ data: { failed } }));
    locks.request(lock, () => new Promise(() => {}));
    queueMicrotask(() => {
      made.onmessage({ data: { lock } });
      made.control = new Channel(name);
      made.control.onmessage = ({ data }) => {
        if (data?.type !== 'open' || made.served.includes(data.address)) return;
        made.served.push(data.address);
        new Channel(data.address).postMessage({ type: 'hello', lock });
      };
      made.control.postMessage({ type: 'lead' });
    });
  };
  workers.push(made);
  return made;
}

/** Another tab, with separate modules. */
const tab = () => import(`../../src/elected.js?${++tabs}`);
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const life = () => new AbortController();

test('the first tab leads, and the second one is served by its worker', async () => {
  const [one, two] = [await tab(), await tab()];
  const errors = [];
  const first = await one.openElected('app', (error) => errors.push(error), life().signal, worker);
  assert.deepEqual([workers.length, workers[0].heard], [1, [{ type: 'lead', name: 'app' }]]);
  assert.deepEqual([first.isShared, first.isReopenable, first.handsOver, first.hasAnswered, first.lock], [true, true, true, true, 'lock of 0']);
  assert.match(first.port.name, /^app [0-9a-f-]{36}$/);
  const second = await two.openElected('app', (error) => errors.push(error), life().signal, worker);
  assert.deepEqual([workers.length, workers[0].served.length, second.port.name === first.port.name], [1, 2, false]);
  assert.deepEqual(errors, []);
});

test('when the leader goes the next tab leads, and a tab that waited is served', async () => {
  const [one, two] = [await tab(), await tab()];
  const first = await one.openElected('app', () => {}, life().signal, worker);
  await two.openElected('app', () => {}, life().signal, worker);
  // The worker dies: its lock is released, and the former leader queues for election behind the other tab.
  locks.release(workers[0].lock);
  await turns();
  assert.deepEqual([workers.length, workers[0].ended], [2, true]);
  first.close();
});

test('the last connection of a page that closes ends its candidature, a moment later', async (t) => {
  const one = await tab();
  const [first, second] = [await one.openElected('app', () => {}, life().signal, worker), await one.openElected('app', () => {}, life().signal, worker)];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  first.close();
  t.mock.timers.tick(100);
  await turns();
  assert.equal(workers[0].ended, undefined, 'there is another one');
  second.close();
  t.mock.timers.tick(99);
  await turns();
  assert.equal(workers[0].ended, undefined, 'at a hand-over it is back in a moment');
  t.mock.timers.tick(1);
  await turns();
  assert.deepEqual([workers[0].ended, locks.names.includes('app'), Channel.open.has(first.port)], [true, false, false]);
  t.mock.timers.reset();
  const again = await one.openElected('app', () => {}, life().signal, worker);
  assert.deepEqual([workers.length, again.lock], [2, 'lock of 1']);
});

test('a page that is frozen or put away does not lead, and stands again when it is back', async () => {
  for (const [target, away, back] of [[() => document, 'freeze', 'resume'], [() => events, 'pagehide', 'pageshow']]) {
    workers.length = 0;
    const one = await tab();
    const host = await one.openElected(`app ${away}`, () => {}, life().signal, worker);
    target().dispatchEvent(new Event(away));
    await turns();
    assert.deepEqual([workers.length, workers[0].ended, locks.names.includes(`app ${away}`)], [1, true, false], away);
    target().dispatchEvent(new Event(back));
    target().dispatchEvent(new Event(back));
    await turns();
    assert.equal(workers.length, 2, back);
    host.close();
  }
});

test('a worker that cannot lead reports the reason, and is not retried forever', async () => {
  const one = await tab();
  const errors = [];
  const aborted = life();
  const opening = one.openElected('app', ({ message }) => errors.push(message), aborted.signal, () => worker({ failed: 'no module' }));
  opening.catch(() => {});
  await turns();
  assert.deepEqual([errors, workers.length, workers[0].ended], [['the worker could not be started: no module'], 1, true]);
  aborted.abort();
  await turns();
  assert.equal([...Channel.open].filter(({ name }) => name.startsWith('app ')).length, 0, 'an aborted attempt leaves no channel open');

  const missing = await tab();
  const silent = () => ({ postMessage() {}, terminate() {}, ...{} });
  let made;
  missing.openElected('other', ({ message }) => errors.push(message), life().signal, () => (made = silent()));
  await turns();
  made.onerror({});
  assert.equal(errors[1], "the worker could not be started: its file is missing, or the page's policy forbids it");
  const throwing = await tab();
  throwing.openElected('third', ({ message }) => errors.push(message), life().signal, () => (made = silent()));
  await turns();
  made.onerror({ message: 'a syntax error' });
  assert.equal(errors[2], 'the worker could not be started: a syntax error');
  const running = await tab();
  running.openElected('fourth', ({ message }) => errors.push(message), life().signal, () => (made = silent()));
  await turns();
  made.onmessage({ data: { lock: 'held' } });
  made.onerror({ message: 'thrown by the engine' });
  assert.equal(errors.length, 3, 'that is the engine’s to tell');
});

test('a tab that connects before there is a leader connects again when there is one', async () => {
  const one = await tab();
  locks.request('app', () => new Promise((free) => (locks.free = free)));
  const opening = one.openElected('app', () => {}, life().signal, worker);
  await turns();
  assert.equal(workers.length, 0, 'another tab holds the lock, and says nothing');
  locks.free();
  await turns();
  assert.equal((await opening).lock, 'lock of 0');
});

test('a tab asks for a leader at once, and again when one says that it leads', async () => {
  const one = await tab();
  locks.request('app', () => new Promise(() => {}));
  const control = new Channel('app');
  const asked = [];
  control.onmessage = ({ data }) => asked.push(data);
  const opening = one.openElected('app', () => {}, life().signal, worker);
  await turns();
  for (const message of [null, { type: 'other' }, { type: 'lead' }]) control.postMessage(message);
  await turns();
  assert.deepEqual(asked.map(({ type }) => type), ['open', 'open']);
  new Channel(asked[0].address).postMessage({ lock: 'theirs' });
  assert.equal((await opening).lock, 'theirs');
});

// host.js needs the engine's code, which only a build has.
register(`data:text/javascript,${encodeURIComponent(`
  export async function resolve(specifier, context, next) {
    return specifier === './host.js' ? { url: 'stub:host', shortCircuit: true } : next(specifier, context);
  }
  export async function load(url, context, next) {
    if (url === 'stub:host') return { format: 'module', source: 'export const take = (...args) => globalThis.took(...args);', shortCircuit: true };
    return next(url, context);
  }`)}`);

/** The best host of a page that has only these globals. */
async function best(globals, tasks = async () => {}) {
  const { openHost } = await import(`../../src/engine-host.js?${++tabs}`);
  const names = ['SharedWorker', 'Worker', 'BroadcastChannel'];
  const before = names.map((name) => [name, globalThis[name]]);
  for (const name of names) {
    delete globalThis[name];
    if (globals[name]) globalThis[name] = globals[name];
  }
  try {
    const opening = openHost(undefined, () => {}, life().signal, () => {});
    await tasks();
    return await opening;
  } finally {
    for (const [name, value] of before) value ? (globalThis[name] = value) : delete globalThis[name];
  }
}

/** A dedicated worker, which receives its port. */
const dedicated = () => {
  const made = [];
  class Dedicated extends EventTarget {
    constructor(url, options) {
      super();
      Object.assign(this, { url: `${url}`, options });
      made.push(this);
    }
    postMessage = (message, ports) => ports?.forEach((port) => port.close());
    terminate() {}
  }
  return { made, Dedicated };
};

test('the best host is shared, else elected, else dedicated, else the page', async () => {
  class Elected {
    constructor() {
      return worker();
    }
  }
  const elected = await best({ Worker: Elected, BroadcastChannel: Channel });
  assert.deepEqual([elected.handsOver, workers.length, workers[0].heard[0].name], [true, 1, 'kube-informer@0.0.0']);

  for (const without of ['channels', 'locks']) {
    if (without === 'locks') setLocks(undefined);
    const { made, Dedicated } = dedicated();
    const host = await best({ Worker: Dedicated, BroadcastChannel: without === 'locks' ? Channel : undefined });
    assert.deepEqual([host.handsOver, made.length, made[0].options.name], [undefined, 1, 'kube-informer@0.0.0'], without);
    host.close();
  }

  const taken = [];
  globalThis.took = (port) => taken.push(port);
  const here = await best({});
  assert.deepEqual([here.isInPage, taken.length, taken[0] instanceof MessagePort], [true, 1, true]);
  here.close();
  taken[0].close();
});

test('if a browser rejects a host, the next best one is used', async () => {
  class Blocked {
    constructor() {
      throw new Error('storage is blocked');
    }
  }
  const { made, Dedicated } = dedicated();
  const own = await best({ SharedWorker: Blocked, Worker: Dedicated });
  assert.deepEqual([own.isShared, made.length], [undefined, 1]);
  own.close();
  const taken = [];
  globalThis.took = (port) => taken.push(port);
  const here = await best({ SharedWorker: Blocked, Worker: Blocked });
  assert.deepEqual([here.isInPage, taken.length], [true, 1]);
  here.close();
  taken[0].close();
});

test('the worker’s side opens an end of each channel once, and announces that it leads', async (t) => {
  const taken = [];
  globalThis.self = { postMessage: (message) => taken.push(message) };
  const served = [];
  globalThis.took = (port, lock) => served.push([port.name, lock]);
  const { lead } = await import('../../src/leader.js');
  const heard = [];
  const tabs = new Channel('app');
  tabs.onmessage = ({ data }) => heard.push(data);
  await lead('app');
  await turns();
  assert.equal(taken.length, 1);
  assert.match(taken[0].lock, /^kube-informer /);
  assert.deepEqual(heard, [{ type: 'lead' }]);
  for (const message of [{ type: 'open', address: 'app 1' }, { type: 'open', address: 'app 1' }, { type: 'open', address: 'app 2' }, { type: 'lead' }, null]) tabs.postMessage(message);
  await turns();
  assert.deepEqual(served, [['app 1', taken[0].lock], ['app 2', taken[0].lock]]);
  t.after(() => delete globalThis.self);
});
