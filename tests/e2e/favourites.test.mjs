// Favourites: kinds at the top of the navigation, by mouse and keyboard, kept for the next visit; and the recent kinds.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage, settled } from '../support/harness.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const link = (page, name) => page.locator('.kinds a').filter({ hasText: new RegExp(`^${name}$`) });
const star = (page, name) => page.getByRole('button', { name: `Favourite: ${name}`, exact: true });
/** The favourites, in their order. */
const favourites = (page) => page.locator('.kinds section', { has: page.getByRole('heading', { name: 'Favourites' }) }).locator('a').allInnerTexts();
const areFavourites = (page, names) => settled(`the favourites are ${names}`, () => favourites(page), names);
const focused = (page) => page.evaluate(() => document.activeElement.innerText || document.activeElement.getAttribute('role'));

/** Opens the page; with `beside`, in the browser context of that page, whose storage it shares. */
async function open(hash = '#/v1/pods', { beside, profile } = {}) {
  let page;
  if (beside) {
    page = await beside.context().newPage();
    await page.goto(beside.url().replace(/#.*/, hash));
  } else page = await stage.open(hash, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await link(page, 'Deployments').waitFor({ state: 'attached', timeout: PATIENCE });
  return page;
}

test('a star adds a kind to the favourites, for the next visit and for other tabs, and removes it', options, async () => {
  const page = await open();
  const other = await open('#/v1/nodes', { beside: page });
  assert.deepEqual(await favourites(page), [], 'there are no favourites at first');
  await link(page, 'Nodes').hover();
  await star(page, 'Nodes').click();
  await link(page, 'Deployments').hover();
  await star(page, 'Deployments').click();
  await areFavourites(page, ['Nodes', 'Deployments']);
  assert.equal(await star(page, 'Nodes').getAttribute('aria-pressed'), 'true');
  assert.equal(await link(page, 'Nodes').count(), 1, 'a kind has one entry');
  await areFavourites(other, ['Nodes', 'Deployments']);
  await settled('the current kind', () => other.locator('.kinds [aria-current=page]').allInnerTexts(), ['Nodes']);
  await link(page, 'Nodes').click();
  await eventually('the kind is open', PATIENCE, () => page.evaluate(() => location.hash === '#/v1/nodes'));

  await page.reload();
  await areFavourites(page, ['Nodes', 'Deployments']);
  await star(other, 'Nodes').click();
  await areFavourites(other, ['Deployments']);
  await areFavourites(page, ['Deployments']);
  await star(page, 'Deployments').click();
  await areFavourites(other, []);
  assert.equal(await page.evaluate(() => localStorage.getItem('kube-informer.favourites')), null, 'nothing is left in the storage');
  await page.context().close();
});

test('the key * on a kind does the same, and the focus stays on that kind', options, async () => {
  const page = await open();
  // The key is available once the stars are shown, after the kinds.
  await star(page, 'Services').waitFor({ state: 'attached', timeout: PATIENCE });
  await link(page, 'Services').focus();
  await page.keyboard.press('*');
  await areFavourites(page, ['Services']);
  await settled('the focus', () => focused(page), 'Services');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(page), 'Inspector', 'the entry above is a screen');
  await page.keyboard.press('*');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), 'Services', 'a screen cannot be a favourite');
  await page.keyboard.press('Control+*');
  await page.keyboard.press('*');
  await areFavourites(page, []);
  await settled('the focus', () => focused(page), 'Services');
  await page.context().close();
});

test('a press on a star does not move the focus, also if the entry with the focus is rendered again', options, async () => {
  const page = await open();
  await page.locator('[role=grid]').focus();
  await link(page, 'Secrets').hover();
  await star(page, 'Secrets').click();
  await areFavourites(page, ['Secrets']);
  await settled('the focus', () => focused(page).then((text) => text !== 'Secrets'), true);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await link(page, 'ConfigMaps').focus();
  await star(page, 'Secrets').click();
  await areFavourites(page, []);
  await settled('the focus', () => focused(page), 'ConfigMaps');
  await page.context().close();
});

test('the list stays where it was scrolled to', options, async () => {
  const page = await open('#/v1/pods', { profile: { viewport: { width: 1100, height: 500 } } });
  const top = (name) => link(page, name).evaluate((link) => link.getBoundingClientRect().y);
  const still = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await link(page, 'ConfigMaps').evaluate((link) => link.scrollIntoView({ block: 'center' }));
  await still();
  const before = await top('ConfigMaps');
  await link(page, 'Secrets').hover();
  await star(page, 'Secrets').click();
  await areFavourites(page, ['Secrets']);
  await still();
  // The browser rounds scroll positions to whole pixels.
  const moved = (await top('ConfigMaps')) - before;
  assert.ok(Math.abs(moved) <= 1, `it moved by ${moved} px`);
  await page.context().close();
});

test('the palette adds the current kind and removes it, and begins with the recent kinds', options, async () => {
  const page = await open();
  const run = async (text) => {
    await page.keyboard.press(':');
    await page.getByRole('combobox', { name: /Find a kind, a namespace/ }).waitFor({ timeout: PATIENCE });
    await page.keyboard.type(text);
    if (text) await page.locator('#palette-list [aria-selected=true]', { hasText: text }).waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Enter');
    await page.locator('dialog[aria-label="Command palette"]').waitFor({ state: 'detached', timeout: PATIENCE });
  };
  await page.locator('.bar [aria-label="Command palette"]').waitFor({ timeout: PATIENCE });
  await run('Add the kind to the favourites');
  await areFavourites(page, ['Pods']);
  await run('Remove the kind from the favourites');
  await areFavourites(page, []);

  const isAt = (hash) => eventually(`the address is ${hash}`, PATIENCE, () => page.evaluate((hash) => location.hash === hash, hash));
  for (const name of ['Nodes', 'Services']) await link(page, name).click();
  await isAt('#/v1/services');
  await page.keyboard.press('Control+k');
  const recent = page.getByRole('group', { name: 'Recent' }).locator('[role=option]');
  await settled('the recent kinds', async () => (await recent.allInnerTexts()).map((text) => text.match(/\w+/)[0]), ['Nodes', 'Pods']);
  await page.keyboard.type('p');
  await settled('they are for an empty box', () => recent.count(), 0);
  await page.keyboard.press('Escape');
  await page.locator('dialog[aria-label="Command palette"]').waitFor({ state: 'detached', timeout: PATIENCE });
  await run('');
  await isAt('#/v1/nodes');
  await run('');
  await isAt('#/v1/services');
  await page.context().close();
});

test('names that the cluster does not serve, and a storage that is full of nonsense, are no entries', options, async () => {
  const page = await open();
  const nonsense = ',,zebras.zoo.example.dev,pods.v9,<img src=x onerror=alert(1)>,overview,services,';
  await page.evaluate((list) => localStorage.setItem('kube-informer.favourites', list), nonsense);
  await page.reload();
  await areFavourites(page, ['Services']);
  await star(page, 'Services').click();
  await areFavourites(page, []);
  const left = await page.evaluate(() => localStorage.getItem('kube-informer.favourites'));
  assert.match(left, /zebras/, 'the favourite of another cluster stays stored');
  await page.context().close();
});

test('in a narrow window the stars of the sheet are in sight and large enough for a finger, and axe finds nothing', options, async () => {
  const page = await open('#/v1/pods', { profile: { viewport: { width: 380, height: 760 }, hasTouch: true } });
  await page.locator('.kind-button').tap();
  await star(page, 'Deployments').tap();
  await areFavourites(page, ['Deployments']);
  const box = await star(page, 'Deployments').boundingBox();
  assert.ok(box.width >= 24 && box.height >= 24, `${box.width} x ${box.height}`);
  assert.ok(box.x + box.width <= 380);
  const sees = await star(page, 'StatefulSets').evaluate((star) => getComputedStyle(star).opacity);
  assert.equal(sees, '1', 'the stars are visible on a device without hover');
  await page.evaluate(await readFile(axe, 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run('.navigation'));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  await page.context().close();
});
