// List of options: it covers the page below its box. If it can be scrolled, Tab moves from the box to the next control, not to
// the list, which closes then.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };

before(async () => {
  if (stage.unavailable) return;
  const items = Array.from({ length: 60 }, (_, at) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `one-of-many-${at}` } }));
  await stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
});

test('Tab leaves the box of the namespace with the focus', options, async () => {
  const page = await stage.open('#/v1/pods?namespace=one-of-many-1');
  await page.setViewportSize({ width: 700, height: 380 });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  const box = page.getByRole('combobox', { name: 'Namespace' });
  await box.click();
  // Without the names the list is too short to be scrolled.
  await page.getByRole('option', { name: 'one-of-many-59', exact: true }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Tab');
  await page.getByRole('listbox').waitFor({ state: 'detached', timeout: PATIENCE });
  const focused = await page.evaluate(() => document.activeElement.tagName);
  assert.match(focused, /^(BUTTON|INPUT|A)$/, 'the focus is not lost when the list closes');
  await page.context().close();
});

// A press on the scroll bar is a press on the list itself.
for (const { name, text } of [{ name: 'Namespace', text: '' }, { name: 'Filter', text: 'status' }]) {
  test(`a press on the edge of the list leaves the list open, and the focus in the box: ${name}`, options, async () => {
    const page = await stage.open('#/v1/pods');
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    const box = page.getByRole('combobox', { name });
    await box.click();
    await box.pressSequentially(text);
    const list = page.getByRole('listbox');
    await list.waitFor({ timeout: PATIENCE });
    await list.click({ position: { x: 2, y: 2 } });
    assert.equal(await list.evaluate((list) => document.elementFromPoint(list.getBoundingClientRect().x + 2, list.getBoundingClientRect().y + 2) === list), true);
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
    assert.equal(await list.isVisible(), true, 'the list is open');
    assert.equal(await box.evaluate((box) => box === document.activeElement), true, 'the box has the focus');
    await page.context().close();
  });
}

test('on a phone the list of namespaces lies over the filter', options, async () => {
  const page = await stage.open('#/v1/pods');
  await page.setViewportSize({ width: 380, height: 700 });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('combobox', { name: 'Namespace' }).click();
  await page.getByRole('option', { name: 'All namespaces', exact: true }).waitFor({ timeout: PATIENCE });
  const covered = await page.locator('#namespaces').evaluate((list) => {
    const { left, right, top, bottom } = list.getBoundingClientRect();
    const seen = [...list.children].filter((option) => option.getBoundingClientRect().bottom < bottom && option.getBoundingClientRect().top > top);
    const isOnTop = (option) => {
      const box = option.getBoundingClientRect();
      return [left + 20, (left + right) / 2, right - 20].every((x) => list.contains(document.elementFromPoint(x, (box.top + box.bottom) / 2)));
    };
    return seen.filter((option) => !isOnTop(option)).map((option) => option.textContent.trim());
  });
  assert.deepEqual(covered, [], 'these options are covered');
  await page.context().close();
});
