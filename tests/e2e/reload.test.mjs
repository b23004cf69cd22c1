// Reload: the worker starts the first informer before the page requests it, with its persisted cache.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';
import { hasSnapshot } from '../support/snapshot.mjs';

const stage = await setStage({ args: ['--pods', '20', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
test('the worker prestarts the page’s first informer, and releases it with the page', options, async () => {
  const other = await stage.open('#/v1/nodes');
  await freshness(other, 'live').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of nodes and of namespaces; watches() adds those of the kinds
  const page = await other.context().newPage();
  // The page's wasm never arrives; the worker has a file of its own.
  await page.route(/_bg\.wasm$/, () => {});
  await page.goto(stage.url('#/v1/services'));
  await stage.watches(3); // of services too, which no page has requested
  await page.close();
  await stage.watches(2);
  await other.context().close();
});

test('rows of a snapshot are on screen before the server’s first response, and are marked as old', options, async () => {
  // With a dedicated worker: while the harness listens to a shared worker, Chromium starts no other one in its place.
  const page = await stage.open('?worker=dedicated#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  const key = await page.locator('.canvas [role=row][data-key]:not([hidden])').first().getAttribute('data-key', { timeout: PATIENCE });
  await eventually('a snapshot', PATIENCE, () => page.evaluate(hasSnapshot));
  // The server never responds about pods.
  let requests = 0;
  await page.route(/\/api\/v1\/pods\b/, () => void requests++);
  // Checked in each frame, because the WebSocket, which is tried after a second, is not held.
  await page.addInitScript((key) => {
    window.isOld = false;
    const look = () => {
      const state = document.querySelector('[data-freshness]')?.dataset.freshness;
      const said = [...document.querySelectorAll('.freshness .sentence, .doubt')].map(({ textContent }) => textContent).join();
      const isThere = document.querySelector(`[role=row][data-key="${key}"]`);
      // After 15 s without a response the page is disconnected.
      window.isOld ||= Boolean(isThere) && ['catching-up', 'disconnected'].includes(state) && /as of/.test(said);
      requestAnimationFrame(look);
    };
    look();
  }, key);
  await page.reload();
  await row(page, key).waitFor({ timeout: PATIENCE });
  await eventually('its rows are marked as old', PATIENCE, () => page.evaluate(() => window.isOld));
  await eventually('it asks', PATIENCE, () => requests > 0);
  await page.context().close();
});
