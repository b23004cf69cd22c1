// A long list over a slow connection: its rows appear before its end, and are marked as incomplete.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

// More objects than the first page of a list has: 500.
const MAPS = 700;
const AT_ONCE = 16;

async function create(path, name) {
  const response = await fetch(new URL(path, stage.url()), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ metadata: { name } }) });
  assert.equal(response.status, 201, await response.text());
}

before(async () => {
  if (stage.unavailable) return;
  await create('/api/v1/namespaces', 'long');
  let next = 0;
  const creating = async () => {
    while (next < MAPS) await create('/api/v1/namespaces/long/configmaps', `map-${next++}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, creating));
});

test('rows are on screen before the list is complete, and the count shows it', options, async (t) => {
  // With a dedicated worker, because requests of a shared worker cannot be held.
  const page = await stage.open('?worker=dedicated#/v1/nodes');
  // The first page of the list arrives, later ones are held.
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(/\/configmaps\?.*\bcontinue=/, async (route) => {
    await released;
    await route.continue();
  });
  const start = performance.now();
  await page.evaluate(() => (location.hash = '#/v1/configmaps?namespace=long'));
  const rows = page.locator('.canvas [role=row][data-key^="long/"]');
  await rows.first().waitFor({ timeout: PATIENCE });
  t.diagnostic(`the first row: after ${Math.round(performance.now() - start)} ms`);
  const count = page.locator('.tally .count');
  await eventually('the count of the first page', PATIENCE, async () => /^Loading… [\d,]+ so far$/.test(await count.innerText()));
  assert.equal(await count.getAttribute('data-synced'), 'false', 'the rows are shown before the end of the list');
  assert.ok(await page.getByText('order and counts may change').isVisible());
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-busy'), 'true');

  release();
  await eventually('the list is complete', PATIENCE, async () => (await count.getAttribute('data-synced')) === 'true');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  t.diagnostic(`all rows: after ${Math.round(performance.now() - start)} ms`);
  await eventually('all rows are counted', PATIENCE, async () => (await count.innerText()) === `${MAPS}`);
  await page.getByText('order and counts may change').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});
