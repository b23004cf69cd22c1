// Protected contexts: each action that ends pods requires a typed name first, and other actions do not.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { act, actOnMarked, button, closes, dialog, ends, mark, press } from '../support/actions.mjs';
import { PATIENCE, TEST, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'protected';
const { create, get, all, report, object, begin } = objectsIn(stage, ns);
const labels = { app: 'web' };
const podSpec = (image) => ({ containers: [{ name: 'main', image }] });
const template = (image) => ({ metadata: { labels }, spec: podSpec(image) });
const selector = { matchLabels: labels };
const job = { template: { spec: { ...podSpec('job'), restartPolicy: 'Never' } } };

before(async () => {
  if (stage.unavailable) return;
  await begin();
  const revision = (at) => ({ 'deployment.kubernetes.io/revision': `${at}` });
  const deployment = (name) => object('apps/v1', 'Deployment', name, { metadata: { annotations: revision(2) }, spec: { replicas: 3, selector, template: template('web:2') } });
  await create(deployment('web'), deployment('api'));
  const { uid } = (await get('deployment', 'web')).metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }];
  await create(object('apps/v1', 'ReplicaSet', 'web-first', { metadata: { annotations: revision(1), ownerReferences, labels }, spec: { replicas: 0, selector, template: template('web:1') } }));
  await create(object('batch/v1', 'CronJob', 'backup', { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job } } }));
  await create(object('v1', 'Pod', 'guest', { spec: { ...podSpec('pause'), nodeName: 'nowhere' } }));
  await report('pod', 'guest', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
});

async function open(hash) {
  const page = await stage.open(hash, {}, { '**/context.json': { context: 'prod-eu', protected: true } });
  await page.getByText('protected: prod-eu').waitFor({ timeout: PATIENCE });
  return page;
}
const openObject = (resource, name) => open(`#/${resource}?object=${ns}%2F${name}`);

/** Types a wrong name, which keeps the button disabled, then the right one, and presses the button. */
async function confirm(page, verb, label, wrong, right) {
  await dialog(page).getByText('The context prod-eu is protected.').waitFor({ timeout: PATIENCE });
  const box = dialog(page).getByLabel(label);
  for (const typed of ['', wrong]) {
    await box.fill(typed);
    assert.ok(await button(page, verb).isDisabled(), `${verb} with ${JSON.stringify(typed)}`);
  }
  await box.fill(right);
  await press(page, verb);
}
const NAME = 'Type the name to confirm';

test('a restart', options, async () => {
  const page = await openObject('apps/v1/deployments', 'web');
  await act(page, 'Restart');
  await confirm(page, 'Restart', NAME, 'we', 'web');
  await closes(page);
  assert.match((await get('deployment', 'web')).spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt'], /^\d{4}-/);
  await page.context().close();
});

test('a rollback', options, async () => {
  const page = await openObject('apps/v1/deployments', 'web');
  await act(page, 'RollBack');
  await dialog(page).getByLabel('Revision 1: web:1').waitFor({ timeout: PATIENCE });
  await confirm(page, 'Roll back', NAME, 'api', 'web');
  await closes(page);
  assert.equal((await get('deployment', 'web')).spec.template.spec.containers[0].image, 'web:1');
  await page.context().close();
});

test('a scale down, and no scale up', options, async () => {
  const page = await openObject('apps/v1/deployments', 'web');
  await act(page, 'Scale');
  await dialog(page).getByRole('spinbutton').fill('4');
  assert.equal(await dialog(page).getByLabel(NAME).count(), 0);
  await press(page, 'Scale');
  await closes(page);
  assert.equal((await get('deployment', 'web')).spec.replicas, 4);
  await act(page, 'Scale');
  await dialog(page).getByRole('spinbutton').fill('1');
  await confirm(page, 'Scale', NAME, 'Web', 'web');
  await closes(page);
  assert.equal((await get('deployment', 'web')).spec.replicas, 1);
  await page.context().close();
});

test('a suspension, and no resumption', options, async () => {
  const page = await openObject('batch/v1/cronjobs', 'backup');
  await act(page, 'Suspend');
  await confirm(page, 'Suspend', NAME, 'back', 'backup');
  await closes(page);
  assert.equal((await get('cronjob', 'backup')).spec.suspend, true);
  await act(page, 'Unsuspend');
  assert.equal(await dialog(page).getByLabel(NAME).count(), 0);
  await press(page, 'Resume');
  await closes(page);
  assert.equal((await get('cronjob', 'backup')).spec.suspend, false);
  await page.context().close();
});

test('an eviction', options, async () => {
  const page = await openObject('v1/pods', 'guest');
  const { uid } = (await get('pod', 'guest')).metadata;
  await act(page, 'Evict');
  await confirm(page, 'Evict', NAME, 'prod-eu', 'guest');
  await closes(page);
  const pods = (await all('pods')).filter(({ metadata }) => metadata.uid === uid && !metadata.deletionTimestamp);
  assert.deepEqual(pods, []);
  await page.context().close();
});

test('several objects: the name of the context', options, async () => {
  const page = await open(`#/apps/v1/deployments?namespace=${ns}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await mark(page, `${ns}/web`, `${ns}/api`);
  await actOnMarked(page, 'Scale');
  await dialog(page).getByRole('spinbutton').fill('0');
  await confirm(page, 'Scale', 'Type prod-eu to confirm', '2', 'prod-eu');
  await ends(page, 'Complete: 2 of 2 done.');
  assert.deepEqual((await all('deployments')).map(({ spec }) => spec.replicas), [0, 0]);
  await page.context().close();
});
