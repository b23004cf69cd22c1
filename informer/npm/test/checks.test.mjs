// Argument checks: each error names the invalid option or argument.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo } from '../src/connect.js';
import { SharedInformer } from '../src/informer.js';
import { describe } from '../src/resource.js';

// Base of relative URLs.
globalThis.location ??= { href: 'http://page.test/' };

/** An informer without a connection, its sent messages, and the engine's control of it. */
function open() {
  const sent = [];
  let receive;
  let last = 0;
  const connection = {
    listen(listener) {
      receive ??= listener;
      return ++last;
    },
    number: () => ++last,
    open: (_, message) => sent.push(message),
    send: (message) => sent.push(message),
    request: async () => null,
    forget() {},
  };
  const informer = new SharedInformer(connection, describe('v1/pods'), { onstop() {} });
  return { informer, sent, receive: (message) => receive(message) };
}

/** Each call is rejected, before anything is sent, with an error that contains the text before it. */
async function refuses(calls) {
  for (const [name, call] of calls) {
    const { informer, sent } = open();
    const before = sent.length;
    let queue;
    const call_ = async () => call(informer, () => (queue ??= informer.workQueue()));
    await assert.rejects(call_, ({ name: kind, code, message }) => {
      assert.deepEqual([kind, code], ['InformerError', 'bad-request'], message);
      assert.ok(message.includes(`\`${name}\``), `${name}: ${message}`);
      return true;
    }, name);
    assert.equal(sent.length - before, queue ? 1 : 0, `${name}: nothing is sent but the queue`);
  }
}

test('options that a call does not have are refused', async () => {
  await refuses([
    ['token', () => connectTo({ token: 'x' })],
    ['Url', () => connectTo({ Url: '/' })],
    ['namespaces', () => describe('v1/pods', { namespaces: ['a'] })],
    ['transforms', () => describe('v1/pods', { transforms: {} })],
    ['orderby', (informer) => informer.view({ orderby: [] })],
    ['resync', (informer) => informer.addEventHandler({}, { resync: 1000 })],
    ['retries', (informer) => informer.workQueue({ retries: 3 })],
    ['from', (informer) => informer.changes({ from: 1 })],
    ['timeout', (_, queue) => queue().get({ timeout: 1 })],
  ]);
  // Undefined options are omitted.
  assert.equal(describe('v1/pods', { transform: undefined, namespace: undefined }).key, 'v1/pods');
  await assert.rejects(() => connectTo('http://127.0.0.1:8001'), /the options of connect\(\) must be an object/);
});

test('options and arguments of a wrong kind are refused', async () => {
  await refuses([
    ['defaultResync', () => connectTo({ defaultResync: 10 })],
    ['timeoutMs', () => connectTo({ timeoutMs: '10s' })],
    ['largeIntegers', () => connectTo({ largeIntegers: 'BigInt' })],
    ['signal', () => connectTo({ signal: true })],
    ['resync', () => describe('v1/pods', { resync: 10 })],
    ['namespace', () => describe('v1/pods', { namespace: ['a'] })],
    ['namespace', () => describe('v1/pods', { namespace: 'A' })],
    ['labelSelector', () => describe('v1/pods', { labelSelector: { app: 'web' } })],
    ['fieldSelector', () => describe('v1/pods', { fieldSelector: 1 })],
    ['mode', () => describe('v1/pods', { mode: 'names' })],
    ['pageSize', () => describe('v1/pods', { pageSize: 0 })],
    ['indexers.node', () => describe('v1/pods', { indexers: { node: ['spec'] } })],
    ['indexers', (informer) => informer.addIndexers()],
    ['handler', (informer) => informer.addEventHandler()],
    ['handler', (informer) => informer.addEventHandler(() => {})],
    ['handler', (informer) => informer.addEventHandler({ onAdd: 'log' })],
    ['resyncPeriod', (informer) => informer.addEventHandler({}, { resyncPeriod: 10 })],
    ['signal', (informer) => informer.addEventHandler({}, { signal: {} })],
    ['window', (informer) => informer.view({ window: [50, 0] })],
    ['end', (informer) => informer.view({ window: [50] })],
    ['start', (informer) => informer.view({ window: 50 })],
    ['filter', (informer) => informer.view({ filter: /web/ })],
    ['namespaces', (informer) => informer.view({ namespaces: 'shop' })],
    ['orderBy', (informer) => informer.view({ orderBy: ['name'] })],
    ['orderBy', (informer) => informer.view({ orderBy: [['name', 'up']] })],
    ['labelSelector', (informer) => informer.view({ labelSelector: {} })],
    ['columns.phase', (informer) => informer.view({ columns: { phase: null } })],
    ['key', (informer) => informer.view({ columns: { key: '{.metadata.name}' } })],
    ['qps', (informer) => informer.workQueue({ qps: '10' })],
    ['baseDelayMs', (informer) => informer.workQueue({ baseDelayMs: -1 })],
    ['burst', (informer) => informer.workQueue({ burst: 0.5 })],
    ['key', (_, queue) => queue().add(undefined)],
    ['key', (_, queue) => queue().add('')],
    ['key', (_, queue) => queue().done({})],
    ['key', (_, queue) => queue().forget(null)],
    ['key', (_, queue) => queue().addRateLimited(7)],
    ['key', (_, queue) => queue().numRequeues()],
    ['ms', (_, queue) => queue().addAfter('x', 'abc')],
    ['ms', (_, queue) => queue().addAfter('x')],
    ['ms', (_, queue) => queue().addAfter('x', NaN)],
  ]);
  for (const resource of [undefined, null, 7, 'pods', {}]) assert.throws(() => describe(resource), { code: 'bad-request' });
});

test('a window of no rows, a wait of any length and a resync of never are fine', () => {
  const { informer, sent } = open();
  const view = informer.view({ window: [0, 0] });
  assert.throws(() => view.setWindow(50, 0), /`window` must be/);
  view.setWindow(7, 7);
  const queue = informer.workQueue({ maxDelayMs: Infinity });
  queue.addAfter('x', -1);
  queue.addAfter('y', Infinity);
  informer.addEventHandler({}, { resyncPeriod: 0 });
  assert.ok(JSON.parse(JSON.stringify(sent)).every((message) => !JSON.stringify(message).includes('null')), 'JSON can say all of it');
});

test('the first error that has no listener is shown on the console, once', (t) => {
  const warned = t.mock.method(console, 'warn', () => {});
  const error = (message) => ({ type: 'error', error: { code: 'not-found', message, retryable: true } });
  const silent = open();
  silent.receive(error('no such resource'));
  silent.receive(error('still none'));
  assert.deepEqual(warned.mock.calls.map(({ arguments: [line] }) => line.match(/v1\/pods: no such resource \(not-found\)/)?.index), [15]);
  const heard = open();
  const messages = [];
  heard.informer.addEventListener('error', ({ message }) => messages.push(message));
  heard.receive(error('no such resource'));
  assert.deepEqual([messages, warned.mock.callCount()], [['no such resource'], 1]);
});
