// Drawer beside the table: its width, and resizing.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const size = (width) => ({ viewport: { width, height: 800 } });
const handle = (page) => page.getByRole('separator', { name: 'Width of the panel' });
const width = (page) => page.locator('.drawer').evaluate((drawer) => drawer.getBoundingClientRect().width);
const value = async (page) => Number(await handle(page).getAttribute('aria-valuenow'));
const becomes = (page, expected) => eventually(`a width of ${expected}`, PATIENCE, async () => (await width(page)) === expected && (await value(page)) === expected);

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['run', 'guest', '-n', 'default', '--image=pause', '--restart=Never']);
});

async function open(viewport) {
  const page = await stage.open('#/v1/pods?object=default%2Fguest&tab=yaml', size(viewport));
  await row(page, 'default/guest').waitFor({ timeout: PATIENCE });
  await page.locator('.yaml .line').first().waitFor({ timeout: PATIENCE });
  return page;
}

test('in a window of 1,400 pixels the drawer leaves the table Ready and Restarts', options, async () => {
  const page = await open(1400);
  const names = ['Namespace', 'Name', 'Ready', 'Status', 'Restarts', 'Age'];
  // The columns adapt to the width of the table a frame later.
  const layout = () => page.evaluate((names) => {
    const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
    const { left } = box('.drawer');
    const grid = document.querySelector('[role=grid]');
    return {
      beside: names.filter((name) => box(`[role=columnheader][data-header=${name}]`)?.right <= left),
      overflows: grid.scrollWidth > grid.clientWidth,
    };
  }, names);
  await settled('the columns end beside the drawer, without scrolling sideways', layout, { beside: names, overflows: false });
  await page.context().close();
});

test('the drawer is resized by the keyboard, within its bounds, and back', options, async () => {
  const page = await open(1600);
  const usual = await width(page);
  await handle(page).focus();
  await page.keyboard.press('ArrowLeft');
  await becomes(page, usual + 24);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await becomes(page, usual - 24);
  await page.keyboard.press('Home');
  await becomes(page, 320);
  assert.equal(await handle(page).getAttribute('aria-valuemin'), '320');
  await page.keyboard.press('End');
  await becomes(page, Number(await handle(page).getAttribute('aria-valuemax')));
  assert.ok((await page.locator('[role=grid]').boundingBox()).width > 250, 'some of the table stays');
  await page.keyboard.press('Enter');
  await becomes(page, usual);
  assert.ok(await page.locator('.drawer').isVisible(), 'the keys have no effect besides that on the handle');
  await page.context().close();
});

test('the drawer is resized by the mouse, and its width is remembered', options, async () => {
  const page = await open(1600);
  const before = await width(page);
  const { x, width: wide } = await handle(page).boundingBox();
  const start = x + wide / 2;
  await page.mouse.move(start, 300);
  await page.mouse.down();
  await page.mouse.move(start - 60, 320, { steps: 4 });
  await page.mouse.move(start - 120, 500, { steps: 4 });
  await page.mouse.up();
  await eventually('it is wider', PATIENCE, async () => Math.abs((await width(page)) - before - 120) <= 5);
  const chosen = await width(page);
  await page.mouse.move(start - 400, 500);
  assert.equal(await width(page), chosen, 'the drag has ended');
  await page.reload();
  await page.locator('.drawer').waitFor({ timeout: PATIENCE });
  await becomes(page, chosen);
  // In a window that is too narrow for the chosen width the drawer is narrower. In a wider window it has the chosen width again.
  await page.setViewportSize({ width: 1120, height: 800 });
  await eventually('it is narrower', PATIENCE, async () => (await width(page)) < chosen);
  await page.setViewportSize({ width: 1600, height: 800 });
  await becomes(page, chosen);
  const now = await handle(page).boundingBox();
  await page.mouse.dblclick(now.x + now.width / 2, 300);
  await becomes(page, before);
  await page.reload();
  await page.locator('.drawer').waitFor({ timeout: PATIENCE });
  await becomes(page, before);
  await page.context().close();
});

test('on a phone the drawer is the whole width and has no handle', options, async () => {
  const page = await open(380);
  assert.equal(await width(page), 380);
  assert.equal(await handle(page).isVisible(), false);
  await page.context().close();
});
