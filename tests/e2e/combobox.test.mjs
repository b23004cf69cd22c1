// A list of options that can be scrolled: Tab leaves the box for what follows it, and not for the list, which closes then.
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
  await page.getByRole('listbox').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Tab');
  await page.getByRole('listbox').waitFor({ state: 'detached', timeout: PATIENCE });
  const focused = await page.evaluate(() => document.activeElement.tagName);
  assert.match(focused, /^(BUTTON|INPUT|A)$/, 'the focus went with the list');
  await page.context().close();
});
