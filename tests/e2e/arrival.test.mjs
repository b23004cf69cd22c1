// A long list over a slow connection: its rows are there before its end is, and nobody takes them for all.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { eventually, freshness, setStage } from './harness.mjs';

// Only the embedded apiserver can be told to be slow.
const elsewhere = process.env.E2E_CLUSTER === 'kube' && 'a real apiserver is not slow on command';
const stage = elsewhere ? { unavailable: elsewhere, errors: [], end() {} } : await setStage({ args: ['--pods', '3000', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

test('rows are on screen before the list is complete, and the count says so', { skip: stage.unavailable, timeout: 120_000 }, async (t) => {
  const fault = { fault: 'delay', ms: 1500, resource: 'pods', verb: 'list' };
  await stage.kubectl(['create', '--raw', '/admin/faults', '-f', '-'], JSON.stringify(fault));
  const start = performance.now();
  const page = await stage.open('#/v1/pods');
  const rows = page.locator('.canvas [role=row][data-key]');
  await rows.first().waitFor({ timeout: 60_000 });
  t.diagnostic(`the first row: after ${Math.round(performance.now() - start)} ms`);
  const count = page.locator('.tally .count');
  assert.equal(await count.getAttribute('data-synced'), 'false', 'rows came only with the end of the list');
  assert.match(await count.innerText(), /^Loading… [\d,]+ so far$/);
  assert.ok(await page.getByText('order and counts may change').isVisible());
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-busy'), 'true');

  await stage.kubectl(['delete', '--raw', '/admin/faults']);
  await eventually('the list is complete', 30_000, async () => (await count.getAttribute('data-synced')) === 'true');
  await freshness(page, 'live').waitFor({ timeout: 15_000 });
  t.diagnostic(`all rows: after ${Math.round(performance.now() - start)} ms`);
  assert.match(await count.innerText(), /^[23],\d{3}$/);
  assert.equal(await page.getByText('order and counts may change').count(), 0);
  await page.context().close();
});
