// Logs of kinds that select no pods by a built-in selector: a cron job, by its jobs, a custom workload, and a custom owner of pods.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PATIENCE, eventually } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

const { stage, runner, options } = await setStageWithRunner(['--still']);

const ns = 'logs-of-kinds';
const { create, get, report, object, begin } = objectsIn(stage, ns);
const containers = [{ name: 'app', image: 'i' }];

before(async () => {
  if (!stage.unavailable) await begin();
});

/** Creates a running pod that writes only on command. Returns the function that writes a line. */
async function pod(name, metadata) {
  await create(object('v1', 'Pod', name, { metadata, spec: { restartPolicy: 'Never', nodeName: 'stub-node', containers } }));
  const startedAt = new Date().toISOString().replace(/\.\d+/, '');
  await report('pod', name, { phase: 'Running', containerStatuses: [{ name: 'app', restartCount: 0, ready: true, image: 'i', imageID: '', state: { running: { startedAt } } }] });
  await runner.order({ log: 'pace', per_second: 0, namespace: ns, pod: name });
  return (text) => runner.order({ log: 'line', text, namespace: ns, pod: name });
}
/** A job of an owner. */
async function job(name, kind, owner) {
  const { apiVersion, kind: is, metadata } = await get(kind, owner);
  await create(object('batch/v1', 'Job', name, { metadata: { ownerReferences: [{ apiVersion, kind: is, name: owner, uid: metadata.uid, controller: true }] }, spec: { template: { spec: { restartPolicy: 'Never', containers } } } }));
}
/** Metadata that the job controller sets on the pods of a job. */
const ofJob = async (name) => ({ labels: { 'job-name': name }, ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: (await get('job', name)).metadata.uid, controller: true }] });
const shows = (page, text) => page.locator('.log-line', { hasText: text }).waitFor({ timeout: PATIENCE });
const open = (resource, name) => stage.open(`#/${resource}?namespace=${ns}&object=${ns}%2F${name}&tab=logs`);

test('the logs of a cron job are those of the pods of its jobs, also of a job that starts meanwhile', options, async () => {
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
  for (const name of ['nightly', 'hourly']) await create(object('batch/v1', 'CronJob', name, { spec: { schedule: '0 1 * * *', suspend: true, jobTemplate } }));
  await job('nightly-1', 'cronjob', 'nightly');
  await job('hourly-1', 'cronjob', 'hourly');
  const first = await pod('nightly-1-a', await ofJob('nightly-1'));
  const foreign = await pod('hourly-1-a', await ofJob('hourly-1'));
  await first('from the first job');
  await foreign('from another cron job');
  const page = await open('batch/v1/cronjobs', 'nightly');
  await shows(page, 'from the first job');
  await job('nightly-2', 'cronjob', 'nightly');
  const second = await pod('nightly-2-a', await ofJob('nightly-2'));
  await second('from the second job');
  await shows(page, 'from the second job');
  await foreign('from another cron job again');
  await first('last');
  await shows(page, 'last');
  assert.equal(await page.locator('.log-line', { hasText: 'from another cron job' }).count(), 0);
  await page.getByLabel('Container', { exact: true }).selectOption('app');
  await shows(page, 'last');
  await page.context().close();
});

/** Defines a custom kind. */
async function define(kind, plural) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.example.com` }, spec: { group: 'example.com', scope: 'Namespaced', names: { kind, plural }, versions: [{ name: 'v1', served: true, storage: true, schema }] } });
  await stage.kubectl(['wait', '--for=condition=Established', `crd/${plural}.example.com`, '--timeout=120s']);
  await eventually('the kind is served', PATIENCE, () => stage.kubectl(['get', `${plural}.example.com`, '-A']).then(() => true, () => false));
}

test('a custom workload has logs, an object without a template has none', options, async () => {
  await define('Rollout', 'rollouts');
  const selector = { matchLabels: { app: 'shop' } };
  await create(
    object('example.com/v1', 'Rollout', 'shop', { spec: { selector, template: { metadata: { labels: { app: 'shop' } }, spec: { containers } } } }),
    object('example.com/v1', 'Rollout', 'bare', { spec: { selector } }),
  );
  const write = await pod('shop-1', { labels: { app: 'shop' } });
  await write('from the custom workload');
  const page = await open('example.com/v1/rollouts', 'shop');
  await shows(page, 'from the custom workload');
  assert.deepEqual(await page.getByLabel('Container', { exact: true }).locator('option').allTextContents(), ['Default container', 'app']);
  assert.equal(await page.getByRole('tab', { name: 'Logs' }).getAttribute('aria-selected'), 'true');
  // The tabs are one group of controls, in the order of all kinds.
  await page.getByRole('tab', { name: 'Changes' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Logs');
  await page.context().close();
  const bare = await stage.open(`#/example.com/v1/rollouts?namespace=${ns}&object=${ns}%2Fbare`);
  await bare.locator('.drawer dt', { hasText: /^Created$/ }).waitFor({ timeout: PATIENCE });
  assert.equal(await bare.getByRole('tab', { name: 'Logs' }).count(), 0);
  await bare.context().close();
});

test('a custom object has the logs of pods that it owns without a selector, once they are known', options, async () => {
  await define('TaskRun', 'taskruns');
  await create(object('example.com/v1', 'TaskRun', 'build', { spec: { task: 'build' } }), object('example.com/v1', 'TaskRun', 'other'));
  const owned = async (by) => {
    const { apiVersion, kind, metadata: { name, uid } } = await get('taskruns.example.com', by);
    return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
  };
  const write = await pod('build-1', await owned('build'));
  const foreign = await pod('other-1', await owned('other'));
  await write('from its pod');
  await foreign('from the pod of another');
  const page = await stage.open(`#/example.com/v1/taskruns?namespace=${ns}&object=${ns}%2Fbuild`);
  const tab = (name) => page.getByRole('tab', { name });
  await tab('Related').click({ timeout: PATIENCE });
  await tab('Logs').click({ timeout: PATIENCE });
  await shows(page, 'from its pod');
  const second = await pod('build-2', await owned('build'));
  await second('from the second pod');
  await shows(page, 'from the second pod');
  assert.equal(await page.locator('.log-line', { hasText: 'from the pod of another' }).count(), 0);
  await page.reload();
  await shows(page, 'from its pod');
  await page.context().close();
});
