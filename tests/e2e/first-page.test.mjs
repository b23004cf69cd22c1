// First page: an address without a hash shows the overview, and its pods are requested before its code has loaded.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '20', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const pods = (page) => page.locator('[data-card=overview-pods] .rows a').filter({ hasText: 'All pods' });

test('the overview is the first page, and the name of the dashboard leads to it', options, async () => {
  const page = await stage.open();
  await pods(page).click({ timeout: PATIENCE });
  await page.waitForURL(/#\/v1\/pods$/);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('link', { name: 'kube-informer' }).click();
  await page.waitForURL(/#\/overview$/);
  await pods(page).waitFor({ timeout: PATIENCE });
  await page.goBack();
  await pods(page).waitFor({ state: 'detached', timeout: PATIENCE });
  await page.goBack();
  await page.waitForURL(/\/ui\/$/);
  await pods(page).waitFor({ timeout: PATIENCE });
  assert.equal(await page.title(), 'Overview · kube-informer');
  await page.context().close();
});

test('the worker lists the pods of the overview before the page requests them', options, async () => {
  const other = await stage.open('#/v1/nodes');
  await freshness(other, 'live').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of nodes and of namespaces
  const page = await other.context().newPage();
  // The page's wasm never arrives; the worker has a file of its own.
  await page.route(/_bg\.wasm$/, () => {});
  await page.goto(stage.url());
  await stage.watches(3);
  await other.context().close();
});
