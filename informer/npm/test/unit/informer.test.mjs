// Informer of a page: events, handlers, reads, indexes, views and queues.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { object, outcome, Page, settle, state, status, until } from './engine.mjs';

/** A page with one informer of pods, and its events as words. */
async function open(options) {
  const page = await Page.connected();
  const factory = page.factory();
  const informer = factory.forResource('v1/pods', options);
  const said = page.engine.take();
  const { informer: id } = said.find(({ type }) => type === 'informer');
  const events = [];
  for (const type of ['status', 'synced', 'relist', 'error']) {
    informer.addEventListener(type, ({ error }) => events.push(error ? `error ${error.message}` : type));
  }
  const hears = (more) => page.engine.say({ type: 'status', informer: id, status: status(more) });
  return { page, factory, informer, id, said, events, hears };
}

const add = (name, version = '1', isInInitialList = true) => ({ type: 'add', key: name, object: object(name, version), isInInitialList });

test('it opens with its resource and options, and reports the engine’s status', async () => {
  const { page, informer, id, said, events, hears } = await open({ namespace: 'shop', pageSize: 7 });
  assert.deepEqual(said, [{ type: 'informer', informer: id, resource: 'v1/pods', options: { namespace: 'shop', pageSize: 7, resync: undefined } }]);
  assert.deepEqual([informer.resource, Object.isFrozen(informer.resource)], [{ group: '', version: 'v1', resource: 'pods' }, true]);
  assert.deepEqual([informer.status.phase, informer.hasSynced, await state(informer.synced)], ['idle', false, 'pending']);
  hears({ hasSynced: false, relists: 0 });
  assert.deepEqual(events.splice(0), ['status']);
  hears({ relists: 0 });
  assert.deepEqual(events.splice(0), ['synced', 'status']);
  assert.deepEqual([informer.hasSynced, await state(informer.synced), informer.status.objects], [true, 'resolved', 1]);
  hears({ relists: 1 });
  assert.deepEqual(events.splice(0), ['relist', 'status']);
  hears({ relists: 1 });
  assert.deepEqual(events.splice(0), ['status'], 'synced is told once, and each relist once');
  page.engine.say({ type: 'error', informer: id, error: { code: 'expired', message: 'too old', retryable: true } });
  assert.deepEqual(events.splice(0), ['error too old']);
  page.engine.say({ type: 'something new', informer: id });
  assert.deepEqual(events, []);
});

test('the first status is no relist, though there were some before', async () => {
  const { events, hears } = await open();
  hears({ relists: 3 });
  assert.deepEqual(events, ['synced', 'status']);
});

test('a failed informer rejects pending calls with the reason', async () => {
  const { informer, hears } = await open();
  hears({ hasSynced: false, phase: 'failed', lastError: { code: 'bad-request', message: 'invalid selector', retryable: false } });
  assert.equal(await state(informer.synced), 'invalid selector');
  const other = await open();
  other.hears({ hasSynced: false, phase: 'failed' });
  assert.equal(await state(other.informer.synced), 'v1/pods has failed');
});

test('what is open on an informer that fails before its first list, or is opened on it then, is rejected with the reason', async () => {
  const lastError = { code: 'bad-request', message: 'invalid selector', retryable: false };
  const all = async ({ informer }) => [informer.view().ready, (await informer.aggregate()).ready, informer.addEventHandler({}).synced];
  const failing = await open();
  const before = await all(failing);
  failing.hears({ hasSynced: false, phase: 'failed', lastError });
  for (const promise of [...before, ...(await all(failing))]) assert.equal(await state(promise), 'invalid selector');
  const late = await open();
  late.hears();
  late.hears({ phase: 'failed', lastError });
  for (const promise of await all(late)) assert.equal(await state(promise), 'pending', 'its cache is still there');
});

test('a handler receives changes, and the engine an acknowledgement', async () => {
  const { page, informer, id } = await open();
  const told = [];
  const handler = {
    onAdd: ({ metadata }, isInitial) => told.push(`add ${metadata.name}${isInitial ? '!' : ''}`),
    onUpdate: (before, after) => told.push(`update ${before.metadata.resourceVersion}>${after.metadata.resourceVersion}`),
    onDelete: ({ metadata }, unknown) => told.push(`delete ${metadata.name}${unknown ? '?' : ''}`),
  };
  const registration = informer.addEventHandler(handler, { resyncPeriod: 60_000 });
  const [opened] = page.engine.take();
  assert.deepEqual([opened.type, opened.informer, opened.options], ['addEventHandler', id, { resyncPeriod: 60_000 }]);
  const say = (changes) => page.engine.say({ type: 'changes', informer: id, handler: opened.handler, changes });
  say([add('a')]);
  assert.deepEqual([told.splice(0), page.engine.take()], [['add a!'], [{ type: 'ack', handler: opened.handler }]]);
  say([add('b', '2', false), { type: 'update', key: 'a', object: object('a', '3'), previous: object('a', '1') }]);
  say([{ type: 'update', key: 'a', object: object('a', '3') }]);
  say([{ type: 'delete', key: 'b', object: object('b', '4'), finalStateUnknown: false }, { type: 'delete', key: 'a', object: object('a'), finalStateUnknown: true }]);
  assert.deepEqual(told.splice(0), ['add b', 'update 1>3', 'update 3>3', 'delete b', 'delete a?']);
  assert.deepEqual([registration.hasSynced, await state(registration.synced), informer.hasSynced], [false, 'pending', false]);
  page.engine.say({ type: 'handlerSynced', informer: id, handler: opened.handler });
  assert.deepEqual([registration.hasSynced, await state(registration.synced), informer.hasSynced], [true, 'resolved', true]);
  page.engine.take();
  registration.remove();
  registration.remove();
  assert.deepEqual(page.engine.take(), [{ type: 'removeEventHandler', handler: opened.handler }]);
  say([add('c')]);
  assert.deepEqual([told, await state(registration.synced)], [[], 'resolved']);
});

test('a handler may lack methods, remove itself in the midst of a batch, and throw', async () => {
  const { page, informer, id, events } = await open();
  informer.addEventHandler({});
  const told = [];
  const registration = informer.addEventHandler({
    onAdd: ({ metadata: { name } }) => {
      told.push(name);
      if (name === 'b') registration.remove();
    },
  });
  const throwing = informer.addEventHandler({
    onAdd: () => {
      throw new Error('mine');
    },
    onUpdate: () => told.push('updated'),
  });
  const handlers = page.engine.take('addEventHandler').map(({ handler }) => handler);
  const say = (handler, changes) => page.engine.say({ type: 'changes', informer: id, handler, changes });
  const all = [add('a'), add('b'), add('c'), { type: 'update', key: 'a', object: object('a', '2') }, { type: 'delete', key: 'a', object: object('a') }];
  say(handlers[0], all);
  say(handlers[1], all);
  assert.deepEqual(told.splice(0), ['a', 'b']);
  assert.equal(page.engine.take('ack').length, 1, 'a removed handler needs no acknowledgement');

  const reported = [];
  globalThis.reportError = (error) => reported.push(error.message);
  say(handlers[2], [add('a'), { type: 'update', key: 'a', object: object('a', '2') }]);
  assert.deepEqual([events.splice(0), reported.splice(0), told.splice(0)], [['error an event handler of v1/pods threw: mine'], ['mine'], ['updated']]);
  informer.addEventListener('error', (event) => event.preventDefault(), { once: true });
  say(handlers[2], [add('x')]);
  assert.deepEqual([events.length, reported], [1, []], 'a listener can prevent the default');
  delete globalThis.reportError;
  say(handlers[2], [add('y')]);
  throwing.remove();
});

test('a handler whose signal is aborted is removed; before it began, too', async () => {
  const { page, informer } = await open();
  const control = new AbortController();
  const registration = informer.addEventHandler({}, { signal: control.signal });
  control.abort(new Error('left'));
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['addEventHandler', 'removeEventHandler']);
  assert.equal(await state(registration.synced), 'left');
  informer.addEventHandler({}, { signal: control.signal });
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['addEventHandler', 'removeEventHandler']);
  assert.throws(() => informer.addEventHandler({}, { resyncPeriod: -1 }), { code: 'bad-request' });
});

test('after a crash a handler receives only the differences, and then the deletions', async () => {
  const { page, informer, id, events, hears } = await open();
  const told = [];
  informer.addEventHandler({
    onAdd: ({ metadata }, initial) => told.push(`add ${metadata.name}${initial ? '!' : ''}`),
    onUpdate: (before, after) => told.push(`update ${before.metadata.resourceVersion}>${after.metadata.resourceVersion}`),
    onDelete: ({ metadata }, unknown) => told.push(`delete ${metadata.name}${unknown ? '?' : ''}`),
  });
  const [{ handler }] = page.engine.take('addEventHandler');
  const say = (changes) => page.engine.say({ type: 'changes', informer: id, handler, changes });
  hears({ objects: 3, resourceVersion: '50' });
  say([add('a'), add('b'), add('c')]);
  page.engine.say({ type: 'handlerSynced', informer: id, handler });
  told.splice(0);
  events.splice(0);
  assert.ok(await page.crash());
  assert.deepEqual(events.splice(0), ['error it has crashed', 'status']);
  assert.deepEqual([informer.status.phase, informer.status.freshness, informer.hasSynced], ['reconnecting', 'catching-up', true]);
  page.engine.take();
  // Its reads must not be older than its changes.
  const read = informer.indexer.listKeys();
  assert.deepEqual(page.engine.take(), []);
  hears({ hasSynced: false, objects: 0, resourceVersion: '' });
  assert.deepEqual([informer.status.objects, informer.status.resourceVersion, informer.status.hasSynced], [3, '50', true]);
  say([add('a'), add('b', '7')]);
  assert.deepEqual(told.splice(0), ['update 1>7']);
  page.engine.say({ type: 'handlerSynced', informer: id, handler });
  assert.deepEqual(told.splice(0), ['delete c?']);
  hears({ objects: 2, resourceVersion: '60' });
  const [asked] = page.engine.take('read');
  page.engine.answer(asked, ['a', 'b']);
  assert.deepEqual([await read, informer.status.objects, events.filter((event) => event === 'synced')], [['a', 'b'], 2, []]);
});

test('`changes()` yields batches, acknowledges them as they are read, and ends with its informer', async () => {
  const { page, informer, id } = await open();
  const changes = informer.changes();
  const [opened] = page.engine.take();
  assert.deepEqual([opened.type, opened.options], ['addEventHandler', { replay: true }]);
  const say = (changes, more) => page.engine.say({ type: 'changes', informer: id, handler: opened.handler, changes, resourceVersion: '5', relist: false, ...more });
  const waiting = changes.next();
  say([add('a')], { relist: true });
  assert.deepEqual(await waiting, {
    done: false,
    value: { changes: [{ type: 'add', key: 'a', object: object('a'), isInInitialList: true, finalStateUnknown: false }], resourceVersion: '5', relist: true },
  });
  assert.equal(page.engine.take('ack').length, 1);
  say([{ type: 'update', key: 'a', object: object('a', '2'), previous: object('a') }]);
  say([{ type: 'update', key: 'a', object: object('a', '2') }]);
  say([{ type: 'delete', key: 'a', object: object('a', '3'), finalStateUnknown: true }]);
  assert.equal(page.engine.take('ack').length, 0, 'not before they are read');
  const batches = [await changes.next(), await changes.next(), await changes.next()].map(({ value }) => value.changes[0]);
  assert.deepEqual(batches, [
    { type: 'update', key: 'a', isInInitialList: false, finalStateUnknown: false, object: object('a', '2'), previous: object('a') },
    { type: 'update', key: 'a', isInInitialList: false, finalStateUnknown: false, object: object('a', '2'), previous: object('a', '2') },
    { type: 'delete', key: 'a', isInInitialList: false, finalStateUnknown: true, object: object('a', '3') },
  ]);
  assert.equal(page.engine.take('ack').length, 3);
  const [first, second] = [changes.next(), changes.next()];
  await informer.stop();
  assert.deepEqual([await state(first), await second, await changes.next()], ['the informer of v1/pods has been stopped', { value: undefined, done: true }, { value: undefined, done: true }]);
});

test('`changes()` without a reader reports its end once; an abandoned one ends silently', async () => {
  const { page, informer, id } = await open();
  const changes = informer.changes({ replay: false });
  const [opened] = page.engine.take('addEventHandler');
  assert.deepEqual(opened.options, { replay: false });
  page.engine.say({ type: 'changes', informer: id, handler: opened.handler, changes: [add('a')], resourceVersion: '1', relist: false });
  const left = informer.changes();
  const waiting = left.next();
  assert.deepEqual([await left.return('bye'), await waiting, await left.next()], [{ value: 'bye', done: true }, { value: undefined, done: true }, { value: undefined, done: true }]);
  assert.equal(page.engine.take('removeEventHandler').length, 1);
  assert.equal(left[Symbol.asyncIterator](), left);
  await informer.stop();
  assert.equal(await state(changes.next()), 'the informer of v1/pods has been stopped', 'what was not read is not any more');
  assert.deepEqual(await changes.next(), { value: undefined, done: true });
});

test('a handler without replay receives an empty batch that marks the gap', async () => {
  const { page, informer, id } = await open();
  const changes = informer.changes({ replay: false });
  const [{ handler }] = page.engine.take('addEventHandler');
  const synced = () => page.engine.say({ type: 'handlerSynced', informer: id, handler });
  synced();
  const waiting = changes.next();
  assert.equal(await state(waiting), 'pending');
  await page.crash();
  synced();
  assert.deepEqual(await waiting, { done: false, value: { changes: [], resourceVersion: '', relist: true } });
});

test('a batch of the engine before is not acknowledged to the next', async () => {
  const { page, informer, id } = await open();
  const changes = informer.changes();
  const [{ handler }] = page.engine.take('addEventHandler');
  page.engine.say({ type: 'changes', informer: id, handler, changes: [add('a')], resourceVersion: '1', relist: false });
  await page.crash();
  page.engine.take();
  await changes.next();
  assert.deepEqual(page.engine.take(), []);
  page.engine.say({ type: 'changes', informer: id, handler, changes: [add('a')], resourceVersion: '1', relist: false });
  assert.deepEqual(page.engine.take(), [{ type: 'ack', handler }], 'nothing new: acknowledged at once');
});

test('reads ask the engine, in words that it can read', async () => {
  const { page, informer, id } = await open();
  const { indexer, lister } = informer;
  const reads = [
    [() => indexer.getByKey('7'), { getByKey: { key: '7' } }, null, undefined],
    [() => indexer.getByKey('a'), { getByKey: { key: 'a' } }, object('a'), object('a')],
    [() => indexer.list(), { list: {} }, [1], [1]],
    [() => indexer.listKeys(), 'listKeys', ['a'], ['a']],
    [() => indexer.byIndex(1, 2), { byIndex: { index: '1', value: '2' } }, [], []],
    [() => indexer.indexKeys(1, 2), { indexKeys: { index: '1', value: '2' } }, [], []],
    [() => indexer.listIndexFuncValues(1), { listIndexFuncValues: { index: '1' } }, ['x'], ['x']],
    [() => indexer.getIndexers(), 'getIndexers', {}, {}],
    [() => lister.list(), { list: { namespace: '', labelSelector: '' } }, [], []],
    [() => lister.list('a=b'), { list: { namespace: '', labelSelector: 'a=b' } }, [], []],
    [() => lister.get('n/a'), { getByKey: { key: 'n/a' } }, object('a'), object('a')],
    [() => lister.namespace('n').list('x'), { list: { namespace: 'n', labelSelector: 'x' } }, [], []],
    [() => lister.namespace('n').get('a'), { getByKey: { key: 'n/a' } }, object('a'), object('a')],
    [() => lister.namespace('').get('a'), { getByKey: { key: 'a' } }, object('a'), object('a')],
    [() => informer.inspect(), undefined, { steps: [] }, { steps: [] }],
  ];
  for (const [ask, read, answer, value] of reads) {
    const promise = ask();
    const [asked] = page.engine.take();
    assert.deepEqual([asked.type, asked.informer, asked.read], [read ? 'read' : 'inspect', id, read]);
    page.engine.answer(asked, answer);
    assert.deepEqual(await promise, value);
  }
  const missing = lister.get('gone');
  page.engine.answer(page.engine.take()[0], null);
  const { error } = await outcome(missing);
  assert.deepEqual([error.code, error.message, error.retryable], ['not-found', 'v1/pods "gone" is not in the cache', true]);
});

test('a search is a request with its defaults, and its arguments are checked', async () => {
  const { page, id, informer } = await open();
  const empty = { total: 0, of: 2, matches: [] };
  for (const [given, options] of [
    [undefined, { limit: 50, columns: [], indexes: [] }],
    [{ limit: 3, columns: ['IP'], indexes: ['image'] }, { limit: 3, columns: ['IP'], indexes: ['image'] }],
  ]) {
    const found = informer.search('web 10.', given);
    // The code of the search is loaded before the request is sent.
    await until(() => page.engine.heard.length > 0);
    const [asked] = page.engine.take();
    const { request, ...message } = asked;
    assert.deepEqual(message, { type: 'search', informer: id, text: 'web 10.', ...options });
    page.engine.answer(asked, empty);
    assert.deepEqual(await found, empty);
  }
  for (const [text, options, message] of [
    [7, undefined, '`text` must be a string'],
    ['a', { limit: -1 }, '`limit` must be a whole number, 0 or more'],
    ['a', { columns: 'IP' }, '`columns` must be an array of strings'],
    ['a', { indexes: [1] }, '`indexes` must be an array of strings'],
    ['a', { kinds: [] }, 'search() has no option `kinds`; its options are limit, columns, indexes'],
  ]) {
    await assert.rejects(informer.search(text, options), { code: 'bad-request', message });
  }
  assert.deepEqual(page.engine.take(), []);
});

test('indexes are requested once, by the first user, and again from the next engine', async () => {
  const { page, factory, id, said, events } = await open({ indexers: { node: '.spec.nodeName' } });
  const asked = said.find(({ type }) => type === 'addIndexers');
  assert.deepEqual([asked.informer, asked.indexers], [id, { node: '.spec.nodeName' }]);
  factory.forResource('v1/pods', { indexers: { node: '.spec.nodeName' } });
  assert.deepEqual(page.engine.take(), []);
  assert.throws(() => factory.forResource('v1/pods', { indexers: { node: '.spec.x' } }), { code: 'bad-request', message: 'the index "node" of v1/pods already has the path .spec.nodeName; choose another name' });
  factory.forResource('v1/pods', { indexers: { node: '.spec.nodeName', phase: '.status.phase' } });
  const [second] = page.engine.take('addIndexers');
  assert.deepEqual(second.indexers, { phase: '.status.phase' });
  page.engine.answer(asked, null);
  page.engine.refuse(second, 'bad-request', 'no path');
  await settle();
  assert.deepEqual(events, ['error no path']);
  factory.forResource('v1/pods', { indexers: { phase: '.status' } });
  assert.deepEqual(page.engine.take('addIndexers')[0].indexers, { phase: '.status' }, 'what was refused may be asked for otherwise');
  await page.crash();
  const again = page.engine.take('addIndexers').map(({ indexers }) => indexers);
  assert.deepEqual(again[0], { node: '.spec.nodeName' });
  assert.deepEqual(again.filter(({ phase }) => phase), [{ phase: '.status' }], 'what waits for an answer, and not what was refused');
});

test('it stops after the stop() of its last user', async () => {
  const { page, factory, informer, id, events } = await open();
  assert.equal(factory.forResource('v1/pods', { mode: 'object' }), informer);
  assert.deepEqual(page.engine.take(), [], 'known already');
  const handler = informer.addEventHandler({});
  const view = informer.view();
  const read = informer.indexer.list();
  page.engine.take();
  await informer.stop();
  assert.deepEqual([page.engine.take(), informer.status.phase], [[], 'idle']);
  await informer[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]();
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['removeEventHandler', 'closeView', 'stop']);
  const message = 'the informer of v1/pods has been stopped';
  for (const promise of [handler.synced, view.ready, read, informer.synced, informer.inspect()]) assert.equal(await state(promise), message);
  assert.deepEqual([informer.status.phase, informer.status.freshness, informer.status.nextRetryAt, informer.status.lastError], ['stopped', 'stale', null, null]);
  assert.deepEqual(events, ['status'], 'no error: it was wanted');
  for (const act of [() => informer.addEventHandler({}), () => informer.changes(), () => informer.view(), () => informer.workQueue()]) {
    assert.throws(act, { code: 'closed', message });
  }
  await informer.stop();
  assert.deepEqual(page.engine.take(), []);
  const next = factory.forResource('v1/pods');
  assert.notEqual(next, informer);
  assert.notEqual(page.engine.take('informer')[0].informer, id);
});

test('the end of the connection is a failure of each informer', async () => {
  const { page, factory, informer, events } = await open();
  page.connection.end(new Error('gone'));
  assert.deepEqual([informer.status.phase, informer.status.lastError.message], ['failed', 'gone']);
  assert.deepEqual(events, [], 'not from inside the stack of the caller');
  await settle();
  assert.deepEqual(events, ['error gone', 'status']);
  assert.throws(() => factory.forResource('v1/pods'), { message: 'gone' });
});
