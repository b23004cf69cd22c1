// Focus: it reaches the table in few steps, and returns to the element that opened a panel.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, grid, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '300', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const canvasRow = (page, at) => page.locator(`.canvas [role=row][aria-rowindex="${at + 2}"][data-key]:not([hidden])`);
const drawer = (page) => page.locator('.drawer');
/** The tab of the drawer. While the code of the drawer is loaded there is none, and the panel is replaced afterwards. */
const tab = (page) => page.locator('.drawer [role=tab][aria-selected=true]');
const details = (page) => page.locator('.details');
const pill = (page) => page.getByTitle('Show details');
const more = (page) => page.locator('.chip.more:not([hidden])').first();

/** The focused element: the grid, the body, or the name, text or class of another element. */
const focused = (page) =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    if (element === document.body) return 'body';
    return element.getAttribute('role') ?? element.getAttribute('aria-label') ?? (element.className || element.textContent.trim());
  });
const focusIs = (page, expected) =>
  eventually(`the focus is on ${expected}`, PATIENCE, async () => (await focused(page)) === expected).catch(async (error) => {
    throw new Error(`${error.message}; it is on ${await focused(page)}`);
  });

async function open(hash = '#/v1/pods') {
  const page = await stage.open(hash);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await canvasRow(page, 5).waitFor({ timeout: PATIENCE });
  return page;
}

test('the first tab stop skips to the table, and the table is 15 stops away at most', options, async () => {
  const page = await open();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Skip to the table');
  assert.ok((await page.locator('.skip').boundingBox()).width > 50, 'the skip link is visible while it has the focus');
  await page.keyboard.press('Enter');
  await focusIs(page, 'grid');

  await page.reload();
  await canvasRow(page, 5).waitFor({ timeout: PATIENCE });
  let stops = 0;
  do {
    await page.keyboard.press('Tab');
    stops++;
  } while (stops < 60 && (await focused(page)) !== 'grid');
  assert.ok(stops <= 15, `${stops} stops`);
  await page.context().close();
});

test('Tab leaves the page after its last element', options, async () => {
  const page = await open();
  await grid(page).focus();
  const order = [];
  do {
    await page.keyboard.press('Tab');
    // Two frames: a lost focus would be restored after one.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    order.push(await focused(page));
  } while (order.length < 40 && !order.includes('skip'));
  assert.ok(order.includes('skip'), `Tab reaches each stop, then starts again: ${order}`);
  await page.context().close();
});

test('kinds, values and headers are one tab stop each, with arrows inside', options, async () => {
  const page = await open();
  // Values appear after the first rows.
  await page.locator('.chip:visible').first().waitFor({ timeout: PATIENCE });
  // The kinds also appear after the first rows.
  await page.locator('.kinds [aria-current=page]').waitFor({ timeout: PATIENCE });
  const text = () => page.evaluate(() => document.activeElement.textContent.trim());
  await page.getByRole('searchbox', { name: 'Find a kind' }).focus();
  await page.keyboard.press('Tab');
  assert.equal(await text(), 'Pods', 'the Tab stop is the current kind');
  await page.keyboard.press('ArrowDown');
  assert.equal(await text(), 'Deployments');
  await page.keyboard.press('Tab');
  const first = await focused(page);
  assert.equal(first, 'chip');
  await page.keyboard.press('ArrowRight');
  const second = await text();
  // The tools of the table appear with the deferred code.
  await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Tab');
  const tool = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  assert.equal(await tool(), 'Columns');
  await page.keyboard.press('ArrowRight');
  assert.equal(await tool(), 'Export rows');
  await page.keyboard.press('Tab');
  await focusIs(page, 'grid');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await text(), second, 'the Tab stop is the last focused entry');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await text(), 'Deployments');
  await grid(page).focus();
  await page.keyboard.press('Tab');
  assert.match(await text(), /^Namespace/);
  await page.keyboard.press('ArrowRight');
  assert.match(await text(), /^Name/);
  await page.context().close();
});

test('the focus returns from the drawer to the row, by key, by button and by mouse', options, async () => {
  const page = await open();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await tab(page).waitFor();
  await drawer(page).getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Enter');
  await drawer(page).waitFor({ state: 'detached' });
  await focusIs(page, 'grid');
  await eventually('the row has the focus', PATIENCE, async () => /focused/.test(await canvasRow(page, 1).getAttribute('class')));

  await page.keyboard.press('Enter');
  await page.locator('#tab-yaml').focus();
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await focusIs(page, 'grid');
  await page.keyboard.press('ArrowDown');
  await eventually('the row below', PATIENCE, async () => /focused/.test(await canvasRow(page, 2).getAttribute('class')));

  await canvasRow(page, 4).click();
  await drawer(page).getByRole('button', { name: 'Close' }).click();
  await drawer(page).waitFor({ state: 'detached' });
  await focusIs(page, 'grid');
  await page.context().close();
});

test('the focus returns from the panel, the values, the help and the boxes', options, async () => {
  const page = await open();
  await pill(page).focus();
  await page.keyboard.press('Enter');
  // Tab goes into the panel once its code has loaded.
  await details(page).getByRole('button').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await details(page).waitFor({ state: 'detached' });
  await focusIs(page, 'freshness');

  await more(page).focus();
  const name = await focused(page);
  await page.keyboard.press('Enter');
  await page.locator('.options.values .chip').last().focus();
  await page.keyboard.press('Escape');
  await page.locator('.options.values').waitFor({ state: 'detached' });
  await focusIs(page, name);

  await page.reload();
  await canvasRow(page, 5).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  await focusIs(page, 'grid');

  for (const box of ['Filter', 'Namespace']) {
    await page.getByRole('combobox', { name: box, exact: true }).focus();
    await eventually('the box is left', PATIENCE, async () => {
      await page.keyboard.press('Escape');
      return (await focused(page)) === 'grid';
    });
  }
  await page.context().close();
});

test('a dialog that was opened from a panel leaves the focus on the page', options, async () => {
  const page = await open();
  await pill(page).click();
  await details(page).getByRole('button').first().focus();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Create from YAML' });
  await dialog.locator('.cm-content').waitFor({ timeout: PATIENCE });
  // A click outside closes the panel, and with it the button that had the focus.
  await dialog.locator('header').getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached', timeout: PATIENCE });
  await details(page).waitFor({ state: 'detached', timeout: PATIENCE });
  await focusIs(page, 'grid');
  await page.context().close();
});

test('a dialog above the page of an object leaves the focus on that page', options, async () => {
  const page = await open();
  await canvasRow(page, 1).click();
  await drawer(page).waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Show on the full page' }).click();
  await grid(page).waitFor({ state: 'hidden', timeout: PATIENCE });
  await page.getByRole('button', { name: 'Create from YAML' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create from YAML' });
  await dialog.locator('.cm-content').waitFor({ timeout: PATIENCE });
  await dialog.locator('footer').getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached', timeout: PATIENCE });
  await focusIs(page, 'Create from YAML');
  // There is no table to skip to.
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  await focusIs(page, 'tab');
  await page.context().close();
});

test('Escape closes one layer at a time, the last one first', options, async () => {
  const page = await open();
  await canvasRow(page, 2).click();
  await drawer(page).waitFor();
  await pill(page).click();
  await details(page).waitFor();
  await page.keyboard.press('Escape');
  await details(page).waitFor({ state: 'detached' });
  assert.equal(await drawer(page).count(), 1, 'the drawer stays');
  await more(page).click();
  await page.locator('.options.values').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.options.values').waitFor({ state: 'detached' });
  assert.equal(await drawer(page).count(), 1, 'the drawer stays');
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await page.context().close();
});

test('a click outside closes a panel and does not open the row below', options, async () => {
  const page = await open();
  const { x, y, height } = await canvasRow(page, 15).boundingBox();
  const outside = [x + 60, y + height / 2];
  const namespaces = page.getByRole('combobox', { name: 'Namespace' });
  for (const [opens, panel] of [[pill(page), details(page)], [more(page), page.locator('.options.values')], [namespaces, page.locator('#namespaces')]]) {
    await opens.click();
    await panel.waitFor();
    await page.mouse.click(...outside);
    await panel.waitFor({ state: 'detached' });
    assert.equal(await drawer(page).count(), 0, 'the row was not opened');
    // A lost focus is restored a frame later.
    await eventually('the focus is not lost', PATIENCE, async () => (await focused(page)) !== 'body');
  }
  // Without an open layer the same click opens the row.
  await page.mouse.click(...outside);
  await drawer(page).waitFor();
  await page.context().close();
});

test('a double click on an option is one choice, and presses nothing below the list', options, async () => {
  const page = await open();
  const namespaces = page.getByRole('combobox', { name: 'Namespace' });
  const hash = () => page.evaluate(() => location.hash);
  // The list lies over rows and headers; the last option is over a row.
  for (const option of [page.getByRole('option', { name: 'kube-system', exact: true }), page.getByRole('option').last()]) {
    await namespaces.click();
    await option.waitFor();
    const name = (await option.textContent()).trim();
    await option.dblclick();
    await page.locator('#namespaces').waitFor({ state: 'detached' });
    await eventually('the namespace is chosen', PATIENCE, async () => (await namespaces.inputValue()) === name);
    await focusIs(page, 'grid');
    assert.equal(await hash(), `#/v1/pods?namespace=${name}`, 'nothing else was chosen');
    assert.equal(await drawer(page).count(), 0, 'no row was opened');
  }

  // The list of the filter stays open with the next suggestions.
  const filter = page.getByRole('combobox', { name: 'Filter' });
  await filter.click();
  await page.keyboard.type('sta');
  const first = page.locator('#completions [role=option]').first();
  await first.waitFor();
  const { x, y, width, height } = await first.boundingBox();
  await page.mouse.dblclick(x + width / 2, y + height / 2);
  await focusIs(page, 'combobox');
  assert.equal(await filter.inputValue(), 'status=');

  // A double click elsewhere is two clicks.
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await canvasRow(page, 2).dblclick();
  await drawer(page).waitFor();
  await page.context().close();
});

test('a chooser of namespaces that is disabled gives its focus to the table', options, async () => {
  const page = await open('#/v1/nodes');
  const namespaces = page.getByRole('combobox', { name: 'Namespace' });
  await eventually('nodes live in no namespace', PATIENCE, () => namespaces.isDisabled());
  await page.evaluate(() => (location.hash = '#/v1/pods'));
  // The table of nodes has a sixth row, too, so the row alone does not show that the pods are there.
  await eventually('pods live in namespaces', PATIENCE, () => namespaces.isEnabled());
  await canvasRow(page, 5).waitFor({ timeout: PATIENCE });
  await namespaces.focus();
  await page.locator('#namespaces').waitFor();
  await page.goBack();
  await eventually('nodes live in no namespace', PATIENCE, () => namespaces.isDisabled());
  await focusIs(page, 'grid');
  assert.equal(await page.locator('#namespaces').count(), 0);
  await page.context().close();
});

test('the Retry button gives its focus to the table when it goes with its bar', options, async () => {
  const page = await open();
  const bar = page.locator('.doubt');
  await stage.killProxy();
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  await bar.getByRole('button', { name: 'Retry now' }).focus();
  // Another kind has another status, so the button and the bar disappear at once.
  await page.evaluate(() => (location.hash = '#/v1/nodes'));
  await bar.waitFor({ state: 'detached', timeout: PATIENCE });
  await focusIs(page, 'grid');
  await page.goBack();
  await bar.getByRole('button', { name: 'Retry now' }).focus();
  await stage.startProxy();
  await bar.waitFor({ state: 'detached', timeout: PATIENCE });
  await focusIs(page, 'grid');
  await page.context().close();
});
