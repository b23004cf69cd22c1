// Drains of several nodes without a page: their order, failures of one node, and stops.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drains } from '../src/drains.js';

const failed = (code, status, message = code) => Object.assign(new Error(message), { code, status, retryAfterMs: 1 });
const pod = (name, owners = [{ kind: 'ReplicaSet', controller: true }]) => ({ metadata: { namespace: 'a', name, uid: name, ownerReferences: owners }, spec: {} });

/** Drains of nodes with their pods: `{ drains, calls, texts() }`. `evict` and `patch` are called for each request, and may throw. */
function drainsOf(pods, { evict = () => {}, patch = () => {}, options = {}, onChange = () => {} } = {}) {
  const calls = [];
  const texts = new Map();
  const client = {
    patch: async ({ name }) => (calls.push(`cordon ${name}`), patch(name)),
    evict: async ({ name }) => (calls.push(`evict ${name}`), evict(name)),
    get: async () => Promise.reject(failed('not-found', 404)),
  };
  const names = Object.keys(pods);
  const nodes = names.map((name) => ({ ref: { resource: 'v1/nodes', name }, uid: name, list: async () => (calls.push(`list ${name}`), pods[name].map((one) => (typeof one === 'string' ? pod(one) : one))) }));
  const drains = new Drains(client, nodes, options, (at, { text }) => {
    if (text !== undefined) texts.set(names[at], text);
    onChange(drains);
  });
  return { drains, calls, texts: () => Object.fromEntries(texts) };
}
const states = ({ drains }) => ['drained', 'undecided', 'failed', 'stopped', 'waits'].map((state) => drains.count(state));

test('all nodes are cordoned before the first one is drained, and each is drained before the next one', async () => {
  const all = drainsOf({ red: ['r1', 'r2'], green: [], blue: ['b1'] });
  await all.drains.run();
  assert.deepEqual(all.calls, ['cordon red', 'cordon green', 'cordon blue', 'list red', 'evict r1', 'evict r2', 'list green', 'list blue', 'evict b1']);
  assert.deepEqual(states(all), [3, 0, 0, 0, 0]);
  assert.deepEqual(all.texts(), {
    red: 'Drained: 2 of 2 pods are gone. The node stays cordoned.',
    green: 'Drained: 0 of 0 pods are gone. The node stays cordoned.',
    blue: 'Drained: 1 of 1 pods are gone. The node stays cordoned.',
  });
});

test('a node that cannot be cordoned or drained does not stop the others', async () => {
  const all = drainsOf({ red: ['r1'], green: ['g1'], blue: ['b1'] }, {
    patch: (name) => { if (name === 'red') throw failed('conflict', 409, 'another uid.'); },
    evict: (name) => { if (name === 'g1') throw failed('forbidden', 403, 'not you'); },
  });
  await all.drains.run();
  assert.deepEqual(states(all), [1, 0, 2, 0, 0]);
  assert.equal(all.texts().red, 'failed: The node was replaced by another one of the same name. another uid. No pod was evicted.');
  assert.equal(all.texts().green, 'Not drained: 0 of 1 pods are gone, 1 failed. The node stays cordoned.');
  assert.ok(!all.calls.includes('list red'), 'the pods of a node that is not cordoned are not evicted');
  assert.ok(all.calls.includes('evict b1'));
});

test('a stop ends the drain of the current node and starts no other', async () => {
  let tries = 0;
  const all = drainsOf({ red: ['guarded'], green: ['g1'] }, {
    evict: () => { tries += 1; throw failed('throttled', 429, 'the budget'); },
    onChange: (drains) => tries === 1 && queueMicrotask(() => drains.stop()),
  });
  await all.drains.run();
  assert.deepEqual(states(all), [0, 0, 0, 2, 0]);
  assert.deepEqual(all.calls, ['cordon red', 'cordon green', 'list red', 'evict guarded']);
  assert.equal(all.texts().green, 'cordoned, not drained: stopped');
});

test('a stop between the cordons cordons no further node', async () => {
  const all = drainsOf({ red: ['r1'], green: ['g1'] }, { patch: () => all.drains.stop() });
  await all.drains.run();
  assert.deepEqual(all.calls, ['cordon red']);
  assert.deepEqual(states(all), [0, 0, 0, 2, 0]);
});

test('a second run drains a node whose pods needed a decision, and skips drained nodes', async () => {
  const options = {};
  const all = drainsOf({ red: ['r1'], green: [pod('bare', [])] }, { options });
  await all.drains.run();
  assert.deepEqual(states(all), [1, 1, 0, 0, 0]);
  assert.ok(!all.calls.includes('evict bare'));
  options.withUnmanaged = true;
  all.calls.length = 0;
  await all.drains.run();
  assert.deepEqual(all.calls, ['cordon green', 'list green', 'evict bare']);
  assert.deepEqual(states(all), [2, 0, 0, 0, 0]);
});
