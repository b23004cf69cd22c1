// Each action on the open object as a command of the palette, and by the keys of its menu, without the pointer.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { closes, dialog } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage, settled } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'commands';
const { create, object, begin } = objectsIn(stage, ns);
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
const deployment = (name, more) => object('apps/v1', 'Deployment', name, { spec: { replicas: 0, selector: { matchLabels: { app: 'a' } }, template, ...more } });
const jobTemplate = { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } };
const cronJob = (name, more) => object('batch/v1', 'CronJob', name, { spec: { schedule: '0 1 * * *', jobTemplate, ...more } });
const node = (name, more) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: more });

/** Kind, resource, name, and the actions of its menu. */
const OBJECTS = [
  ['Deployment', 'apps/v1/deployments', 'web', 'Edit Labels Scale Restart Pause RollBack Delete'],
  ['Deployment', 'apps/v1/deployments', 'held', 'Edit Labels Scale Restart Resume RollBack Delete'],
  ['Pod', 'v1/pods', 'one', 'Edit Labels Evict Debug Delete'],
  ['CronJob', 'batch/v1/cronjobs', 'nightly', 'Edit Labels Suspend Trigger Delete'],
  ['CronJob', 'batch/v1/cronjobs', 'held', 'Edit Labels Unsuspend Trigger Delete'],
  ['Node', 'v1/nodes', 'commands-free', 'Edit Labels Cordon Drain Delete'],
  ['Node', 'v1/nodes', 'commands-held', 'Edit Labels Uncordon Drain Delete'],
];

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create(deployment('web'), deployment('held', { paused: true }), cronJob('nightly'), cronJob('held', { suspend: true }));
  await create(object('v1', 'Pod', 'one', { spec: template.spec }), node('commands-free'), node('commands-held', { unschedulable: true }));
});

const active = (page) => page.evaluate(() => document.getElementById(document.querySelector('dialog [role=combobox]')?.getAttribute('aria-activedescendant'))?.innerText.replace(/\s+/g, ' ') ?? '');
/** The title of the dialog that an action has opened; then Escape closes it. */
async function titleOf(page) {
  const title = dialog(page).getByRole('heading').first();
  await title.waitFor({ timeout: PATIENCE });
  await eventually('the title is there', PATIENCE, async () => (await title.innerText()).trim() !== '');
  const text = await title.innerText();
  await page.keyboard.press('Escape');
  await closes(page);
  return text;
}

for (const [kind, resource, name, actions] of OBJECTS) {
  test(`${kind} ${name}: each action by command and by the keys of its menu`, options, async () => {
    const page = await stage.open(`#/${resource}?object=${encodeURIComponent(kind === 'Node' ? name : `${ns}/${name}`)}`);
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    const button = page.locator('.drawer [aria-haspopup=menu]:not(:disabled)');
    await button.waitFor({ timeout: PATIENCE });
    const items = page.locator('.drawer [role=menuitem]');
    await button.focus();
    await page.keyboard.press('Enter');
    await settled('the actions', () => items.evaluateAll((all) => all.map((item) => item.dataset.action).join(' ')), actions);
    const menu = await items.evaluateAll((all) => all.map((item) => item.innerText.split('\n').map((part) => part.replace(' …', '').trim())));
    await page.keyboard.press('Escape');
    for (const [label, key] of menu) {
      await page.keyboard.press(':');
      await page.getByRole('combobox', { name: /Find a kind, a namespace/ }).fill(label);
      await eventually(`${label} is the active entry`, PATIENCE, async () => (await active(page)).startsWith(`${label} … ${kind} ${name}`));
      await page.keyboard.press('Enter');
      const byCommand = await titleOf(page);
      await button.focus();
      await page.keyboard.press('Enter');
      await page.locator('.drawer [role=menuitem]:focus').waitFor({ timeout: PATIENCE });
      await page.keyboard.press(key);
      assert.equal(await titleOf(page), byCommand, label);
      assert.match(byCommand, new RegExp(name), label);
    }
    await page.context().close();
  });
}
