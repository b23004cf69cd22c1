// Keyboard: rows, kinds, history and help without a mouse.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '300', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const canvasRow = (page, at) => page.locator(`.canvas [role=row][aria-rowindex="${at + 2}"][data-key]:not([hidden])`);
const finder = (page) => page.getByRole('searchbox', { name: 'Find a kind' });
const scrollTop = (page) => grid(page).evaluate((grid) => grid.scrollTop);
/** Turns the wheel, and waits until the scrolling has ended, which takes many frames. */
async function wheel(page, by) {
  await grid(page).evaluate((grid) => {
    window.scrolled = new Promise((resolve) => grid.addEventListener('scrollend', resolve, { once: true }));
  });
  await page.mouse.wheel(0, by);
  await page.evaluate(() => window.scrolled);
}
/** Index of the row that the keyboard is on, from 0; null if it is on none. */
const focusedRow = (page) =>
  page.evaluate(() => {
    const row = document.querySelector('.canvas .row.focused:not([hidden])');
    return row && Number(row.getAttribute('aria-rowindex')) - 2;
  });
const isOn = (page, at) =>
  eventually(`the keyboard is on row ${at}`, PATIENCE, async () => (await focusedRow(page)) === at).catch(async (error) => {
    throw new Error(`${error.message}; it is on row ${await focusedRow(page)}`);
  });

async function open(hash = '#/v1/pods', viewport) {
  const page = await stage.open(hash);
  if (viewport) await page.setViewportSize(viewport);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await canvasRow(page, 0).waitFor({ timeout: PATIENCE });
  // The first rows of a paged list arrive before the others.
  await page.locator('.tally .count[data-synced=true]').waitFor({ state: 'attached', timeout: PATIENCE });
  return page;
}

test('arrows work on load and after the filter was left, and letters do the same', options, async () => {
  const page = await open();
  await page.keyboard.press('ArrowDown');
  await isOn(page, 0);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Filter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowDown');
  await isOn(page, 1);
  await page.keyboard.press('j');
  await isOn(page, 2);
  await page.keyboard.press('k');
  await isOn(page, 1);
  await page.keyboard.press('G');
  const total = Number(await grid(page).getAttribute('data-total'));
  assert.ok(total > 100);
  await isOn(page, total - 1);
  await page.keyboard.press('g');
  await isOn(page, 0);
  // Outside of the grid, letters move the current row, and arrows the focused control.
  await page.locator('.facets .chip').first().focus();
  await page.keyboard.press('j');
  await isOn(page, 1);
  await page.context().close();
});

test('after scrolling by mouse the keys continue from the rows in sight', options, async () => {
  const page = await open();
  await page.keyboard.press('j');
  await isOn(page, 0);
  await grid(page).hover();
  await wheel(page, 32 * 100);
  await canvasRow(page, 105).waitFor();
  const top = await scrollTop(page);
  await page.keyboard.press('ArrowDown');
  await isOn(page, Math.ceil(top / 32));
  assert.equal(await scrollTop(page), top, 'the rows do not scroll');
  await page.keyboard.press('ArrowDown');
  await isOn(page, Math.ceil(top / 32) + 1);
  await page.context().close();
});

test('Back and Forward restore the scroll position and the row', options, async () => {
  const page = await open();
  await grid(page).hover();
  await wheel(page, 32 * 60);
  await canvasRow(page, 65).waitFor();
  await page.keyboard.press('j');
  const top = await scrollTop(page);
  const at = Math.ceil(top / 32);
  await isOn(page, at);
  const restored = (what) => eventually(what, PATIENCE, async () => (await scrollTop(page)) === top);

  // Another kind, by a link and back by a key.
  await page.getByRole('link', { name: 'Nodes', exact: true }).click();
  await page.waitForURL(/#\/v1\/nodes/);
  await eventually('the nodes', PATIENCE, async () => (await grid(page).getAttribute('aria-label')) === 'Nodes');
  await canvasRow(page, 0).waitFor();
  assert.equal(await scrollTop(page), 0);
  await grid(page).focus();
  await page.keyboard.press('[');
  await page.waitForURL(/#\/v1\/pods/);
  await restored('the position after another kind');
  await isOn(page, at);
  await canvasRow(page, at).waitFor();
  await page.keyboard.press(']');
  await page.waitForURL(/#\/v1\/nodes/);
  await page.goBack();
  await restored('the position after forward and back');
  await isOn(page, at);

  // Forward and Back within one frame: the canvas still has the height of the pods when the table returns to them, before the
  // rows have arrived.
  await canvasRow(page, at).waitFor();
  await page.evaluate(async () => {
    const held = [];
    const { requestAnimationFrame } = window;
    window.requestAnimationFrame = (job) => held.push(job);
    const arrives = () => new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
    for (const by of [1, -1]) {
      const arrived = arrives();
      history.go(by);
      await arrived;
      // The page's tasks for an event run after it, and before any message of the engine.
      for (let turn = 0; turn < 20; turn++) await null;
    }
    window.requestAnimationFrame = requestAnimationFrame;
    for (const job of held) job(performance.now());
  });
  await page.waitForURL(/#\/v1\/pods/);
  await isOn(page, at);
  await restored('the position after forward and back within a frame');
  await canvasRow(page, at).waitFor();
  // The position is recorded although there was no scroll since.
  await page.keyboard.press(']');
  await page.waitForURL(/#\/v1\/nodes/);
  await page.keyboard.press('[');
  await page.waitForURL(/#\/v1\/pods/);
  await restored('the position after another step');

  // A filter that is set by choosing a value is an entry of the history.
  await page.locator('.facets > .facet > .chip[data-value]').first().click();
  await eventually('the top', PATIENCE, async () => (await scrollTop(page)) === 0);
  await page.goBack();
  await restored('the position after a filter');
  await page.context().close();
});

test('the box finds a kind, Enter opens the first match, and the current kind is in view', options, async () => {
  const page = await open('#/v1/serviceaccounts');
  const current = page.locator('.kinds [aria-current=page]');
  const inView = () =>
    current.evaluate((link) => {
      const [box, list] = [link.getBoundingClientRect(), link.closest('.kinds').getBoundingClientRect()];
      // A scroll position is rounded to a whole pixel, a height is not.
      return box.top > list.top - 1 && box.bottom < list.bottom + 1;
    });
  await page.setViewportSize({ width: 1400, height: 500 });
  await page.reload();
  await eventually('the kind of the link is in view', PATIENCE, async () => (await current.count()) === 1 && (await inView()));

  await finder(page).focus();
  await page.keyboard.type('node');
  assert.equal(await finder(page).inputValue(), 'node');
  await eventually('what Enter opens is marked', PATIENCE, async () => (await page.locator('.kinds .best').count()) === 1);
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/v1\/nodes/);
  assert.equal(await finder(page).inputValue(), '');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await eventually('the new kind is in view', PATIENCE, async () => (await current.innerText()) === 'Nodes' && (await inView()));

  await finder(page).focus();
  await page.keyboard.type('no such kind');
  await page.keyboard.press('Enter');
  assert.match(page.url(), /#\/v1\/nodes/, 'without a match, Enter does nothing');
  await page.keyboard.press('Escape');
  assert.equal(await finder(page).inputValue(), '', 'the first Escape empties the box');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await page.context().close();
});

test('in a narrow window Escape in the box closes the kinds', options, async () => {
  const page = await open('#/v1/pods', { width: 380, height: 700 });
  await page.locator('.kind-button').click();
  await finder(page).focus();
  await page.keyboard.press('Escape');
  await finder(page).waitFor({ state: 'hidden' });
  await eventually('an element has the focus', PATIENCE, () => page.evaluate(() => document.activeElement !== document.body));
  await page.context().close();
});

test('Enter opens a row, and again goes to its panel; n chooses a namespace', options, async () => {
  const page = await open();
  const name = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute('role'));
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  // The code of the drawer may still be loading: then there is no tab yet.
  await page.locator('.drawer [role=tab][aria-selected=true]').waitFor();
  assert.equal(await name(), 'grid', 'the arrows go on moving the rows');
  await page.keyboard.press('Enter');
  assert.equal(await name(), 'tab-summary');
  await page.keyboard.press('ArrowRight');
  assert.equal(await name(), 'tab-yaml');
  await page.keyboard.press('Escape');
  await page.locator('.drawer').waitFor({ state: 'detached' });
  await settled('the focus is on the rows again', name, 'grid');
  await page.keyboard.press('n');
  // The names arrive after the list has opened.
  await page.locator('#namespaces [role=option]').nth(1).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/namespace=/);
  await settled('the focus is on the rows of the namespace', name, 'grid');
  await page.context().close();
});

test('the help lists every key', options, async () => {
  const page = await open();
  await page.keyboard.press('?');
  const help = page.locator('dialog[open]');
  await help.waitFor();
  // The text of the help is in the deferred code.
  await help.locator('kbd').first().waitFor();
  const keys = await help.locator('kbd').allInnerTexts();
  for (const key of ['/', ':', 'n', 'j', 'k', 'g', 'G', '[', ']', '?', '↑', '↓', '←', '→', 'PgUp', 'PgDn', 'Home', 'End', 'Enter', 'Shift', 'Esc', 'Tab']) {
    assert.ok(keys.includes(key), `${key} is missing`);
  }
  const entries = await help.locator('dt:has(kbd)').evaluateAll((terms) => terms.map((term) => `${[...term.querySelectorAll('kbd')].map((key) => key.textContent).join(' ')}: ${term.nextElementSibling.textContent}`));
  for (const entry of [/^d y l s: Summary, YAML, logs or shell/, /^l: Logs of the marked rows/, /^e: Edit/, /^Delete: Delete/, /^a: Actions/, /^0: All namespaces/]) {
    assert.ok(entries.some((one) => entry.test(one)), `${entry} is missing`);
  }
  await page.mouse.click(5, 5);
  await help.waitFor({ state: 'detached' });
  assert.equal(await page.locator('.drawer').count(), 0);
  await page.context().close();
});

test('0 shows all namespaces, and on a header it resets the width of the column', options, async () => {
  const page = await open('#/v1/pods?namespace=kube-system');
  const header = page.getByRole('columnheader', { name: 'Name' }).getByRole('button');
  await header.focus();
  const width = () => header.evaluate((button) => button.closest('[role=columnheader]').getBoundingClientRect().width);
  const usual = await width();
  await page.keyboard.press('+');
  await eventually('it is wider', PATIENCE, async () => (await width()) > usual + 4);
  await page.keyboard.press('0');
  await eventually('it has its usual width', PATIENCE, async () => Math.abs((await width()) - usual) < 2);
  assert.match(page.url(), /namespace=kube-system/);
  await grid(page).focus();
  await page.keyboard.press('0');
  await eventually('all namespaces', PATIENCE, () => !page.url().includes('namespace='));
  await page.context().close();
});
