// Accessibility of screens, panels and dialogs that parts-access.test.mjs does not open: axe finds no violation on the whole page, in light
// and dark, in a wide and a small window.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { act, actOnMarked, dialog, mark } from '../support/actions.mjs';
import { violations } from '../support/axe.mjs';
import { PATIENCE, freshness } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

const { stage, runner, options } = await setStageWithRunner(['--still']);

const ns = 'screens';
const { create, report, object, begin } = objectsIn(stage, ns);
const labels = { app: 'shop' };
const podSpec = { containers: [{ name: 'main', image: 'shop:2' }] };
const key = (name) => `${ns}/${name}`;
const at = (resource, name, more = '') => `#/${resource}?namespace=${ns}&object=${encodeURIComponent(key(name))}${more}`;

before(async () => {
  if (stage.unavailable) return;
  await begin();
  const spec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
  const job = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
  await create(
    object('apps/v1', 'Deployment', 'shop', { spec }), object('apps/v1', 'Deployment', 'other', { spec }),
    object('batch/v1', 'CronJob', 'nightly', { spec: { schedule: '0 0 1 1 *', jobTemplate: job } }),
    object('v1', 'Service', 'shop', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    object('v1', 'ConfigMap', 'one', { data: { mode: 'slow' } }), object('v1', 'ConfigMap', 'two', { data: { mode: 'fast' } }),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${ns}-empty` } },
    ...['left', 'right'].map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })),
  );
  for (const [name, nodeName] of [['a', 'left'], ['b', 'right']]) {
    await create(object('v1', 'Pod', name, { metadata: { labels }, spec: { ...podSpec, nodeName } }));
    await report('pod', name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  }
  for (const name of ['guest', 'visitor']) await runner.run(name);
});

const live = async (page) => {
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // The deferred code has loaded.
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
};
const summary = (page) => page.locator('.drawer .summary dl').first().waitFor({ timeout: PATIENCE });
const text = (page, words) => page.getByText(words).first().waitFor({ timeout: PATIENCE });
const button = (page, name) => dialog(page).locator('footer').getByRole('button', { name, exact: true }).waitFor({ timeout: PATIENCE });
/** The dialog of an action on the open object, or on several rows. */
const one = (hash, action, verb) => [hash, async (page) => {
  await summary(page);
  await act(page, action);
  await button(page, verb);
}];
const several = (hash, keys, action, verb) => [hash, async (page) => {
  await live(page);
  await mark(page, ...keys);
  await actOnMarked(page, action);
  await button(page, verb);
}];
/** Changes a config map. */
const write = (name) => stage.kubectl(['patch', 'configmap', name, '-n', ns, '--type=merge', '-p', JSON.stringify({ data: { at: `${Date.now()}` } })]);
/** Opens the line of a change. */
const opened = async (page) => {
  await page.locator('.changes .line').first().click({ timeout: PATIENCE });
  await page.locator('.details-of-change').waitFor({ timeout: PATIENCE });
};
const MAPS = `#/v1/configmaps?namespace=${ns}`;

/** The screens by name: an address, and what is done there until the screen is shown. */
const screens = {
  'map beside an object': [`#/map?namespace=${ns}&kind=v1%2Fservices&object=${ns}%2Fshop`, async (page) => {
    await page.locator('.map-part[data-layout=ready]').waitFor({ timeout: PATIENCE });
    await summary(page);
  }],
  'empty map': [`#/map?namespace=${ns}-empty`, (page) => text(page, 'There are no objects to show.')],
  'full page of an object': [at('apps/v1/deployments', 'shop', '&full=1'), (page) => summary(page)],
  'unknown kind': ['#/example.com/v1/unknowns', (page) => page.locator('.empty').waitFor({ timeout: PATIENCE })],
  'list of related objects': [at('v1/services', 'shop', '&tab=related'), async (page) => {
    await page.locator('.drawer .kind', { hasText: 'Pod' }).first().waitFor({ timeout: PATIENCE });
  }],
  'changes of an object': [at('v1/configmaps', 'one', '&tab=changes'), async (page) => {
    await text(page, /No changes since/);
    await write('one');
    await opened(page);
  }],
  'screen of changes': [`#/changes?namespace=${ns}`, async (page) => {
    await page.locator('.records summary').click({ timeout: PATIENCE });
    await page.locator('.records tr', { hasText: 'ConfigMaps' }).locator('td', { hasText: /^\d\d:/ }).first().waitFor({ timeout: PATIENCE });
    await write('two');
    await opened(page);
  }],
  'comparison with an earlier state': [at('v1/configmaps', 'one', '&tab=yaml'), async (page) => {
    await page.locator('.drawer .yaml .line').first().waitFor({ timeout: PATIENCE });
    await write('one');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('0', { timeout: PATIENCE });
    await page.locator('.compared .comparison .cm-line').first().waitFor({ timeout: PATIENCE });
  }],
  'logs of several': ['#/v1/pods?namespace=default', async (page) => {
    await live(page);
    await mark(page, 'default/guest', 'default/visitor');
    await page.keyboard.press('l');
    await page.locator('.log-state', { hasText: '2 containers: 2 following' }).waitFor({ timeout: PATIENCE });
    await page.locator('.log-line').first().waitFor({ timeout: PATIENCE });
  }],
  help: [MAPS, async (page) => {
    await live(page);
    await page.keyboard.press('?');
    await page.locator('dialog[open] kbd').first().waitFor({ timeout: PATIENCE });
  }],
  'details of the status': [MAPS, async (page) => {
    await live(page);
    await page.getByTitle('Show details').click();
    await page.locator('.details dd').first().waitFor({ timeout: PATIENCE });
  }],
  'menu of an object': [at('apps/v1/deployments', 'shop'), async (page) => {
    await summary(page);
    await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
    await page.locator('.drawer [role=menuitem][data-action=Delete]').waitFor({ timeout: PATIENCE });
  }],
  'filter with suggestions': [`#/v1/pods?namespace=${ns}`, async (page) => {
    await live(page);
    await page.getByRole('combobox', { name: 'Filter' }).fill('status=');
    await page.locator('#completions [role=option]').first().waitFor({ timeout: PATIENCE });
  }],
  'invalid filter': [`#/v1/pods?namespace=${ns}&filter=(`, (page) => page.locator('[aria-invalid=true]').waitFor({ timeout: PATIENCE })],
  'no row matches': [`#/v1/pods?namespace=${ns}&filter=none-has-this-name`, (page) => page.locator('.empty').waitFor({ timeout: PATIENCE })],
  'missing namespace': ['#/v1/pods?namespace=nowhere', (page) => page.locator('.empty', { hasText: 'nowhere' }).waitFor({ timeout: PATIENCE })],
  pause: one(at('apps/v1/deployments', 'shop'), 'Pause', 'Pause'),
  suspend: one(at('batch/v1/cronjobs', 'nightly'), 'Suspend', 'Suspend'),
  cordon: one('#/v1/nodes?object=left', 'Cordon', 'Cordon'),
  'labels of several': several(MAPS, [key('one'), key('two')], 'Labels', 'Save'),
  'deletion of several': several(`#/apps/v1/deployments?namespace=${ns}`, [key('shop'), key('other')], 'Delete', 'Delete'),
  'eviction of several': several(`#/v1/pods?namespace=${ns}`, [key('a'), key('b')], 'Evict', 'Evict'),
  'drain of several': several('#/v1/nodes', ['left', 'right'], 'Drain', 'Drain'),
};

for (const [name, [hash, show]] of Object.entries(screens)) {
  test(`${name}: axe`, options, async () => {
    // The page's policy would block axe's script.
    const page = await stage.open(hash, { viewport: { width: 1400, height: 800 }, bypassCSP: true });
    await show(page);
    for (const [width, colorScheme] of [[1400, 'light'], [1400, 'dark'], [380, 'dark']]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page), [], `${colorScheme} at ${width} px`);
    }
    await page.context().close();
  });
}
