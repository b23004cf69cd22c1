// Inspector screen: all informers of the engine with their figures, pipelines and protocol steps, and a file for bug reports.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'inspector';
const HIDDEN = 'a-value-that-no-report-has';
const OBJECTS = `v1/configmaps (namespace ${ns})`;
const map = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns }, data: { key: HIDDEN } });
const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

const screen = (page) => page.locator('main.inspector');
const informer = (page, name) => screen(page).locator(`tr[data-informer=${JSON.stringify(name)}]`);
const FIGURES = ['State', 'Watch', 'Objects', 'Memory', 'Events/s', 'Bytes/s', 'Requests', 'Relists', 'Errors', 'Waiting', 'Pages'];
/** The figures of an informer, by column. */
async function figures(page, name) {
  const cells = await informer(page, name).locator('td').allInnerTexts();
  return Object.fromEntries(FIGURES.map((column, at) => [column, cells[at]]));
}

/** A page whose table follows the config maps of the namespace, and then shows the inspector by its key. */
async function open(profile) {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}`, profile);
  await row(page, `${ns}/one`).waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // The key is one of the deferred code.
  await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('i');
  await informer(page, OBJECTS).waitFor({ timeout: PATIENCE });
  return page;
}

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', 'namespace', ns]);
  await create(map('one'), map('two'));
});

test('an informer has its state and its figures, and they follow it', options, async () => {
  const page = await open();
  assert.match(page.url(), /#\/inspector\?namespace=inspector$/);
  await eventually('it is live', PATIENCE, async () => (await figures(page, OBJECTS)).State === 'Live');
  const { Watch, Objects, Relists, Errors, Waiting, Pages } = await figures(page, OBJECTS);
  assert.match(Watch, /^(HTTP|WebSocket)$/);
  assert.deepEqual({ Objects, Relists, Errors, Waiting, Pages }, { Objects: '2', Relists: '0', Errors: '0', Waiting: '0', Pages: '1' });
  await create(map('three'));
  await settled('one more object', async () => (await figures(page, OBJECTS)).Objects, '3');
  assert.match(await screen(page).locator('.scope').innerText(), /^\d+ informers · \d+ objects in .+ · .+ of engine memory · /);
  await page.context().close();
});

test('by keyboard alone an informer opens its pipeline and its history', options, async () => {
  const page = await open();
  await informer(page, OBJECTS).getByRole('button').focus();
  await page.keyboard.press('Enter');
  const stages = screen(page).getByRole('list', { name: 'Pipeline' });
  await stages.waitFor();
  assert.deepEqual(await stages.locator('h3').allInnerTexts(), ['Server', 'Reflector', 'Queue', 'Cache', 'Handlers']);
  assert.match(await stages.innerText(), /1 list\n/);
  const steps = screen(page).getByRole('region', { name: 'History' });
  await steps.getByText('The watch is open').first().waitFor({ timeout: PATIENCE });
  await steps.getByText('Requested all objects', { exact: true }).waitFor();
  // An inspection each second replaces neither the button nor the steps.
  await page.evaluate(() => (document.activeElement.dataset.same = 'yes'));
  await create(map(`more-${Date.now()}`));
  await steps.getByText(/^1 change$/).waitFor({ timeout: PATIENCE });
  assert.equal(await page.evaluate(() => document.activeElement.dataset.same), 'yes');
  await page.keyboard.press('Enter');
  await stages.waitFor({ state: 'detached' });
  await page.context().close();
});

test('informers of other tabs are shown, with the number of pages that use them', options, async () => {
  const page = await open();
  const other = await page.context().newPage();
  await other.goto(stage.url(`#/v1/configmaps?namespace=${ns}`));
  await row(other, `${ns}/one`).waitFor({ timeout: PATIENCE });
  await settled('both tabs use it', async () => (await figures(page, OBJECTS)).Pages, '2');
  await other.goto(stage.url('#/v1/secrets'));
  await informer(page, 'v1/secrets').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a stopped server is seen in the states, and in the details the screen is a link', options, async () => {
  const page = await open();
  await stage.killProxy();
  await eventually('it is disconnected', PATIENCE, async () => /^(Disconnected|Reconnecting)/.test((await figures(page, OBJECTS)).State));
  assert.equal((await figures(page, OBJECTS)).Watch, 'none');
  await stage.startProxy();
  await eventually('it is live again', PATIENCE, async () => (await figures(page, OBJECTS)).State === 'Live');
  await page.getByTitle('Show details').click();
  await page.locator('.details').getByRole('link', { name: 'All informers' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the report has all informers and their steps, and nothing of the objects', options, async () => {
  const page = await open();
  const [file] = await Promise.all([page.waitForEvent('download'), screen(page).getByRole('button', { name: 'Save for a bug report' }).click()]);
  assert.match(file.suggestedFilename(), /^kube-informer-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z\.json$/);
  const text = await readFile(await file.path(), 'utf8');
  assert.ok(!text.includes(HIDDEN), 'the value of a config map');
  const { version, browser, inspection } = JSON.parse(text);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.match(browser, /Chrome/);
  const found = inspection.informers.find(({ resource }) => resource === 'v1/configmaps');
  assert.equal(found.namespace, ns);
  assert.ok(found.history.some(({ what }) => what === 'opened'));
  assert.deepEqual(Object.keys(inspection.connections).sort(), ['multiplexed', 'requests', 'streams']);
  await screen(page).getByText('Saved.').waitFor();
  await page.context().close();
});

for (const [what, profile] of [['light and small', { viewport: { width: 380, height: 700 } }], ['dark', { colorScheme: 'dark' }]]) {
  test(`nothing is wrong for axe, and nothing is cut off: ${what}`, options, async () => {
    const page = await open({ ...profile, bypassCSP: true });
    await informer(page, OBJECTS).getByRole('button').click();
    await screen(page).getByRole('list', { name: 'Pipeline' }).waitFor();
    assert.deepEqual(await violations(page), []);
    const { scroll, client } = await screen(page).evaluate((main) => ({ scroll: main.scrollWidth, client: main.clientWidth }));
    assert.ok(scroll <= client, `the page scrolls sideways: ${scroll} of ${client}`);
    await page.context().close();
  });
}
