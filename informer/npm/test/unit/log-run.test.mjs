// Runs of a container: how the one that is read has ended, and whether the kubelet starts another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, state } from './engine.mjs';
import { Runs } from '../../src/client/log-run.js';

const failed = { exitCode: 1, reason: 'Error', finishedAt: 'then' };
const ended = { exitCode: 1, signal: undefined, reason: 'Error', finishedAt: 'then' };
const succeeded = { exitCode: 0, reason: 'Completed', finishedAt: 'then' };
const gone = { reason: 'the pod is gone' };
const refused = (code, retryable = false) => Object.assign(new Error(code), { code, retryable });

/** A pod whose container `c` has this status; `more` replaces parts of the pod. */
const podOf = (status, { metadata, spec, phase } = {}) => ({
  metadata: { uid: 'u', ...metadata },
  spec: { containers: [{ name: 'c' }], ...spec },
  status: { phase, containerStatuses: [{ name: 'd', restartCount: 9 }, { name: 'c', restartCount: 0, ...status }] },
});
const running = podOf({ state: { running: {} } });

/** The runs from `from` on, of a container whose pod is then each of `looks`; the last is repeated. */
function runsOf(looks, { from = running, goesOn = true } = {}) {
  const left = [...looks];
  const look = async () => {
    const next = left.length > 1 ? left.shift() : left[0];
    if (next instanceof Error) throw next;
    return next;
  };
  return new Runs(from, 'c', look, goesOn);
}

test('a run that is not over has no end', async () => {
  for (const pod of [running, podOf({ state: { waiting: {} } }), podOf({}), { metadata: { uid: 'u' } }]) assert.equal(await runsOf([pod]).end(), undefined);
  // The user may not read pods, or the network fails.
  for (const error of [refused('forbidden'), refused('network', true)]) assert.equal(await runsOf([error]).end(), undefined);
});

test('the end of a run is in the state, or in the last state once the next one waits or has begun', async () => {
  const end = (status, options) => runsOf([podOf(status)], options).end();
  assert.deepEqual(await end({ state: { terminated: failed }, lastState: { terminated: succeeded } }), { ...ended, restarts: true });
  assert.deepEqual(await end({ state: { waiting: {} }, lastState: { terminated: failed } }), { ...ended, restarts: true });
  assert.deepEqual(await end({ restartCount: 1, state: { running: {} }, lastState: { terminated: failed } }), { ...ended, restarts: true });
  assert.deepEqual(await end({ restartCount: 1, state: { terminated: succeeded }, lastState: { terminated: failed } }), { ...ended, restarts: true });
  assert.deepEqual(await end({ restartCount: 2 }), { exitCode: undefined, signal: undefined, reason: '', finishedAt: undefined, restarts: true }, 'it is no longer known');
  assert.deepEqual(await end({ state: { running: {} }, lastState: { terminated: failed } }), undefined, 'the run before');
  assert.deepEqual((await end({ state: { terminated: { ...failed, signal: 9 } } })).signal, 9);
  const single = { goesOn: false };
  assert.deepEqual(await end({ state: { terminated: failed } }, single), { ...ended, restarts: false });
  assert.deepEqual(await end({ restartCount: 1, lastState: { terminated: failed } }, single), { ...ended, restarts: false });
});

test('a run counts from the pod at its start, or from the first look', async () => {
  const second = podOf({ restartCount: 1, state: { running: {} } });
  assert.equal(await runsOf([second], { from: second }).end(), undefined);
  assert.equal((await runsOf([second], { from: undefined }).end()).restarts, true);
  const other = podOf({ state: { running: {} } }, { metadata: { uid: 'v' } });
  const runs = runsOf([running, running, other], { from: undefined });
  assert.deepEqual([await runs.end(), await runs.end(), await runs.end()], [undefined, undefined, gone]);
});

test('a pod that is gone, or another one of its name, ends each run', async () => {
  for (const pod of [refused('not-found'), podOf({}, { metadata: { uid: 'v' } }), {}]) {
    const runs = () => runsOf([pod]);
    assert.deepEqual(await Promise.all([runs().end(), runs().isPast(), runs().next(), runs().hasRestarted()]), [gone, gone, gone, false]);
  }
});

test('the kubelet starts a container again, by its policy and its rules', async () => {
  const again = async (terminated, spec, more) => (await runsOf([podOf({ state: { terminated } }, { spec, ...more })]).end()).restarts;
  for (const [policy, afterFailure, afterSuccess] of [[undefined, true, true], ['Always', true, true], ['OnFailure', true, false], ['Never', false, false]]) {
    assert.deepEqual([await again(failed, { restartPolicy: policy }), await again(succeeded, { restartPolicy: policy })], [afterFailure, afterSuccess], policy);
    // The policy of a container, with that of the pod reversed.
    const own = { restartPolicy: policy === 'Never' ? 'Always' : 'Never', containers: [{ name: 'c', restartPolicy: policy ?? 'Always' }] };
    assert.deepEqual([await again(failed, own), await again(succeeded, own)], [afterFailure, afterSuccess], `${policy} of the container`);
  }
  for (const phase of ['Succeeded', 'Failed']) assert.equal(await again(failed, {}, { phase }), false, phase);
  assert.equal(await again(failed, {}, { phase: 'Running' }), true);
  assert.equal(await again(failed, {}, { metadata: { deletionTimestamp: 'now' } }), false);
  assert.equal(await again(failed, { containers: [{ name: 'd' }] }), false, 'an ephemeral container runs once');
  assert.equal(await again(failed, { containers: undefined }), false);
});

test('an init container is started again until it succeeds, and a sidecar always', async () => {
  const again = async (terminated, restartPolicy, own) =>
    (await runsOf([podOf({ state: { terminated } }, { spec: { restartPolicy, containers: [{ name: 'd' }], initContainers: [{ name: 'x' }, { name: 'c', restartPolicy: own }] } })]).end()).restarts;
  assert.deepEqual([await again(failed, 'Always'), await again(succeeded, 'Always')], [true, false]);
  assert.deepEqual([await again(failed, 'OnFailure'), await again(succeeded, 'OnFailure')], [true, false]);
  assert.deepEqual([await again(failed, 'Never'), await again(succeeded, 'Never')], [false, false]);
  assert.deepEqual([await again(failed, 'Never', 'Always'), await again(succeeded, 'Never', 'Always')], [true, true]);
});

test('rules of restarts decide by the exit code, before the policy', async () => {
  const again = async (exitCode, ...restartPolicyRules) =>
    (await runsOf([podOf({ state: { terminated: { exitCode } } }, { spec: { restartPolicy: 'Never', containers: [{ name: 'c', restartPolicyRules }] } })]).end()).restarts;
  const rule = (operator, values, action = 'Restart') => ({ action, exitCodes: { operator, values } });
  assert.deepEqual([await again(42, rule('In', [1, 42])), await again(2, rule('In', [1, 42]))], [true, false]);
  assert.deepEqual([await again(42, rule('NotIn', [42])), await again(2, rule('NotIn', [42]))], [false, true]);
  assert.equal(await again(42, rule('In', [42], 'Other')), false);
  assert.equal(await again(42, rule('In', [1]), rule('In', [42])), true);
  assert.equal(await again(42, rule('In')), false);
});

test('a run is past if another one of the caller has begun, with the end that is known', async () => {
  const past = (status, options) => runsOf([podOf(status)], { goesOn: false, ...options }).isPast();
  assert.equal(await past({ state: { terminated: failed } }), undefined);
  assert.deepEqual(await past({ restartCount: 1, lastState: { terminated: failed } }), ended);
  const unknown = { exitCode: undefined, signal: undefined, reason: '', finishedAt: undefined };
  assert.deepEqual(await past({ restartCount: 2, lastState: { terminated: failed } }), unknown, 'that is the end of a later run');
  assert.deepEqual(await past({ restartCount: 1 }), unknown);
  assert.equal(await past({ restartCount: 1, lastState: { terminated: failed } }, { goesOn: true }), undefined);
  assert.equal(await runsOf([{ metadata: { uid: 'u' } }], { goesOn: false }).isPast(), undefined);
});

test('whether a run is past is unknown if the pod cannot be read', async () => {
  assert.equal(await runsOf([refused('forbidden')]).isPast('unknown'), 'unknown');
  assert.equal(await runsOf([refused('network', true)]).isPast('unknown'), undefined);
});

test('the next run is read from when it is seen to have begun', async () => {
  const next = podOf({ restartCount: 1, state: { running: {} }, lastState: { terminated: failed } });
  const runs = runsOf([running, next]);
  assert.deepEqual([await runs.hasRestarted(), await runs.hasRestarted(), await runs.hasRestarted()], [false, true, false]);
  assert.equal(await runs.end(), undefined, 'it is that of the next run');
  const single = runsOf([next], { goesOn: false });
  assert.deepEqual([await single.hasRestarted(), await single.hasRestarted(), (await single.end()).exitCode], [true, true, 1]);
  assert.equal(await runsOf([podOf({ restartCount: 2 })]).hasRestarted(), false, 'there was one in between');
  assert.equal(await runsOf([refused('forbidden')]).hasRestarted(), false);
  assert.equal(await runsOf([podOf({ restartCount: 1 }, { metadata: { uid: 'v' } })]).hasRestarted(), false);
  assert.equal(await runsOf([{ metadata: { uid: 'u' } }]).hasRestarted(), false);
});

test('a next run that is counted and only waits has not begun', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const gone = new AbortController();
  const next = runsOf([podOf({ restartCount: 1, state: { waiting: {} } })]).next(gone.signal);
  t.mock.timers.tick(0);
  for (let turn = 0; turn < 5; turn++) await settle();
  assert.equal(await state(next), 'pending');
  gone.abort(new Error('left'));
  await assert.rejects(next, { message: 'left' });
});

test('a pod without metadata, or whose containers have no status yet, runs', async () => {
  for (const pod of [{}, { metadata: undefined }, { metadata: { uid: 'u' }, status: {} }]) {
    assert.equal(await new Runs(pod, 'c', async () => running, true).end(), undefined);
    assert.equal(await new Runs(pod, 'c', async () => ({ ...pod, status: { containerStatuses: [{ name: 'c' }] } }), true).end(), undefined);
  }
  assert.deepEqual(await new Runs({}, 'c', async () => ({ status: { containerStatuses: [{ name: 'c', state: { terminated: failed } }] }, spec: { containers: [{ name: 'c' }] } }), true).end(),
    { ...ended, restarts: true });
});

test('the next run is waited for until it has begun', async () => {
  for (const state of [{ running: {} }, { terminated: failed }]) {
    const runs = runsOf([podOf({ restartCount: 1, state })]);
    assert.equal(await runs.next(), undefined);
    assert.equal(await runs.hasRestarted(), false, 'it is read from now on');
  }
  const never = { spec: { restartPolicy: 'Never' } };
  assert.deepEqual(await runsOf([podOf({ state: { terminated: failed } }, never)]).next(), ended);
  assert.deepEqual(await runsOf([podOf({ state: { waiting: {} }, lastState: { terminated: failed } }, never)]).next(), ended);
  assert.deepEqual(await runsOf([podOf({}, never)]).next(), { exitCode: undefined, signal: undefined, reason: '', finishedAt: undefined });
  assert.deepEqual(await runsOf([refused('forbidden')]).next(), {});
});

test('the pod is looked at at once, then after half a second, and at most every five', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let looks = 0;
  const waiting = podOf({ state: { waiting: {} }, lastState: { terminated: failed } });
  const runs = new Runs(running, 'c', async () => (++looks % 2 ? waiting : Promise.reject(refused('network', true))), true);
  const next = runs.next();
  const passes = async (ms) => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 5; turn++) await settle();
  };
  await passes(0);
  let expected = 1;
  for (const pause of [500, 1000, 2000, 4000, 5000, 5000]) {
    await passes(pause - 1);
    assert.equal(looks, expected, `before ${pause}`);
    await passes(1);
    assert.equal(looks, ++expected, `after ${pause}`);
  }
  assert.equal(await state(next), 'pending');
});

test('a signal ends the wait for the next run, during a pause and during a look', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = podOf({ state: { waiting: {} } });
  for (const looksForever of [false, true]) {
    const gone = new AbortController();
    const looked = { reject: () => {} };
    const look = () => (looksForever ? new Promise((_, reject) => (looked.reject = reject)) : Promise.resolve(waiting));
    const next = new Runs(running, 'c', look, true).next(undefined, gone.signal);
    next.catch(() => {});
    t.mock.timers.tick(0);
    for (let turn = 0; turn < 5; turn++) await settle();
    gone.abort(new Error('left'));
    looked.reject(refused('not-found'));
    await assert.rejects(next, { message: 'left' });
  }
});
