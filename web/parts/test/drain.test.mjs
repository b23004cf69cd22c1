// Drains without a page: which pods are evicted, and which are never evicted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drain, judge } from '../src/eviction.js';

test('pods are judged as kubectl drain judges them', () => {
  const pod = (more, metadata = {}) => ({ metadata: { namespace: 'a', name: 'b', uid: 'u', ...metadata }, spec: {}, ...more });
  const owned = (kind) => ({ ownerReferences: [{ kind, controller: true }] });
  assert.equal(judge(pod({}, owned('DaemonSet'))).verdict, 'stays');
  assert.equal(judge(pod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } })).verdict, 'stays');
  assert.equal(judge(pod({})).verdict, 'refused');
  assert.equal(judge(pod({}), { withUnmanaged: true }).verdict, 'evict');
  assert.equal(judge(pod({ spec: { volumes: [{ emptyDir: {} }] } }, owned('ReplicaSet'))).verdict, 'refused');
  assert.equal(judge(pod({ status: { phase: 'Succeeded' } })).verdict, 'evict');
});

const NODE = { ref: { resource: 'v1/nodes', name: 'n' }, uid: 'node-uid' };
const podOf = (name, ownerReferences = [{ kind: 'ReplicaSet', controller: true }]) => ({ metadata: { namespace: 'a', name, uid: name, ownerReferences }, spec: {} });
const failed = (code, status, message = code) => Object.assign(new Error(message), { code, status, retryAfterMs: 1 });
const gone = async () => Promise.reject(failed('not-found', 404));

/** A drain of the pods that `list` returns: `{ drain, calls, text(), rows() }`. `evict` is called for each eviction, and may throw. */
function drainOf(list, { evict = () => {}, get = gone, patch = () => {}, options = {}, onChange = () => {} } = {}) {
  const calls = [];
  const note = (name, does) => async (...args) => (calls.push([name, ...args]), does(...args));
  const client = { patch: note('patch', patch), evict: note('evict', evict), get: note('get', get) };
  let last = [[], ''];
  const drain = new Drain(client, NODE, note('list', list), options, (rows, text) => {
    last = [rows, text];
    onChange(drain);
  });
  return { drain, calls, text: () => last[1], rows: () => last[0].map(({ name, state }) => `${name}: ${state}`) };
}

test('a drain retries the eviction of a protected pod until it is stopped', async () => {
  let tries = 0;
  const { drain, text } = drainOf(() => ['free', 'kept'].map((name) => podOf(name)), {
    evict: ({ name }) => {
      if (name === 'kept' && ++tries) throw failed('throttled', 429, 'the budget');
    },
    get: ({ name }) => (name === 'kept' ? podOf(name) : gone()),
    onChange: (drain) => tries === 3 && queueMicrotask(() => drain.stop()),
  });
  await drain.run();
  assert.ok(tries >= 3);
  assert.equal(text(), 'Stopped: 1 of 2 pods are gone, 1 left. The node stays cordoned.');
});

test('the node is cordoned by its uid before its pods are listed', async () => {
  const { drain, calls, text } = drainOf(() => [podOf('late')]);
  assert.equal(await drain.run(), true);
  assert.deepEqual(calls.slice(0, 3), [
    ['patch', NODE.ref, { metadata: { uid: 'node-uid' }, spec: { unschedulable: true } }],
    ['list'],
    ['evict', { resource: 'v1/pods', namespace: 'a', name: 'late' }, { uid: 'late' }],
  ]);
  assert.equal(text(), 'Drained: 1 of 1 pods are gone. The node stays cordoned.');
});

test('another pod of the same name is never evicted', async () => {
  const other = async ({ name }) => ({ metadata: { name, uid: 'another' } });
  const replaced = drainOf(() => [podOf('db-0')], { evict: () => { throw failed('conflict', 409); }, get: other });
  await replaced.drain.run();
  assert.deepEqual(replaced.rows(), ['db-0: gone']);
  // The server checks the budget of the other pod before the uid.
  const guarded = drainOf(() => [podOf('db-0')], { evict: () => { throw failed('throttled', 429); }, get: other });
  await guarded.drain.run();
  assert.deepEqual(guarded.rows(), ['db-0: gone']);
  assert.equal(guarded.calls.filter(([name]) => name === 'evict').length, 1);
});

test('a conflict about the same pod is a failure of its eviction', async () => {
  const { drain, text, rows } = drainOf(() => [podOf('a')], { evict: () => { throw failed('conflict', 409, 'modified'); }, get: async () => podOf('a') });
  await drain.run();
  assert.deepEqual(rows(), ['a: failed: modified']);
  assert.equal(text(), 'Not drained: 0 of 1 pods are gone, 1 failed. The node stays cordoned.');
});

test('a pod that was created before the cordon and needs a decision stops the drain before any eviction', async () => {
  const { drain, calls, text, rows } = drainOf(() => [podOf('owned'), podOf('bare', [])]);
  assert.equal(await drain.run(), false);
  assert.ok(!calls.some(([name]) => name === 'evict'));
  assert.equal(text(), 'The node is cordoned, and no pod was evicted: 1 of its pods needs a decision above.');
  assert.deepEqual(rows(), ['owned: waits', 'bare: has no controller']);
});

test('protected pods, however many, do not delay the evictions of the others', async () => {
  let tries = 0;
  const { drain, calls, text } = drainOf(() => [...Array(9).keys()].map((at) => podOf(at < 6 ? `kept-${at}` : `free-${at}`)), {
    evict: ({ name }) => {
      if (name.startsWith('kept') && ++tries) throw failed('throttled', 429);
    },
    get: ({ name }) => (name.startsWith('kept') ? podOf(name) : gone()),
    // Far more tries than one round of all pods takes.
    onChange: (drain) => tries >= 60 && drain.stop(),
  });
  await drain.run();
  assert.equal(text(), 'Stopped: 3 of 9 pods are gone, 6 left. The node stays cordoned.');
  assert.deepEqual(new Set(calls.filter(([, ref]) => ref?.name?.startsWith('free')).map(([, ref]) => ref.name)), new Set(['free-6', 'free-7', 'free-8']));
});

test('at most five requests about pods are in flight', async () => {
  let [now, most] = [0, 0];
  const busy = (respond) => async (ref) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return respond(ref);
  };
  const { drain, text } = drainOf(() => [...Array(30).keys()].map((at) => podOf(`pod-${at}`)), { evict: busy(() => {}), get: busy(gone) });
  await drain.run();
  assert.equal(text(), 'Drained: 30 of 30 pods are gone. The node stays cordoned.');
  assert.equal(most, 5);
});
