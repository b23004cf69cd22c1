// A long list over a slow connection: its rows appear before its end, and are marked as incomplete.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';

// Only the embedded apiserver can be slowed down.
const elsewhere = process.env.E2E_CLUSTER === 'kube' && 'a real apiserver is not slow on command';
const stage = elsewhere ? { unavailable: elsewhere, errors: [], end() {} } : await setStage({ args: ['--pods', '3000', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

test('rows are on screen before the list is complete, and the count shows it', { ...TEST, skip: stage.unavailable }, async (t) => {
  // The first page arrives, and later ones do not.
  const fault = { fault: 'hold', resource: 'pods', verb: 'list', skip: 1 };
  await stage.kubectl(['create', '--raw', '/admin/faults', '-f', '-'], JSON.stringify(fault));
  const start = performance.now();
  const page = await stage.open('#/v1/pods');
  const rows = page.locator('.canvas [role=row][data-key]');
  await rows.first().waitFor({ timeout: PATIENCE });
  t.diagnostic(`the first row: after ${Math.round(performance.now() - start)} ms`);
  const count = page.locator('.tally .count');
  assert.equal(await count.getAttribute('data-synced'), 'false', 'rows came only with the end of the list');
  assert.match(await count.innerText(), /^Loading… [\d,]+ so far$/);
  assert.ok(await page.getByText('order and counts may change').isVisible());
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-busy'), 'true');

  await stage.kubectl(['delete', '--raw', '/admin/faults']);
  await eventually('the list is complete', PATIENCE, async () => (await count.getAttribute('data-synced')) === 'true');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  t.diagnostic(`all rows: after ${Math.round(performance.now() - start)} ms`);
  assert.match(await count.innerText(), /^[23],\d{3}$/);
  assert.equal(await page.getByText('order and counts may change').count(), 0);
  await page.context().close();
});
