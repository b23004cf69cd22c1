// Deferred part of the page: its wasm is loaded after the first rows or when it is needed, and the page works without it.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '100', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const DEFERRED = /web-[0-9a-f]+_deferred\.wasm$/;
const rows = (page) => page.locator('.canvas [role=row][data-key]:not([hidden])');
const filter = (page) => page.getByRole('combobox', { name: 'Filter' });

/** A page whose requests for the deferred wasm are handled by `answer`. */
async function open(hash, answer) {
  const page = await (await stage.browser.newContext()).newPage();
  page.on('pageerror', (error) => stage.errors.push(`page: ${error.stack ?? error}`));
  await page.route(DEFERRED, answer);
  await page.goto(stage.url(hash));
  return page;
}

test('the engine is in the package’s wasm, and not in that of the page', options, async () => {
  // Parameters of the requests that only a reflector sends.
  const OF_ENGINE = ['sendInitialEvents', 'allowWatchBookmarks', 'resourceVersionMatch'];
  const found = async (path) => {
    const wasm = await readFile(path, 'latin1');
    return OF_ENGINE.filter((word) => wasm.includes(word));
  };
  assert.deepEqual(await found(join(stage.www, 'kube-informer/informer.wasm')), OF_ENGINE);
  const ofPage = (await readdir(stage.www)).filter((name) => name.endsWith('.wasm'));
  assert.equal(ofPage.length, 2);
  for (const name of ofPage) assert.deepEqual(await found(join(stage.www, name)), [], name);
});

test('the deferred wasm is requested once, after the first rows', options, async () => {
  const before = [];
  const page = await open('#/v1/pods', async (route) => {
    before.push(await rows(page).count());
    await route.continue();
  });
  await eventually('it is requested', PATIENCE, () => before.length > 0);
  await rows(page).first().click();
  await page.locator('.drawer .summary dl').first().waitFor();
  assert.equal(before.length, 1);
  assert.ok(before[0] > 0, 'the file is requested after the first rows');
  await page.context().close();
});

test('without the deferred wasm its parts show an error, and all other parts work', options, async () => {
  let isThere = false;
  let requests = 0;
  const page = await open('#/v1/pods', (route) => {
    requests += 1;
    return isThere ? route.continue() : route.fulfill({ status: 404, body: 'not found' });
  });
  await freshness(page, 'live').waitFor();
  await eventually('it is requested', PATIENCE, () => requests > 0);
  const sentence = /could not be loaded.*Check the connection and retry/;

  await rows(page).first().click();
  const drawer = page.locator('.drawer');
  await drawer.getByRole('alert').filter({ hasText: sentence }).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });

  await page.getByTitle('Show details').click();
  await page.locator('.details').getByRole('alert').filter({ hasText: sentence }).waitFor();
  await page.keyboard.press('Escape');

  await page.keyboard.press('?');
  await page.locator('dialog[open]').getByRole('alert').filter({ hasText: sentence }).waitFor();
  await page.keyboard.press('Escape');

  await filter(page).fill('no-such-row');
  await page.locator('.empty').waitFor();
  await filter(page).fill('status=');
  await filter(page).fill('');
  await rows(page).first().waitFor();

  await rows(page).first().click();
  await drawer.getByRole('alert').waitFor();
  isThere = true;
  await drawer.getByRole('button', { name: 'Retry' }).click();
  await drawer.locator('.summary dl').first().waitFor();
  await eventually('the focus is in the table', PATIENCE, () => page.evaluate(() => document.activeElement.matches('.grid')));
  await page.context().close();
});

test('a deferred wasm that was lost with the server is loaded when the server is back', options, async () => {
  let requests = 0;
  let isLost = false;
  const page = await open('#/v1/pods', async (route) => {
    requests += 1;
    if (requests > 1) return route.continue();
    await stage.killProxy();
    await route.abort('connectionrefused');
    isLost = true;
  });
  await freshness(page, 'disconnected').waitFor();
  // If the server were back before the request fails, the page would not request the file a second time.
  await eventually('the request has failed', PATIENCE, () => isLost);
  await stage.startProxy();
  await freshness(page, 'live').waitFor();
  await page.getByRole('button', { name: 'Create' }).waitFor();
  assert.equal(requests, 2);
  await rows(page).first().click();
  await page.locator('.drawer .summary dl').first().waitFor();
  assert.equal(await page.locator('.drawer').evaluate((drawer) => getComputedStyle(drawer.querySelector('.summary dl')).display), 'grid', 'the deferred style applies');
  await page.context().close();
});

test('a link to an object loads the deferred wasm at once, and text typed before it has loaded is completed then', options, async () => {
  let arrive;
  const there = new Promise((resolve) => (arrive = resolve));
  const page = await open('#/v1/pods', async (route) => {
    await there;
    await route.continue();
  });
  await rows(page).first().waitFor();
  const key = await rows(page).first().getAttribute('data-key');
  await rows(page).first().click();
  await page.locator('.drawer').getByText('Loading …').waitFor();
  assert.equal(await page.locator('.drawer h2').textContent(), key);
  await filter(page).click();
  await page.keyboard.type('nam');
  await eventually('the letters are the filter', PATIENCE, () => page.evaluate(() => location.hash.includes('nam')));
  arrive();
  await page.locator('#completions [role=option]').filter({ hasText: 'name=' }).waitFor();
  await page.locator('.drawer .summary dl').first().waitFor();
  await page.context().close();

  const linked = await open(`#/v1/pods?object=${encodeURIComponent(key)}`, (route) => route.continue());
  await linked.locator('.drawer .summary dl').first().waitFor();
  await linked.context().close();
});

test('the overview says that it is loading, and takes no rows of the table for its own', options, async () => {
  let arrive;
  const there = new Promise((resolve) => (arrive = resolve));
  const page = await open('#/overview', async (route) => {
    await there;
    await route.continue();
  });
  await page.locator('.overview', { hasText: 'Loading …' }).waitFor();
  assert.equal(await page.locator('.grid').isVisible(), false);
  assert.equal(await page.locator('.drawer').count(), 0);
  arrive();
  await page.locator('.overview .card').first().waitFor();
  await page.context().close();
});

test('rows that are marked before the deferred wasm has loaded are marked when it has', options, async () => {
  let arrive;
  const there = new Promise((resolve) => (arrive = resolve));
  const page = await open('#/v1/pods', async (route) => {
    await there;
    await route.continue();
  });
  await rows(page).nth(3).waitFor();
  const keys = await rows(page).evaluateAll((rows) => rows.slice(0, 4).map((row) => row.dataset.key));
  const press = (key, modifier) => page.locator(`[role=row][data-key="${key}"]`).click({ modifiers: [modifier] });
  await press(keys[0], 'Control');
  await press(keys[1], 'Control');
  await press(keys[1], 'Control'); // removes the mark
  await press(keys[2], 'Shift');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  assert.equal(await page.locator('.grid').evaluate((grid) => grid.scrollTop), 0, 'Space does not scroll');
  assert.equal(await page.locator('.drawer').count(), 0, 'no row is opened');
  arrive();
  await page.locator('.marks .number', { hasText: '3 rows marked' }).waitFor();
  const marked = page.locator('.canvas [role=row][aria-selected=true]');
  assert.deepEqual((await marked.evaluateAll((rows) => rows.map((row) => row.dataset.key))).toSorted(), [keys[0], keys[2], keys[3]].toSorted());
  assert.equal(await page.locator('.drawer').count(), 0);
  await page.context().close();
});
