// Evictions: the drain of a node, which respects PodDisruptionBudgets, and the eviction of one pod.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'evictions';
const create = (...items) => stage.kubectl(['create', '-f', '-'], items.map((item) => JSON.stringify(item)).join('\n'));
const get = async (...args) => JSON.parse(await stage.kubectl(['get', ...args, '-o', 'json']));
const report = (kind, name, status) => stage.kubectl(['patch', kind, name, '-n', ns, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
const owned = (kind) => [{ apiVersion: 'apps/v1', kind, name: 'owner', uid: '00000000-0000-0000-0000-000000000001', controller: true }];

/** A pod that is running and ready according to its status. */
async function run(name, nodeName, { app = name, ownerReferences = owned('ReplicaSet') } = {}) {
  const metadata = { name, namespace: ns, labels: { app }, ownerReferences };
  await create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName, terminationGracePeriodSeconds: 30, containers: [{ name: 'main', image: 'pause' }] } });
  await report('pod', name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
}

/** Ends an evicted pod in place of the kubelet, which does not run. */
const end = (name) => stage.kubectl(['delete', 'pod', name, '-n', ns, '--force', '--grace-period=0', '--ignore-not-found']);

/** Sets how many disruptions a budget allows, in place of the controller, which does not run. */
async function guard(app, disruptionsAllowed) {
  if (!(await get('pdb', '-n', ns)).items.some(({ metadata }) => metadata.name === app)) {
    await create({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: app, namespace: ns }, spec: { minAvailable: 1, selector: { matchLabels: { app } } } });
  }
  const { metadata } = await get('pdb', app, '-n', ns);
  await report('pdb', app, { observedGeneration: metadata.generation, disruptionsAllowed, currentHealthy: 1 + disruptionsAllowed, desiredHealthy: 1, expectedPods: 1 });
}

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  for (const name of ['first', 'second', 'third', 'fourth']) await create({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
});

const dialog = (page) => page.locator('dialog.action');
const press = (page, name) => dialog(page).locator('footer').getByRole('button', { name, exact: true }).click({ timeout: PATIENCE });
async function act(hash, action) {
  const page = await stage.open(hash);
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await page.locator(`.drawer [role=menuitem][data-action=${action}]`).click({ timeout: PATIENCE });
  await dialog(page).waitFor({ timeout: PATIENCE });
  return page;
}
const state = (page, name, text) => dialog(page).locator(`tr[data-pod="${ns}/${name}"]`, { hasText: text }).waitFor({ timeout: PATIENCE });
const says = (page, text) => dialog(page).getByRole('status').filter({ hasText: text }).waitFor({ timeout: PATIENCE });

test('a drain asks about pods without a controller, waits for budgets, and counts the evicted pods', options, async () => {
  await run('free', 'first');
  await run('guarded', 'first');
  await run('bare', 'first', { ownerReferences: [] });
  await run('daemon', 'first', { ownerReferences: owned('DaemonSet') });
  await guard('guarded', 0);
  const page = await act('#/v1/nodes?object=first', 'Drain');
  await says(page, '2 to evict, 1 stays, 1 needs a decision above.');
  assert.ok(await dialog(page).getByRole('button', { name: 'Drain', exact: true }).isDisabled());
  await dialog(page).getByLabel('Also pods without a controller').check();
  await says(page, '3 to evict, 1 stays.');
  await press(page, 'Drain');
  await state(page, 'daemon', 'a DaemonSet would create it again');
  await state(page, 'guarded', /waits for its budget: .*disruption budget/);
  await state(page, 'free', 'ends …');
  assert.equal((await get('node', 'first')).spec.unschedulable, true);
  assert.ok((await get('pod', 'free', '-n', ns)).metadata.deletionTimestamp);
  assert.equal((await get('pod', 'guarded', '-n', ns)).metadata.deletionTimestamp, undefined, 'the pod that its budget protects is not evicted');
  await end('free');
  await end('bare');
  await state(page, 'free', 'gone');
  await says(page, 'Draining: 2 of 3 pods are gone.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.ok(await dialog(page).isVisible(), 'Escape does not stop a drain');
  await guard('guarded', 1);
  await state(page, 'guarded', 'ends …');
  await end('guarded');
  await says(page, 'Drained: 3 of 3 pods are gone. The node stays cordoned.');
  await get('pod', 'daemon', '-n', ns);
  await page.context().close();
});

test('a stopped drain evicts no further pod, shows the remaining ones, and can go on', options, async () => {
  await run('kept', 'second');
  await guard('kept', 0);
  const page = await act('#/v1/nodes?object=second', 'Drain');
  await says(page, '1 to evict, 0 stay.');
  await press(page, 'Drain');
  await state(page, 'kept', 'waits for its budget');
  await press(page, 'Stop');
  await says(page, 'Stopped: 0 of 1 pods are gone');
  await state(page, 'kept', 'stays:');
  await guard('kept', 1);
  assert.equal((await get('pod', 'kept', '-n', ns)).metadata.deletionTimestamp, undefined);
  // It goes on where it was stopped.
  await press(page, 'Drain');
  await state(page, 'kept', 'ends …');
  await end('kept');
  await says(page, 'Drained: 1 of 1 pods are gone.');
  await run('kept', 'second');
  await press(page, 'Close');
  await dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('a drain is of the pods that are on the node after the cordon, and asks about those that came meanwhile', options, async () => {
  await run('moved', 'third');
  const page = await act('#/v1/nodes?object=third', 'Drain');
  await says(page, '1 to evict, 0 stay.');
  await end('moved');
  await run('moved', 'fourth');
  await run('late', 'third');
  await run('late-bare', 'third', { ownerReferences: [] });
  await press(page, 'Drain');
  await says(page, 'The node is cordoned, and no pod was evicted: 1 of its pods needs a decision above.');
  assert.equal((await get('node', 'third')).spec.unschedulable, true);
  assert.equal((await get('pod', 'late', '-n', ns)).metadata.deletionTimestamp, undefined);
  await dialog(page).getByLabel('Also pods without a controller').check();
  await says(page, '2 to evict, 0 stay.');
  await press(page, 'Drain');
  await state(page, 'late', 'ends …');
  await state(page, 'late-bare', 'ends …');
  await end('late');
  await end('late-bare');
  await says(page, 'Drained: 2 of 2 pods are gone. The node stays cordoned.');
  const moved = await get('pod', 'moved', '-n', ns);
  assert.equal(moved.spec.nodeName, 'fourth');
  assert.equal(moved.metadata.deletionTimestamp, undefined, 'a pod that is on another node by now is not evicted');
  await page.context().close();
});

test('a node that was replaced is neither cordoned nor drained', options, async () => {
  const page = await act('#/v1/nodes?object=fourth', 'Drain');
  await says(page, /to evict/);
  await stage.kubectl(['delete', 'node', 'fourth']);
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'fourth' } });
  await press(page, 'Drain');
  await dialog(page).getByText('The node was replaced by another one of the same name. No pod was evicted.').waitFor({ timeout: PATIENCE });
  assert.equal((await get('node', 'fourth')).spec?.unschedulable, undefined);
  await page.context().close();
});

test('an eviction that a budget forbids shows the server’s words, and is done once it allows it', options, async () => {
  await run('watched', 'second');
  await guard('watched', 0);
  const page = await act(`#/v1/pods?object=${ns}%2Fwatched`, 'Evict');
  await press(page, 'Evict');
  const failure = dialog(page).locator('.outcome.failed');
  await failure.waitFor({ timeout: PATIENCE });
  assert.match(await failure.innerText(), /Too many requests \(429\)[^]*disruption budget/);
  assert.equal((await get('pod', 'watched', '-n', ns)).metadata.deletionTimestamp, undefined);
  await guard('watched', 1);
  await press(page, 'Evict');
  await dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
  assert.ok((await get('pod', 'watched', '-n', ns)).metadata.deletionTimestamp);
  await end('watched');
  await page.context().close();
});

test('in a protected context the node is named before the drain', options, async () => {
  const context = await stage.browser.newContext();
  await context.route('**/context.json', (route) => route.fulfill({ json: { context: 'prod', protected: true } }));
  const page = await context.newPage();
  await page.goto(stage.url('#/v1/nodes?object=second'));
  await page.getByText('protected: prod').waitFor({ timeout: PATIENCE });
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await page.locator('.drawer [role=menuitem][data-action=Drain]').click({ timeout: PATIENCE });
  const box = dialog(page).getByLabel('Type the name to confirm');
  await box.fill('first');
  assert.equal(await dialog(page).getByRole('button', { name: 'Drain', exact: true }).count(), 0);
  await box.fill('second');
  await dialog(page).getByRole('button', { name: 'Drain', exact: true }).waitFor({ timeout: PATIENCE });
  await eventually('the pods of the node', PATIENCE, async () => (await dialog(page).locator('tr[data-pod]').count()) > 0);
  await context.close();
});
