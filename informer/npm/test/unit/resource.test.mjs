// Resource names, options and promise utilities: rejections and their messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badRequest, closed, fromReport, InformerError, InformerErrorEvent, internal } from '../../src/error.js';
import { asyncDispose, deferred, dispose, onAbort } from '../../src/promises.js';
import { whole } from '../../src/check.js';
import { describe } from '../../src/resource.js';
import { ReplayLog } from '../../src/replay-log.js';
import { betweenEngines, IDLE, readStatus } from '../../src/status.js';
import { state, status } from './engine.mjs';

const refused = (act, text) => assert.throws(act, (error) => error.code === 'bad-request' && error.message.includes(text) && !error.retryable);

test('whole numbers and their bounds', () => {
  assert.equal(whole('x', undefined), undefined);
  for (const value of [0, 1, 2 ** 31 - 1]) assert.equal(whole('x', value), value);
  for (const value of [-1, 1.5, 2 ** 31, NaN, Infinity, '1', null]) refused(() => whole('x', value), '`x` must be a whole number, 0 or more');
  assert.equal(whole('pageSize', 1, 1), 1);
  refused(() => whole('pageSize', 0, 1), '`pageSize` must be a whole number, 1 or more');
});

test('a resource is named in two parts or three, or by an object', () => {
  const pods = { name: 'v1/pods', key: 'v1/pods', resource: { group: '', version: 'v1', resource: 'pods' }, options: { pageSize: undefined, resync: undefined }, indexers: undefined };
  assert.deepEqual(describe('v1/pods'), pods);
  assert.deepEqual(describe({ version: 'v1', resource: 'pods' }), pods);
  assert.deepEqual(describe({ group: '', version: 'v1', resource: 'pods' }), pods);
  const deployments = describe('apps/v1/deployments');
  assert.deepEqual([deployments.name, deployments.resource], ['apps/v1/deployments', { group: 'apps', version: 'v1', resource: 'deployments' }]);
  assert.deepEqual(describe({ group: 'apps', version: 'v1', resource: 'deployments' }), deployments);
  assert.deepEqual(describe('metrics.k8s.io/v1beta1/pods').resource.group, 'metrics.k8s.io');
  for (const wrong of ['', '/', 'pods', '/v1/pods', 'v1/', '/apps/v1/x', 'a/b/c/d', 'v1/..', './pods', 'v1/po ds', 'v1/pods?x', 'v1/p_x', {}, { version: 'v1' }, { version: 'v1', resource: 7 }, { group: 'a/b', version: 'v1', resource: 'x' }]) {
    refused(() => describe(wrong), `${JSON.stringify(wrong)} is not a resource: write "v1/pods" or "apps/v1/deployments"`);
  }
});

test('the key of an informer contains its relevant options only', () => {
  const key = (options) => describe('v1/pods', options).key;
  assert.equal(key({ namespace: '', labelSelector: '', fieldSelector: '', mode: 'object' }), 'v1/pods');
  assert.equal(key({ namespace: 'shop' }), 'v1/pods?namespace=shop');
  assert.equal(key({ labelSelector: 'app=web' }), 'v1/pods?labelSelector=app%3Dweb');
  assert.equal(key({ fieldSelector: 'spec.nodeName=n' }), 'v1/pods?fieldSelector=spec.nodeName%3Dn');
  assert.equal(key({ mode: 'metadata' }), 'v1/pods?mode=metadata');
  assert.equal(key({ pageSize: 10, resync: 60_000 }), 'v1/pods');
  const { options } = describe('v1/pods', { namespace: 'shop', labelSelector: 'a', fieldSelector: 'b', mode: 'metadata', pageSize: 1, resync: 0 });
  assert.deepEqual(options, { namespace: 'shop', labelSelector: 'a', fieldSelector: 'b', mode: 'metadata', pageSize: 1, resync: 0 });
  for (const namespace of ['Shop', 'a.b', '../x', 'x'.repeat(64), 'x y']) {
    refused(() => describe('v1/pods', { namespace }), `\`namespace\` must be the name of a namespace, not ${JSON.stringify(namespace)}`);
  }
  assert.equal(key({ namespace: 'x'.repeat(63) }), `v1/pods?namespace=${'x'.repeat(63)}`);
  refused(() => describe('v1/pods', { mode: 'objects' }), '`mode` must be "object" or "metadata"');
  refused(() => describe('v1/pods', { pageSize: 0 }), '`pageSize`');
  refused(() => describe('v1/pods', { resync: -1 }), '`resync`');
});

test('a transform is a part of the key, in any order', () => {
  const of = (transform) => describe('v1/pods', { transform });
  assert.equal(of({}).key, 'v1/pods');
  assert.equal('transform' in of({ keepManagedFields: false, drop: [] }).options, false);
  assert.equal(of({ keepManagedFields: true }).key, 'v1/pods?managedFields=true');
  assert.deepEqual(of({ drop: ['.status', '.spec', '.status'] }).options.transform, { keepManagedFields: false, drop: ['.spec', '.status'] });
  assert.equal(of({ drop: ['.status', '.spec'] }).key, of({ drop: ['.spec', '.status', '.spec'] }).key);
  assert.equal(of({ drop: ['.spec'] }).key, 'v1/pods?drop=.spec');
  refused(() => of({ drop: '.spec' }), '`transform.drop` must be an array of strings');
  refused(() => of({ drop: [7] }), '`transform.drop` must be an array of strings');
  refused(() => of({ keepManagedFields: 1 }), '`transform.keepManagedFields` must be true or false');
  refused(() => of({ keep: [] }), 'transform has no option `keep`');
  refused(() => of('.spec'), 'the options of transform must be an object');
});

test('errors have name, code and message', () => {
  const report = { code: 'expired', message: 'too old', status: 410, request: 'GET /x', retryable: true, other: 1 };
  const error = fromReport(report);
  assert.ok(error instanceof InformerError && error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message, error.status, error.request, error.retryable], ['InformerError', 'expired', 'too old', 410, 'GET /x', true]);
  assert.equal('cause' in error, false);
  const bare = new InformerError('x', 'y');
  assert.deepEqual([bare.status, bare.request, bare.retryable], [undefined, undefined, false]);
  const cause = new Error('why');
  assert.deepEqual([internal('m', cause).cause, internal('m').retryable, internal('m').code], [cause, true, 'internal']);
  assert.deepEqual([badRequest('m').code, badRequest('m').message], ['bad-request', 'm']);
  assert.deepEqual([closed('it').code, closed('it').message], ['closed', 'it has been stopped']);
  const event = new InformerErrorEvent(error, { cancelable: true });
  assert.deepEqual([event.type, event.error, event.message, event.cancelable], ['error', error, 'too old', true]);
});

test('promises with handles, and signals', async () => {
  const one = deferred();
  assert.equal(await state(one.promise), 'pending');
  one.resolve(7);
  assert.equal(await one.promise, 7);
  const other = deferred();
  other.reject(new Error('no'));
  assert.equal(await state(other.promise), 'no');
  assert.deepEqual([typeof dispose, typeof asyncDispose, dispose === asyncDispose], ['symbol', 'symbol', false]);

  const heard = [];
  assert.equal(onAbort(undefined, () => heard.push('never'))(), undefined);
  const control = new AbortController();
  onAbort(control.signal, (reason) => heard.push(reason));
  const forget = onAbort(control.signal, () => heard.push('forgotten'));
  forget();
  control.abort('first');
  onAbort(control.signal, (reason) => heard.push(`again ${reason}`));
  assert.deepEqual(heard, ['first', 'again first']);
});

test('the replay log keeps the order, and drops what was deleted', () => {
  const log = new ReplayLog();
  const types = () => log.messages().map(({ type }) => type);
  log.record(1, { type: 'informer', informer: 1 });
  log.record(2, { type: 'view', informer: 1 });
  log.record(3, { type: 'informer', informer: 3 });
  log.record('start', { type: 'start' });
  log.record(4, { type: 'handler', informer: 3 });
  log.record('start', { type: 'start' });
  assert.deepEqual(types(), ['informer', 'view', 'informer', 'handler', 'start'], 'the last start applies to all before it');
  log.delete(2);
  assert.deepEqual(types(), ['informer', 'informer', 'handler', 'start']);
  log.delete(3);
  assert.deepEqual(types(), ['informer', 'start'], 'with an informer, the messages about it are deleted');
  log.delete(99);
  assert.deepEqual(types(), ['informer', 'start']);
});

test('a status is that of the engine, and between two engines the last one', () => {
  const read = readStatus(status({ lastError: { code: 'expired', message: 'too old', retryable: true } }));
  assert.ok(Object.isFrozen(read) && read.lastError instanceof InformerError);
  assert.deepEqual([read.phase, read.lastError.code, readStatus(status()).lastError], ['watching', 'expired', null]);
  const before = readStatus(status({ resourceVersion: '50', objects: 7, bytes: 70, lastEventAt: 71, lastContactAt: 72 }));
  const next = { hasSynced: false, resourceVersion: '', objects: 0, bytes: 0, lastEventAt: null, lastContactAt: null, phase: 'listing', lists: 3 };
  const meanwhile = readStatus(status(next), before);
  assert.deepEqual(
    [meanwhile.phase, meanwhile.lists, meanwhile.hasSynced, meanwhile.resourceVersion, meanwhile.objects, meanwhile.bytes, meanwhile.lastEventAt, meanwhile.lastContactAt],
    ['listing', 3, true, '50', 7, 70, 71, 72],
  );
  assert.equal(readStatus(status({ objects: 2 }), before).objects, 2, 'it knows as much');
  assert.equal(readStatus(status(next)).objects, 0, 'there was none before');
  assert.equal(readStatus(status({ namespaceMissing: true })).namespaceMissing, true);
  assert.equal(betweenEngines(IDLE), IDLE);
  const away = betweenEngines(readStatus(status({ nextRetryAt: 5 })));
  assert.deepEqual([away.phase, away.freshness, away.nextRetryAt, away.objects, Object.isFrozen(away)], ['reconnecting', 'catching-up', null, 1, true]);
  assert.deepEqual([IDLE.phase, IDLE.freshness, IDLE.hasSynced, IDLE.resourceVersion, IDLE.lastError, IDLE.namespaces, IDLE.namespaceMissing, Object.isFrozen(IDLE)], ['idle', 'catching-up', false, '', null, [], false, true]);
});
