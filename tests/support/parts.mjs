// Parts of the dashboard that open on demand: dialogs, the editor, comparisons, logs, a shell. Each with the way to it.
import { act, actOnMarked, dialog, ends, mark, press } from './actions.mjs';
import { openEditor, text, type } from './editor.mjs';
import { PATIENCE, eventually, freshness } from './harness.mjs';
import { objectsIn } from './objects.mjs';

const ns = 'parts';
const podSpec = { containers: [{ name: 'main', image: 'shop:2', ports: [{ containerPort: 80 }] }] };
const labels = { app: 'shop' };

/** Creates the objects that the parts are shown for; `guest` is a running pod of the namespace `default`. */
export async function createObjects(stage) {
  const { create, get, report, object, begin } = objectsIn(stage, ns);
  await begin();
  const at = new Date(Date.now() - 600_000).toISOString().replace(/\.\d+/, '');
  const selector = { matchLabels: labels };
  const revision = (at) => ({ 'deployment.kubernetes.io/revision': `${at}` });
  const template = (image) => ({ metadata: { labels }, spec: { containers: [{ name: 'main', image }] } });
  const deployment = (name) => object('apps/v1', 'Deployment', name, { metadata: { annotations: revision(2) }, spec: { replicas: 2, selector, template: template('shop:2') } });
  await create(deployment('shop'), deployment('other'));
  const { uid } = (await get('deployment', 'shop')).metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid, controller: true }];
  await create(object('apps/v1', 'ReplicaSet', 'shop-first', { metadata: { annotations: revision(1), ownerReferences, labels }, spec: { replicas: 0, selector, template: template('shop:1') } }));
  await create(object('v1', 'Pod', 'waits', { metadata: { labels }, spec: podSpec }));
  const message = '0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: db}, 2 Insufficient cpu.';
  await report('pod', 'waits', { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: at }] });
  const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: 'waits', uid: (await get('pod', 'waits')).metadata.uid };
  await create(object('v1', 'Event', 'waits.1', { involvedObject, type: 'Warning', reason: 'FailedScheduling', message, count: 4, firstTimestamp: at, lastTimestamp: at, source: { component: 'scheduler' } }));
  await create(object('v1', 'ConfigMap', 'one', { data: { mode: 'slow', long: 'word '.repeat(60) } }), object('v1', 'ConfigMap', 'two', { data: { mode: 'fast' } }));
  await create(object('v1', 'Secret', 'keys', { type: 'Opaque', data: { password: 'c2VjcmV0' } }));
  await create(object('batch/v1', 'CronJob', 'nightly', { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } } } }));
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'busy' } });
  await create(object('v1', 'Pod', 'bare', { spec: { ...podSpec, nodeName: 'busy' } }));
  await report('pod', 'bare', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
}

const key = (name) => `${ns}%2F${name}`;
const tab = (page, name) => page.getByRole('tab', { name, exact: true }).click({ timeout: PATIENCE });
const shows = (page, name) => dialog(page).getByText(name).first().waitFor({ timeout: PATIENCE });
const review = (page) => dialog(page).locator('footer').getByRole('button', { name: 'Review', exact: true }).click();
/** Opens the page of an object, through `open(hash)`. */
const drawer = async (open, hash) => {
  const page = await open(hash);
  await page.locator('.drawer .summary dl').first().waitFor({ timeout: PATIENCE });
  return page;
};
const action = (hash, name, ready) => async (open) => {
  const page = await drawer(open, hash);
  await act(page, name);
  await ready(page);
  return page;
};
const DEPLOYMENT = `#/apps/v1/deployments?object=${key('shop')}`;
const MAP = `#/v1/configmaps?namespace=${ns}&object=${key('one')}`;
const POD = `#/v1/pods?object=default%2Fguest`;
/** The editor of a deployment with a field that its kind does not have, once that is a warning. */
const misspelt = async (open) => {
  const page = await openEditor({ open }, `${DEPLOYMENT}&tab=yaml`);
  await type(page, (await text(page)).replace('replicas: 2', 'replicas: 2\n  replicsa: 2'));
  await page.locator('.problems [data-severity=warning]').first().waitFor({ timeout: PATIENCE });
  return page;
};

/** The parts by name: each function opens a page by `open(hash)`, and resolves to it when its part is shown. */
export const parts = {
  async why(open) {
    const page = await open(`#/v1/pods?object=${key('waits')}`);
    await page.locator('.finding[data-code=PodUnschedulable] .evidence li').first().waitFor({ timeout: PATIENCE });
    return page;
  },
  async events(open) {
    const page = await open(`#/v1/pods?object=${key('waits')}&tab=events`);
    await page.locator('.events li', { hasText: 'FailedScheduling' }).first().waitFor({ timeout: PATIENCE });
    return page;
  },
  async compare(open) {
    const page = await open(`${MAP}&tab=yaml`);
    const choice = page.getByRole('combobox', { name: 'Compare with' });
    await choice.selectOption('object', { timeout: PATIENCE });
    const name = page.getByRole('combobox', { name: 'Object to compare with' });
    await name.fill('two');
    await name.press('Enter');
    await page.locator('.compared .comparison .cm-line').first().waitFor({ timeout: PATIENCE });
    return page;
  },
  async yaml(open) {
    const page = await open(`${DEPLOYMENT}&tab=yaml`);
    await page.locator('.drawer .yaml .line').first().waitFor({ timeout: PATIENCE });
    return page;
  },
  async 'revealed secret'(open) {
    const page = await open(`#/v1/secrets?namespace=${ns}&object=${key('keys')}&tab=yaml`);
    await page.locator('.drawer').getByRole('button', { name: 'Reveal password', exact: true }).click({ timeout: PATIENCE });
    await page.locator('.drawer').getByRole('button', { name: 'Hide password', exact: true }).waitFor({ timeout: PATIENCE });
    return page;
  },
  editor: (open) => openEditor({ open }, `${MAP}&tab=yaml`),
  'editor with a warning': misspelt,
  async 'refused edit'(open) {
    const page = await misspelt(open);
    await review(page);
    await page.locator('.outcome.failed').waitFor({ timeout: PATIENCE });
    return page;
  },
  async review(open) {
    const page = await openEditor({ open }, `#/v1/configmaps?object=${key('two')}&tab=yaml`);
    await type(page, (await text(page)).replace('mode: fast', 'mode: faster'));
    await review(page);
    // A field of another owner is named first.
    const take = dialog(page).getByRole('button', { name: 'Take over' });
    await take.or(page.locator('.review .comparison .cm-line').first()).first().waitFor({ timeout: PATIENCE });
    if (await take.isVisible()) await take.click();
    await page.locator('.review .comparison .cm-line').first().waitFor({ timeout: PATIENCE });
    return page;
  },
  async create(open) {
    const page = await open(`#/v1/configmaps?namespace=${ns}`);
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    await page.getByRole('button', { name: 'Create from YAML' }).click();
    await page.locator('dialog.action .cm-content').first().waitFor({ timeout: PATIENCE });
    return page;
  },
  scale: action(DEPLOYMENT, 'Scale', (page) => shows(page, 'Replicas (now 2)')),
  restart: action(DEPLOYMENT, 'Restart', (page) => shows(page, 'Replaces all pods')),
  delete: action(DEPLOYMENT, 'Delete', (page) => shows(page, 'shop-first')),
  labels: action(MAP, 'Labels', (page) => shows(page, 'One key=value per line')),
  'roll back': action(DEPLOYMENT, 'RollBack', (page) => page.locator('.comparison .cm-line').first().waitFor({ timeout: PATIENCE })),
  drain: action('#/v1/nodes?object=busy', 'Drain', (page) => dialog(page).locator('tr[data-pod="parts/bare"]').waitFor({ timeout: PATIENCE })),
  evict: action(`#/v1/pods?object=${key('bare')}`, 'Evict', (page) => dialog(page).locator('footer').getByRole('button', { name: 'Evict', exact: true }).waitFor({ timeout: PATIENCE })),
  trigger: action(`#/batch/v1/cronjobs?object=${key('nightly')}`, 'Trigger', (page) => dialog(page).locator('footer .primary:visible').first().waitFor({ timeout: PATIENCE })),
  async 'protected confirmation'(open) {
    const page = await drawer(open, DEPLOYMENT);
    // Which context it is, is read for each confirmation.
    await page.route('**/context.json', (route) => route.fulfill({ json: { context: 'prod', protected: true } }));
    await act(page, 'Delete');
    await dialog(page).getByLabel(/Type/).waitFor({ timeout: PATIENCE });
    return page;
  },
  debug: action(POD, 'Debug', (page) => dialog(page).getByLabel('Image').waitFor({ timeout: PATIENCE })),
  async 'scale of several'(open) {
    const page = await open(`#/apps/v1/deployments?namespace=${ns}`);
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    await mark(page, `${ns}/shop`, `${ns}/other`);
    await actOnMarked(page, 'Scale');
    await shows(page, 'Replicas (now 2)');
    return page;
  },
  async 'failure of one of several'(open) {
    const page = await open(`#/apps/v1/deployments?namespace=${ns}`);
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    // The server's answer to one of them, without a change of either.
    const message = 'deployments.apps "other" is forbidden: the quota of restarts is used up';
    await page.route(/deployments\/(shop|other)\b/, (route) => (route.request().method() === 'PATCH'
      ? route.fulfill({ status: 403, json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message } }) : route.continue()));
    await mark(page, `${ns}/shop`, `${ns}/other`);
    await actOnMarked(page, 'Restart');
    await press(page, 'Restart');
    await ends(page, 'Not complete');
    return page;
  },
  async logs(open) {
    const page = await open(`${POD}&tab=logs`);
    await page.locator('.log-state', { hasText: /^Following/ }).waitFor({ timeout: PATIENCE });
    await page.locator('.log-line').first().waitFor({ timeout: PATIENCE });
    return page;
  },
  async 'refused shell'(open) {
    const page = await open(POD);
    await page.route(/exec-check/, (route) => route.fulfill({ status: 403, contentType: 'text/plain', body: 'Forbidden' }));
    await tab(page, 'Shell');
    await page.getByText('make dashboard EXEC=1').waitFor({ timeout: PATIENCE });
    return page;
  },
  async shell(open) {
    const page = await open(POD);
    await tab(page, 'Shell');
    await page.getByRole('button', { name: 'Open', exact: true }).click({ timeout: PATIENCE });
    await page.getByText('Connected.').waitFor({ timeout: PATIENCE });
    await eventually('a prompt', PATIENCE, async () => /#/.test(await page.locator('.xterm-rows').innerText()));
    return page;
  },
};
