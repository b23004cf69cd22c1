// Actions on the open object: each one by its menu, and seen by kubectl afterwards.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, grid, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const create = (...items) => stage.kubectl(['create', '-f', '-'], items.map((item) => JSON.stringify(item)).join('\n'));
const get = async (...args) => JSON.parse(await stage.kubectl(['get', ...args, '-n', 'default', '-o', 'json']));
const meta = (name, more = {}) => ({ name, namespace: 'default', ...more });
const template = (image, labels = { app: 'web' }) => ({ metadata: { labels }, spec: { containers: [{ name: 'main', image }] } });
const selector = { matchLabels: { app: 'web' } };
const revision = (at) => ({ annotations: { 'deployment.kubernetes.io/revision': `${at}` } });

before(async () => {
  if (stage.unavailable) return;
  await create(
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web', revision(2)), spec: { replicas: 2, selector, template: template('web:2') } },
    { apiVersion: 'batch/v1', kind: 'CronJob', metadata: meta('backup'), spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'backup' }] } } } } } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('settings', { labels: { old: 'yes', stays: 'so' } }), data: {} },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('words'), data: {} },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker' } },
  );
  const { metadata } = await get('deployment', 'web');
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: metadata.uid, controller: true }];
  const set = (name, at) => ({
    apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: meta(name, { ...revision(at), ownerReferences, labels: { app: 'web' } }),
    spec: { replicas: 0, selector, template: template(`web:${at}`, { app: 'web', 'pod-template-hash': name }) },
  });
  await create(set('web-first', 1), set('web-second', 2));
});

/** Opens an object's page, its menu by key, and the dialog of an action. */
async function act(hash, action, open) {
  const page = open ?? (await stage.open(`${hash}&tab=yaml`));
  await page.locator('.drawer .yaml .line').first().waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Actions' }).waitFor();
  await page.keyboard.press('a');
  await page.locator(`[role=menuitem][data-action=${action}]`).click({ timeout: PATIENCE });
  await page.locator('dialog.action').waitFor({ timeout: PATIENCE });
  return page;
}

const press = (page, name) => page.locator('dialog.action footer').getByRole('button', { name, exact: true }).click();
const closes = (page) => page.locator('dialog.action').waitFor({ state: 'detached', timeout: PATIENCE });
const DEPLOYMENT = '#/apps/v1/deployments?object=default%2Fweb';

test('a deployment is scaled, and the dialog closes when the watch shows it', options, async () => {
  const page = await act(DEPLOYMENT, 'Scale');
  await page.getByLabel('Replicas (now 2)').fill('3');
  // An autoscaler scales first.
  await stage.kubectl(['scale', 'deployment', 'web', '--replicas=6', '-n', 'default']);
  await page.getByLabel('Replicas (now 6)').waitFor({ timeout: PATIENCE });
  await press(page, 'Scale');
  await closes(page);
  assert.equal((await get('deployment', 'web')).spec.replicas, 3);
  await page.context().close();
});

test('a rollout is restarted, paused and resumed', options, async () => {
  const page = await act(DEPLOYMENT, 'Restart');
  await press(page, 'Restart');
  await closes(page);
  assert.match((await get('deployment', 'web')).spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt'], /^\d{4}-/);
  await act('', 'Pause', page);
  await press(page, 'Pause');
  await closes(page);
  assert.equal((await get('deployment', 'web')).spec.paused, true);
  await act('', 'Resume', page);
  await press(page, 'Resume');
  await closes(page);
  assert.ok(!(await get('deployment', 'web')).spec.paused);
  await page.context().close();
});

test('a rollback shows what changes, and sets the template of the revision', options, async () => {
  const page = await act(`?worker=off${DEPLOYMENT}`, 'RollBack');
  await page.getByLabel('Revision 1: web:1').waitFor({ timeout: PATIENCE });
  const changes = page.locator('.comparison .cm-content');
  await eventually('the change of the image', PATIENCE, async () => /web:1/.test(await changes.innerText()));
  // A change by an autoscaler leaves the template unchanged.
  await stage.kubectl(['scale', 'deployment', 'web', '--replicas=4', '-n', 'default']);
  // While the request is in flight, the template changes, too.
  let held;
  await page.route(/\/deployments\/web(\?|$)/, (route) => (route.request().method() === 'PATCH' && !held ? (held = route) : route.continue()));
  await press(page, 'Roll back');
  await eventually('the request', PATIENCE, () => held);
  await stage.kubectl(['patch', 'deployment', 'web', '-n', 'default', '--type=json', '-p', JSON.stringify([{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:3' }])]);
  await held.continue();
  await page.getByText('The template has changed: review it again.').waitFor({ timeout: PATIENCE });
  await eventually('the change from the new image', PATIENCE, async () => /web:3[^]*web:1/.test(await changes.innerText()));
  await press(page, 'Roll back');
  await closes(page);
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/422/.test(error)));
  const { spec } = await get('deployment', 'web');
  assert.equal(spec.replicas, 4);
  assert.equal(spec.template.spec.containers[0].image, 'web:1');
  assert.equal(spec.template.metadata.labels['pod-template-hash'], undefined);
  await page.context().close();
});

test('a cron job is run now, suspended and resumed', options, async () => {
  const page = await act('#/batch/v1/cronjobs?object=default%2Fbackup', 'Trigger');
  await press(page, 'Run now');
  await page.locator('.outcome.done', { hasText: 'Job backup-manual-' }).waitFor({ timeout: PATIENCE });
  await press(page, 'Close');
  const { items } = await get('jobs');
  const made = items.filter(({ metadata }) => metadata.name.startsWith('backup-manual-'));
  assert.equal(made.length, 1);
  assert.equal(made[0].metadata.ownerReferences[0].kind, 'CronJob');
  await closes(page);
  await act('', 'Suspend', page);
  await press(page, 'Suspend');
  await closes(page);
  assert.equal((await get('cronjob', 'backup')).spec.suspend, true);
  await page.context().close();
});

test('a Job that may have been created is not created again', options, async () => {
  const page = await act('?worker=off#/batch/v1/cronjobs?object=default%2Fbackup', 'Trigger');
  // The request reaches the server, but its response does not arrive.
  let sent = 0;
  await page.route(/\/jobs(\?|$)/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent += 1;
    await route.fetch();
    await route.fulfill({ status: 200, contentType: 'text/html', body: '<html>log in</html>' });
  });
  const jobs = async () => (await get('jobs')).items.length;
  const before = await jobs();
  await press(page, 'Run now');
  await page.locator('dialog.action .outcome.failed', { hasText: 'look before you repeat it' }).waitFor({ timeout: PATIENCE });
  assert.ok(await page.locator('dialog.action footer').getByRole('button', { name: 'Run now' }).isDisabled());
  assert.deepEqual([sent, await jobs()], [1, before + 1]);
  await press(page, 'Close');
  await closes(page);
  await page.context().close();
});

test('labels are changed and deleted one by one', options, async () => {
  const page = await act('#/v1/configmaps?object=default%2Fsettings', 'Labels');
  await page.keyboard.press('Escape');
  await closes(page);
  await act('', 'Labels', page);
  await page.getByLabel('Labels', { exact: true }).fill('typed');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog.action').count(), 1, 'Escape does not discard the typed text');
  await page.getByLabel('Labels', { exact: true }).fill('stays=so\nnew=yes\nwrong');
  await page.getByText('Line 3: expected key=value, or key- to remove a key.').waitFor();
  await page.getByLabel('Labels', { exact: true }).fill('stays=so\nnew=yes\n');
  await press(page, 'Save');
  await closes(page);
  assert.deepEqual((await get('configmap', 'settings')).metadata.labels, { stays: 'so', new: 'yes' });
  await page.context().close();
});

test('a rejected write shows the server’s message and fields, and keeps the typed text', options, async () => {
  // With the engine in the page, its requests can be intercepted.
  const page = await stage.open('?worker=off#/v1/configmaps?object=default%2Fsettings&tab=yaml');
  const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.labels', message: 'the policy wants an owner <b>here</b>' }];
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422, message: 'ConfigMap "settings" is invalid', details: { causes } };
  await page.route(/\/configmaps\/settings/, (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify(status) }) : route.continue());
  await act('', 'Labels', page);
  const labels = page.getByLabel('Labels', { exact: true });
  await labels.fill('team=shop');
  await press(page, 'Save');
  const failure = page.locator('dialog.action .outcome.failed');
  await failure.waitFor({ timeout: PATIENCE });
  assert.match(await failure.innerText(), /rejects the object as invalid \(422\)\s+ConfigMap "settings" is invalid\.\s+metadata\.labels the policy wants an owner <b>here<\/b>/);
  assert.equal(await labels.inputValue(), 'team=shop');
  assert.notEqual((await get('configmap', 'settings')).metadata.labels.team, 'shop');
  await page.unroute(/\/configmaps\/settings/);
  await press(page, 'Save');
  await closes(page);
  assert.equal((await get('configmap', 'settings')).metadata.labels.team, 'shop');
  // Chromium reports the rejected request on the console.
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/422/.test(error)));
  await page.context().close();
});

test('after a failure the button has the focus again, and no key reaches the rows below', options, async () => {
  const page = await stage.open('?worker=off#/v1/configmaps?namespace=default&object=default%2Fsettings&tab=yaml');
  await row(page, 'default/words').waitFor({ timeout: PATIENCE });
  // The current row is that of another object.
  await grid(page).focus();
  await page.keyboard.press('End');
  let [sent, held] = [0, []];
  await page.route(/\/configmaps\/settings/, (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    sent += 1;
    return held ? held.push(route) : route.fulfill({ status: 500, contentType: 'text/plain', body: 'away' });
  });
  await act('', 'Labels', page);
  await page.getByLabel('Labels', { exact: true }).fill('team=bank');
  await press(page, 'Save');
  await eventually('the request', PATIENCE, () => held.length > 0);
  for (const key of ['j', 'f', 'Enter']) await page.keyboard.press(key);
  for (const route of held) await route.fulfill({ status: 500, contentType: 'text/plain', body: 'away' });
  held = null;
  await page.locator('dialog.action .outcome.failed').waitFor({ timeout: PATIENCE });
  const save = page.locator('dialog.action footer').getByRole('button', { name: 'Save' });
  await eventually('the button has the focus', PATIENCE, () => save.evaluate((button) => button === document.activeElement));
  assert.match(page.url(), /object=default%2Fsettings/);
  assert.doesNotMatch(page.url(), /full=1/);
  await page.unroute(/\/configmaps\/settings/);
  await page.keyboard.press('Enter');
  await closes(page);
  assert.equal(sent, 1);
  assert.equal((await get('configmap', 'settings')).metadata.labels.team, 'bank');
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/500/.test(error)));
  await page.context().close();
});

test('an action is not carried out on another object of the same name', options, async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('replaced'), data: {} };
  await create(config);
  const page = await act('#/v1/configmaps?object=default%2Freplaced', 'Delete');
  const uid = async () => (await get('configmap', 'replaced')).metadata.uid;
  const before = await uid();
  await stage.kubectl(['delete', 'configmap', 'replaced', '-n', 'default']);
  await create(config);
  const after = await uid();
  assert.notEqual(after, before);
  // The drawer shows the new object by now.
  await eventually('the drawer shows the new object', PATIENCE, async () => (await page.locator('.drawer .yaml').innerText()).includes(after));
  await press(page, 'Delete');
  await page.locator('dialog.action .outcome.failed', { hasText: 'replaced by another one of the same name' }).waitFor({ timeout: PATIENCE });
  assert.equal(await uid(), after);
  await page.context().close();
});

test('a deployment that is scaled to the number it has is done at once', options, async () => {
  const page = await act(DEPLOYMENT, 'Scale');
  await press(page, 'Scale');
  await closes(page);
  await page.context().close();
});

test('a node is cordoned and uncordoned', options, async () => {
  const page = await act('#/v1/nodes?object=worker', 'Cordon');
  await press(page, 'Cordon');
  await closes(page);
  assert.equal((await get('node', 'worker')).spec.unschedulable, true);
  await act('', 'Uncordon', page);
  await press(page, 'Uncordon');
  await closes(page);
  assert.ok(!(await get('node', 'worker')).spec.unschedulable);
  await page.context().close();
});

test('Enter does not delete by accident, and a deletion names its dependents', options, async () => {
  const page = await act(DEPLOYMENT, 'Delete');
  await page.locator('.goes', { hasText: 'replicaset web-first' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Enter');
  await closes(page);
  await get('deployment', 'web');
  await act('', 'Delete', page);
  await press(page, 'Delete');
  await closes(page);
  await page.locator('.drawer .notice', { hasText: 'Deleted' }).waitFor({ timeout: PATIENCE });
  await assert.rejects(get('deployment', 'web'));
  await page.context().close();
});
