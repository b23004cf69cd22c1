// Actions on several marked rows at once, and those that start what was suspended; each seen by kubectl afterwards.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { act, actOnMarked, closes, dialog, ends, mark, press } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'several';
const { create, get, all, report, object, begin } = objectsIn(stage, ns);
const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job' }] };
const job = { template: { spec } };
const key = (name) => `${ns}/${name}`;
const byName = async (kind, read) => Object.fromEntries((await all(kind)).map((item) => [item.metadata.name, read(item)]));

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create(...['red', 'green', 'blue'].map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })));
  await create(...['daily', 'hourly', 'yearly'].map((name) => object('batch/v1', 'CronJob', name, { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job } } })));
  await create(object('batch/v1', 'Job', 'import', { spec: job }));
  for (const name of ['one', 'two', 'guarded']) {
    await create(object('v1', 'Pod', name, { metadata: { labels: { app: name } }, spec: { ...spec, nodeName: 'nowhere', terminationGracePeriodSeconds: 30 } }));
    await report('pod', name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  }
  // No controller sets the number of allowed disruptions, so the budget allows none.
  await create(object('policy/v1', 'PodDisruptionBudget', 'guarded', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } } }));
});

async function open(kind) {
  const page = await stage.open(`#/${kind}?namespace=${ns}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  return page;
}

test('several pods are evicted, except the one that its budget guards, which is named', options, async () => {
  const page = await open('v1/pods');
  await mark(page, key('one'), key('two'), key('guarded'));
  await actOnMarked(page, 'Evict');
  await press(page, 'Evict');
  await ends(page, 'Not complete: 2 of 3 done, 1 failed.');
  assert.match(await page.locator(`dialog.action [data-subject="${key('guarded')}"]`).innerText(), /Too many requests \(429\)[^]*disruption budget/);
  const ending = await byName('pods', ({ metadata }) => !!metadata.deletionTimestamp);
  // Without a kubelet an evicted pod may be gone by now.
  assert.deepEqual([ending.one ?? true, ending.two ?? true, ending.guarded], [true, true, false]);
  await page.context().close();
});

for (const [screen, hash] of [['overview', '#/overview'], ['map', '#/map'], ['full page of an object', `#/v1/pods?object=${encodeURIComponent(`${ns}/one`)}&full=1`]]) {
  test(`the dialog of marked rows stays on screen when Back leads to the ${screen}, and gives the focus to it`, options, async () => {
    const page = await stage.open(hash);
    await page.locator('.overview, .drawer.full').first().waitFor({ timeout: PATIENCE });
    await page.evaluate((hash) => (location.hash = hash), `#/batch/v1/cronjobs?namespace=${ns}`);
    await mark(page, key('daily'), key('hourly'));
    await actOnMarked(page, 'Suspend');
    await page.evaluate(() => history.back());
    await page.locator('.overview, .drawer.full').first().waitFor({ state: 'attached', timeout: PATIENCE });
    await dialog(page).waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Escape');
    await closes(page);
    await eventually('the screen has the focus', PATIENCE, () => page.evaluate(() => document.activeElement?.closest('.overview, .drawer.full') !== null));
    await page.context().close();
  });
}

test('several nodes are cordoned and uncordoned', options, async () => {
  const page = await open('v1/nodes');
  const closed = () => byName('nodes', ({ spec }) => !!spec?.unschedulable);
  const before = await closed();
  await mark(page, 'red', 'blue');
  await actOnMarked(page, 'Cordon');
  await press(page, 'Cordon');
  await ends(page, 'Complete: 2 of 2 done.');
  assert.deepEqual(await closed(), { ...before, red: true, blue: true });
  await press(page, 'Close');
  await closes(page);
  await actOnMarked(page, 'Uncordon');
  await press(page, 'Uncordon');
  await ends(page, 'Complete: 2 of 2 done.');
  assert.deepEqual(await closed(), before);
  await page.context().close();
});

test('several cron jobs are run now, suspended and resumed', options, async () => {
  const page = await open('batch/v1/cronjobs');
  await mark(page, key('daily'), key('yearly'));
  await actOnMarked(page, 'Trigger');
  await press(page, 'Run now');
  await ends(page, 'Complete: 2 of 2 done.');
  const owners = (await all('jobs')).flatMap(({ metadata }) => metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`) ?? []);
  assert.deepEqual(owners.sort(), ['CronJob daily', 'CronJob yearly']);
  await press(page, 'Close');
  await closes(page);
  const suspended = () => byName('cronjobs', ({ spec }) => !!spec.suspend);
  await actOnMarked(page, 'Suspend');
  await press(page, 'Suspend');
  await ends(page, 'Complete: 2 of 2 done.');
  assert.deepEqual(await suspended(), { daily: true, hourly: false, yearly: true });
  await press(page, 'Close');
  await closes(page);
  await actOnMarked(page, 'Unsuspend');
  await press(page, 'Resume');
  await ends(page, 'Complete: 2 of 2 done.');
  assert.deepEqual(await suspended(), { daily: false, hourly: false, yearly: false });
  await page.context().close();
});

for (const [kind, resource, name] of [['cron job', 'cronjobs', 'hourly'], ['job', 'jobs', 'import']]) {
  test(`an open ${kind} is suspended and resumed`, options, async () => {
    const page = await stage.open(`#/batch/v1/${resource}?object=${encodeURIComponent(key(name))}`);
    const isSuspended = async () => !!(await get(resource, name)).spec.suspend;
    await act(page, 'Suspend');
    await press(page, 'Suspend');
    await closes(page);
    assert.equal(await isSuspended(), true);
    await page.locator(`.finding[data-code=${resource === 'jobs' ? 'Job' : 'CronJob'}Suspended]`).waitFor({ timeout: PATIENCE });
    await act(page, 'Unsuspend');
    await press(page, 'Resume');
    await closes(page);
    assert.equal(await isSuspended(), false);
    await page.locator('.finding[data-code$=Suspended]').waitFor({ state: 'detached', timeout: PATIENCE });
    await page.context().close();
  });
}
