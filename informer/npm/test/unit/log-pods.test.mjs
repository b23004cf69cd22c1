// Pods of followed selections: when their containers join and leave, and the reports about their informers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from './engine.mjs';
import { followedPods } from '../../src/client/log-pods.js';

/** An informer that the test drives: `handler` is that of the pods, `tell()` sets the status. */
class Informer extends EventTarget {
  status = { phase: 'watching' };
  calls = [];
  #fails;
  synced = new Promise((_, reject) => (this.#fails = reject));

  constructor(resource, options) {
    super();
    Object.assign(this, { resource, options });
  }

  addEventHandler(handler) {
    this.handler = handler;
    return { remove: () => this.calls.push('remove') };
  }

  tell(status) {
    this.status = status;
    this.dispatchEvent(new Event('status'));
  }

  fail(error) {
    this.#fails(error);
  }

  stop() {
    this.calls.push('stop');
  }
}

/** Follows selections: `informers` in order of their creation, and what was called, as text. */
function following(selections, wanted) {
  const stage = { informers: [], started: [], joined: [], dropped: [], told: [], failed: [] };
  const factory = {
    forResource: (...args) => (stage.informers.push(new Informer(...args)), stage.informers.at(-1)),
    startOne: (informer) => stage.started.push(informer),
  };
  stage.end = followedPods(factory, selections, wanted, {
    join: (pod, container, isNew) => stage.joined.push(`${pod.metadata.uid} ${container}${isNew ? ' new' : ''}`),
    drop: (uid) => stage.dropped.push(uid),
    tell: (state) => stage.told.push(state),
    fail: (error) => stage.failed.push(error),
  });
  return stage;
}

const running = { state: { running: {} } };
const podOf = (uid, statuses = { c: running }, owner) => ({
  metadata: { uid, ...(owner && { ownerReferences: [{ uid: owner }] }) },
  spec: { containers: Object.keys(statuses).map((name) => ({ name })) },
  status: { containerStatuses: Object.entries(statuses).map(([name, status]) => ({ name, restartCount: 0, ...status })) },
});
const restarted = (uid, restartCount) => podOf(uid, { c: { ...running, restartCount } });

test('a pod of several followed selections joins once, and leaves with the last of them', () => {
  const { informers: [a, b], joined, dropped } = following([{ labelSelector: 'a' }, { namespace: 'n', labelSelector: 'b' }]);
  assert.deepEqual([a, b].map(({ resource, options }) => [resource, options]),
    [['v1/pods', { namespace: undefined, labelSelector: 'a' }], ['v1/pods', { namespace: 'n', labelSelector: 'b' }]]);
  a.handler.onAdd(podOf('u'), true);
  b.handler.onAdd(podOf('u'), true);
  assert.deepEqual(joined, ['u c']);
  for (const one of [a, b]) one.handler.onUpdate(podOf('u'), restarted('u', 1));
  assert.deepEqual(joined, ['u c', 'u c new']);
  // Its labels have changed: one selection has it no more.
  a.handler.onDelete(podOf('u'));
  b.handler.onUpdate(podOf('u'), restarted('u', 1));
  assert.deepEqual([joined.length, dropped], [2, []]);
  b.handler.onDelete(podOf('u'));
  assert.deepEqual(dropped, ['u']);
  b.handler.onAdd(restarted('u', 1), false);
  assert.deepEqual(joined.at(-1), 'u c new');
});

test('a container joins once it has a log, in each of its runs', () => {
  const { informers: [{ handler }], joined } = following([{ labelSelector: 'a' }]);
  const waiting = { state: { waiting: {} } };
  handler.onAdd(podOf('u', { c: waiting }), true);
  handler.onUpdate(undefined, { metadata: { uid: 'u' }, spec: { containers: [{ name: 'c' }] } });
  assert.deepEqual(joined, []);
  handler.onUpdate(undefined, podOf('u', { c: running }));
  handler.onUpdate(undefined, podOf('u', { c: { state: { terminated: {} } } }));
  assert.deepEqual(joined, ['u c new'], 'once for each run');
  handler.onUpdate(undefined, podOf('u', { c: { ...waiting, lastState: { terminated: {} }, restartCount: 1 } }));
  handler.onUpdate(undefined, restarted('u', 2));
  assert.deepEqual(joined, ['u c new', 'u c new', 'u c new']);
  handler.onUpdate(undefined, podOf('v'));
  assert.equal(joined.length, 3, 'a pod that was not added has none');
});

test('the first run that is seen may be old, and each later one is new', () => {
  const { informers: [{ handler }], joined } = following([{ labelSelector: 'a' }], '*');
  handler.onAdd(podOf('u', { c: { state: { terminated: {} } }, cc: running, d: { state: { waiting: {} } } }), true);
  assert.deepEqual(joined, ['u c', 'u cc']);
  handler.onAdd(podOf('v'), false);
  handler.onUpdate(undefined, podOf('u', { c: { ...running, restartCount: 1 }, cc: running, d: running }));
  assert.deepEqual(joined.slice(2), ['v c new', 'u c new', 'u d new']);
});

test('a later run that another selection shows first is new', () => {
  const { informers: [a, b], joined } = following([{ labelSelector: 'a' }, { labelSelector: 'b' }], '*');
  a.handler.onAdd(podOf('u', { c: running, cc: { state: { waiting: {} } } }), true);
  b.handler.onAdd(podOf('u', { c: { ...running, restartCount: 1 }, cc: running }), true);
  assert.deepEqual(joined, ['u c', 'u c new', 'u cc']);
});

test('the containers are those that were wanted', () => {
  const { informers: [{ handler }], joined } = following([{ labelSelector: 'a' }], 'd');
  handler.onAdd(podOf('u', { c: running, d: running }), true);
  handler.onAdd(podOf('v', { c: running }), true);
  assert.deepEqual(joined, ['u d']);
});

test('a pod that is deleted leaves, also one of which nothing has joined', () => {
  const { informers: [{ handler }], dropped } = following([{ labelSelector: 'a' }]);
  handler.onDelete(podOf('u'));
  assert.deepEqual(dropped, ['u']);
});

const ownedBy = (owner, uid) => ({ metadata: { uid, ownerReferences: [{ uid: owner }] } });

test('pods of a CronJob join once their job is known, with what has changed meanwhile', () => {
  const { informers, started, joined, dropped } = following([{ namespace: 'n', labelSelector: 'job-name', cronJob: 'cron' }]);
  const [pods, jobs] = informers;
  assert.deepEqual([pods.resource, jobs.resource, jobs.options, started], ['v1/pods', 'batch/v1/jobs', { namespace: 'n' }, [pods, jobs]]);
  pods.handler.onAdd(podOf('early', { c: { state: { waiting: {} } } }, 'one'), true);
  pods.handler.onAdd(podOf('gone', undefined, 'one'), true);
  pods.handler.onAdd(podOf('foreign', undefined, 'other'), true);
  pods.handler.onAdd(podOf('unowned'), true);
  pods.handler.onUpdate(undefined, podOf('early', undefined, 'one'));
  pods.handler.onUpdate(undefined, podOf('unheard', undefined, 'one'));
  pods.handler.onDelete(podOf('gone'));
  assert.deepEqual([joined, dropped], [[], []]);
  jobs.handler.onAdd(ownedBy('another', 'other'));
  jobs.handler.onAdd({ metadata: { uid: 'other' } });
  assert.deepEqual(joined, []);
  jobs.handler.onAdd(ownedBy('cron', 'one'));
  assert.deepEqual(joined, ['early c']);
  jobs.handler.onAdd(ownedBy('cron', 'two'));
  pods.handler.onAdd(podOf('late', undefined, 'two'), false);
  pods.handler.onUpdate(undefined, podOf('early', { c: { ...running, restartCount: 1 } }, 'one'));
  assert.deepEqual(joined, ['early c', 'late c new', 'early c new']);
  pods.handler.onDelete(podOf('early', undefined, 'one'));
  assert.deepEqual(dropped, ['early']);
});

test('of an owner only its own pods join', () => {
  const { informers: [pods], joined, dropped } = following([{ namespace: 'n', owner: 'run' }]);
  assert.deepEqual(pods.options, { namespace: 'n', labelSelector: undefined });
  pods.handler.onAdd(podOf('own', undefined, 'run'), true);
  pods.handler.onAdd(podOf('foreign', undefined, 'other'), true);
  pods.handler.onAdd(podOf('unowned'), false);
  pods.handler.onAdd(podOf('later', undefined, 'run'), false);
  pods.handler.onUpdate(undefined, podOf('foreign', undefined, 'other'));
  pods.handler.onUpdate(undefined, podOf('own', { c: { ...running, restartCount: 1 } }, 'run'));
  assert.deepEqual(joined, ['own c', 'later c new', 'own c new']);
  pods.handler.onDelete(podOf('foreign', undefined, 'other'));
  pods.handler.onDelete(podOf('own', undefined, 'run'));
  assert.deepEqual(dropped, ['own']);
});

test('a pod that its owner adopts joins, and one that it releases stays until it is deleted', () => {
  const { informers: [pods], joined, dropped } = following([{ namespace: 'n', owner: 'run' }]);
  pods.handler.onAdd(podOf('p'), true);
  pods.handler.onUpdate(undefined, podOf('p', undefined, 'run'));
  pods.handler.onUpdate(undefined, podOf('p'));
  assert.deepEqual(joined, ['p c new']);
  pods.handler.onDelete(podOf('p'));
  assert.deepEqual(dropped, ['p']);
  pods.handler.onDelete(podOf('p'));
  assert.deepEqual(dropped, ['p']);
});

test('a pod of an owner and of labels is dropped once neither has it', () => {
  const { informers: [byOwner, byLabels], joined, dropped } = following([{ namespace: 'n', owner: 'run' }, { namespace: 'n', labelSelector: 'a' }]);
  byLabels.handler.onAdd(podOf('p'), true);
  byOwner.handler.onAdd(podOf('p'), true);
  byOwner.handler.onDelete(podOf('p', undefined, 'run'));
  assert.deepEqual([joined, dropped], [['p c'], []], 'the owner did not have it');
  byLabels.handler.onDelete(podOf('p'));
  assert.deepEqual(dropped, ['p']);
});

test('a job and a pod may have further owners', () => {
  const { informers: [pods, jobs], joined } = following([{ namespace: 'n', labelSelector: 'job-name', cronJob: 'cron' }]);
  const shared = (uid, ...owners) => ({ ...podOf(uid), metadata: { uid, ownerReferences: owners.map((owner) => ({ uid: owner })) } });
  pods.handler.onAdd(shared('p', 'x', 'one'), true);
  jobs.handler.onAdd(shared('one', 'cron', 'y'));
  assert.deepEqual(joined, ['p c']);
});

test('a pod that waits for its job is new if it came after the list', () => {
  const { informers: [pods, jobs], joined } = following([{ namespace: 'n', labelSelector: 'job-name', cronJob: 'cron' }]);
  pods.handler.onAdd(podOf('old', undefined, 'one'), true);
  pods.handler.onAdd(podOf('new', undefined, 'one'), false);
  jobs.handler.onAdd(ownedBy('cron', 'one'));
  assert.deepEqual(joined, ['old c', 'new c new']);
});

test('the end stops each informer, and hears no more of it', async () => {
  const { informers, end, told, failed } = following([{ labelSelector: 'a' }, { namespace: 'n', labelSelector: 'job-name', cronJob: 'cron' }]);
  end();
  assert.deepEqual(informers.map(({ calls }) => calls), Array(3).fill(['remove', 'stop']));
  for (const informer of informers) {
    informer.tell({ phase: 'reconnecting', lastError: new Error('no'), nextRetryAt: 7 });
    informer.fail(new Error('it has been stopped'));
  }
  await settle();
  assert.deepEqual([told, failed], [[], []]);
});

test('each attempt that fails is told once, and the next success', () => {
  const { informers: [informer], told } = following([{ labelSelector: 'a' }]);
  const lastError = new Error('no');
  const [first, second] = [7, 9].map((nextRetryAt) => ({ phase: 'reconnecting', lastError, nextRetryAt }));
  informer.tell({ phase: 'watching' });
  informer.tell({ ...first, lastError: null });
  informer.tell({ ...first, nextRetryAt: null });
  informer.tell({ ...first, phase: 'failed' });
  for (const status of [first, first, second]) informer.tell(status);
  informer.tell({ phase: 'listing', lastError });
  for (let turn = 0; turn < 2; turn++) informer.tell({ phase: 'watching', lastError });
  informer.tell(second);
  const failure = (nextRetryAt) => ({ state: 'reconnecting', error: lastError, nextRetryAt });
  assert.deepEqual(told, [failure(7), failure(9), { state: 'following' }, failure(9)]);
});

test('an informer that has failed already is told, and one that fails for good fails the selection', async () => {
  const error = new Error('no');
  const failing = { phase: 'reconnecting', lastError: error, nextRetryAt: 7 };
  const told = [];
  const informer = Object.assign(new Informer(), { status: failing });
  const failed = [];
  followedPods({ forResource: () => informer, startOne: () => {} }, [{ labelSelector: 'a' }], undefined,
    { join: () => {}, drop: () => {}, tell: ({ state }) => told.push(state), fail: (reason) => failed.push(reason) });
  assert.deepEqual(told, ['reconnecting']);
  informer.fail(error);
  await settle();
  assert.deepEqual(failed, [error]);
});
