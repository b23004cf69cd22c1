// Drain of several marked nodes: one after the other, with its progress for each, and a stop at any time.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { actOnMarked, closes, dialog, mark, press } from '../support/actions.mjs';
import { PATIENCE, TEST, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'drains';
const { create, get, report, object, begin } = objectsIn(stage, ns);
const NODES = ['rack-a', 'rack-b', 'rack-c'];

/** A pod that is running and ready according to its status. */
async function run(name, nodeName, ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: '00000000-0000-0000-0000-000000000001', controller: true }]) {
  const spec = { nodeName, terminationGracePeriodSeconds: 30, containers: [{ name: 'main', image: 'pause' }] };
  await create(object('v1', 'Pod', name, { metadata: { labels: { app: name }, ownerReferences }, spec }));
  await report('pod', name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
}
/** Ends an evicted pod in place of the kubelet, which does not run. */
const end = (name) => stage.kubectl(['delete', 'pod', name, '-n', ns, '--force', '--grace-period=0', '--ignore-not-found']);

/** Sets how many disruptions the budget of the pod allows, in place of the controller, which does not run. */
async function allow(disruptionsAllowed) {
  const { metadata } = await get('pdb', 'guarded');
  await report('pdb', 'guarded', { observedGeneration: metadata.generation, disruptionsAllowed, currentHealthy: 1 + disruptionsAllowed, desiredHealthy: 1, expectedPods: 1 });
}

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create(...NODES.map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })));
  await run('free', 'rack-a');
  await run('guarded', 'rack-b');
  await run('last', 'rack-c');
  await run('bare', 'rack-c', []);
  await create(object('policy/v1', 'PodDisruptionBudget', 'guarded', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } } }));
  await allow(0);
});

const says = (page, text) => dialog(page).getByRole('status').filter({ hasText: text }).waitFor({ timeout: PATIENCE });
const node = (page, name, text) => dialog(page).locator(`[data-node="${name}"] .node-row`, { hasText: text }).waitFor({ timeout: PATIENCE });
const state = (page, name, text) => dialog(page).locator(`tr[data-pod="${ns}/${name}"]`, { hasText: text }).waitFor({ timeout: PATIENCE });
const isEnding = async (name) => !!(await get('pod', name)).metadata.deletionTimestamp;
const closed = async () => Promise.all(NODES.map(async (name) => !!(await get('node', name)).spec?.unschedulable));

/** Opens the drain dialog of these nodes. */
async function open(...names) {
  const page = await stage.open('#/v1/nodes');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await mark(page, ...names);
  await actOnMarked(page, 'Drain');
  return page;
}

test('nodes are drained one after the other, a budget holds up the next one, and Stop ends all', options, async () => {
  const page = await open(...NODES);
  await says(page, '3 to evict, 0 stay, 1 needs a decision above.');
  assert.ok(await dialog(page).getByRole('button', { name: 'Drain', exact: true }).isDisabled());
  await dialog(page).getByLabel('Also pods without a controller').check();
  await says(page, '4 to evict, 0 stay.');
  await node(page, 'rack-c', '2 to evict, 0 stay');
  await press(page, 'Drain');
  await state(page, 'free', 'ends …');
  assert.deepEqual(await closed(), [true, true, true], 'all nodes are cordoned before the first eviction');
  assert.equal(await isEnding('guarded'), false);
  await node(page, 'rack-b', 'cordoned, waits');
  await end('free');
  await node(page, 'rack-a', 'Drained: 1 of 1 pods are gone.');
  await state(page, 'guarded', /waits for its budget: .*disruption budget/);
  await says(page, 'Draining: 1 of 3 nodes are drained.');
  await press(page, 'Stop');
  await says(page, 'Stopped: 1 of 3 nodes are drained. They stay cordoned.');
  await node(page, 'rack-b', 'Stopped: 0 of 1 pods are gone');
  await node(page, 'rack-c', 'cordoned, not drained: stopped');
  assert.deepEqual([await isEnding('guarded'), await isEnding('last'), await isEnding('bare')], [false, false, false]);
  await press(page, 'Close');
  await closes(page);
  await page.context().close();
});

test('a pod that came meanwhile and needs a decision ends no other node, and is decided about then', options, async () => {
  await end('bare');
  const page = await open('rack-b', 'rack-c');
  await says(page, '2 to evict, 0 stay.');
  await run('bare', 'rack-b', []);
  await press(page, 'Drain');
  await node(page, 'rack-b', 'no pod was evicted: 1 of its pods needs a decision above.');
  await state(page, 'last', 'ends …');
  await end('last');
  await says(page, 'Not drained: 1 of 2 nodes are drained, 1 needs a decision above.');
  await allow(1);
  await dialog(page).getByLabel('Also pods without a controller').check();
  await says(page, '2 to evict, 0 stay.');
  await node(page, 'rack-c', 'Drained: 1 of 1 pods are gone.');
  await press(page, 'Drain');
  await state(page, 'guarded', 'ends …');
  await state(page, 'bare', 'ends …');
  assert.deepEqual([await isEnding('guarded'), await isEnding('bare')], [true, true]);
  await end('guarded');
  await end('bare');
  await says(page, 'Drained: 2 of 2 nodes are drained. They stay cordoned.');
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/drain-several.png` });
  await page.context().close();
});

test('a node that fails ends no other one, and is drained by another press', options, async () => {
  const free = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'rack-e' } };
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'rack-d' } }, free);
  await run('guest', 'rack-d');
  const page = await open('rack-d', 'rack-e');
  await says(page, '1 to evict, 0 stay.');
  let isRejected = true;
  await page.route(/\/api\/v1\/nodes\/rack-d(\?|$)/, (route) => {
    const isWrite = route.request().method() === 'PATCH';
    return isWrite && isRejected ? route.fulfill({ status: 500, json: { kind: 'Status', status: 'Failure', message: 'etcd is away', code: 500 } }) : route.continue();
  });
  await press(page, 'Drain');
  await node(page, 'rack-d', /failed: etcd is away\..*No pod was evicted\./);
  await says(page, 'Not drained: 1 of 2 nodes are drained, 1 failed. They stay cordoned.');
  assert.equal(await isEnding('guest'), false);
  isRejected = false;
  await press(page, 'Drain');
  await state(page, 'guest', 'ends …');
  await end('guest');
  await says(page, 'Drained: 2 of 2 nodes are drained. They stay cordoned.');
  await page.context().close();
});
