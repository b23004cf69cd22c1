// Density: compact rows, chosen in the panel of the columns. The choice stays, and so does the place in the table.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, freshness, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '300', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

async function open(profile) {
  const page = await stage.open('#/v1/pods', profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
  return page;
}

/** Height of each visible row, and the key of the first one below the header. */
const rows = (page) =>
  page.evaluate(() => {
    const top = document.querySelector('.canvas').parentElement.getBoundingClientRect().top;
    const all = [...document.querySelectorAll('.canvas [role=row]:not([hidden])')].map((row) => ({ key: row.dataset.key, box: row.getBoundingClientRect() }));
    const below = all.filter(({ box }) => box.top >= top + document.querySelector('.head').offsetHeight - 1).sort((a, b) => a.box.top - b.box.top);
    return { heights: [...new Set(all.map(({ box }) => Math.round(box.height)))], first: below[0]?.key };
  });
const heights = async (page) => (await rows(page)).heights;

async function choose(page, on) {
  await page.keyboard.press('C');
  await page.locator('.column-panel').getByLabel('Compact rows').setChecked(on, { timeout: PATIENCE });
  await page.keyboard.press('Escape');
}

test('compact rows are lower, stay after a reload, and keep the place', options, async () => {
  const page = await open({ viewport: { width: 1200, height: 700 } });
  assert.deepEqual(await heights(page), [32]);
  await grid(page).evaluate((element) => element.scrollTo(0, 32 * 100));
  // Until the rows of that place are rendered, there is none below the header.
  await settled('a row at the top', async () => (await rows(page)).first !== undefined, true);
  const { first } = await rows(page);
  await choose(page, true);
  await settled('compact rows', () => heights(page), [24]);
  await settled('the first row', async () => (await rows(page)).first, first);
  await page.reload();
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await settled('compact rows after a reload', () => heights(page), [24]);
  await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
  await choose(page, false);
  await settled('usual rows', () => heights(page), [32]);
  assert.equal(await page.evaluate(() => localStorage.getItem('kube-informer.density')), null);
  await page.context().close();
});

test('another tab follows the choice, and keeps its place', options, async () => {
  const page = await open({ viewport: { width: 1200, height: 700 } });
  const other = await page.context().newPage();
  await other.goto(page.url());
  await freshness(other, 'live').waitFor({ timeout: PATIENCE });
  await grid(other).evaluate((element) => element.scrollTo(0, 32 * 50));
  await settled('a row at the top', async () => (await rows(other)).first !== undefined, true);
  const { first } = await rows(other);
  await choose(page, true);
  await settled('compact rows', () => heights(other), [24]);
  await settled('the first row', async () => (await rows(other)).first, first);
  await choose(page, false);
  await settled('usual rows', () => heights(other), [32]);
  await page.context().close();
});

test('rows of two lines are compact in a narrow window, and axe finds nothing', options, async () => {
  const page = await open({ viewport: { width: 380, height: 700 }, bypassCSP: true });
  assert.deepEqual(await heights(page), [52]);
  await choose(page, true);
  await settled('compact rows', () => heights(page), [44]);
  const cut = await page.locator('.canvas [role=gridcell]').evaluateAll((cells) => cells.filter((cell) => cell.offsetHeight > 0 && cell.scrollHeight > cell.offsetHeight + 2).map((cell) => cell.textContent));
  assert.deepEqual(cut, [], 'no text is cut off');
  assert.deepEqual(await violations(page), []);
  await page.context().close();
});
