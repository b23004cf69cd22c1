// Inspector: the counters and history behind the status.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '20', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };

const steps = (page) => page.getByRole('region', { name: 'History' });
/** The steps on screen, from the top, without their times. */
const words = (page) => steps(page).locator('li > span:nth-child(2)').allInnerTexts();
/** Whether the steps include these, in this order from the bottom. */
const happened = async (page, ...expected) => {
  let at = 0;
  for (const text of (await words(page)).reverse()) if (expected[at]?.test(text)) at++;
  return at === expected.length;
};
const fact = (page, name) => page.locator('.details dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]').innerText();

/** A page with a separate namespace with one pod, and the panel open. */
async function open(ns) {
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }));
  const create = (pod) => stage.kubectl(['run', pod, '-n', ns, '--image=pause', '--restart=Never']);
  await create('one');
  const page = await stage.open(`#/v1/pods?namespace=${ns}`);
  await row(page, `${ns}/one`).waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByTitle('Show details').click();
  return { page, create };
}

test('the status details show the protocol steps, the newest first, and follow the informer', options, async () => {
  const { page, create } = await open('inspected');
  await eventually('the steps of a start', PATIENCE, () => happened(page, /^Requested all objects$/, /^Received 1 object$/, /^Requested a watch$/, /^The watch is open$/));
  assert.match((await words(page)).at(-1), /^Requested all objects/, 'the oldest step is the last');
  assert.match(await fact(page, 'Watches'), /^\d+, one open over (HTTP|a WebSocket)$/);
  assert.match(await fact(page, 'Received'), /^[\d.]+ (B|kB|MB) in \d+ requests$/);
  const { width, height } = await page.locator('.details').boundingBox();
  await create('two');
  await eventually('a change', PATIENCE, () => happened(page, /^The watch is open$/, /^\d+ changes?$/));
  // A suspicion of a starved thread shows one more line while it lasts.
  const size = async () => {
    const after = await page.locator('.details').boundingBox();
    return [after.width, after.height];
  };
  await settled('nothing moves when something comes', size, [width, height]);
  // On a phone the whole panel is reachable: it scrolls if it is longer than the screen.
  await page.setViewportSize({ width: 380, height: 600 });
  const within = () => page.locator('.details').evaluate((details) => {
    const { left, right, bottom } = details.getBoundingClientRect();
    return { left: left >= 0, right: right <= 380, bottom: bottom <= 600 };
  });
  await settled('the panel is within the screen', within, { left: true, right: true, bottom: true });
  // The steps are reachable, and scrollable, by keyboard.
  await page.getByTitle('Show details').focus();
  // The link to all informers, the button for the saved data, the steps.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-labelledby')), 'happened');
  await page.keyboard.press('Escape');
  await steps(page).waitFor({ state: 'detached' });
  await page.context().close();
});

test('an outage of the proxy is shown step by step', options, async () => {
  const { page } = await open('inspected-away');
  await eventually('the watch', PATIENCE, () => happened(page, /^The watch is open$/));
  await stage.killProxy();
  const gone = [/^The watch is open$/, /^The watch was interrupted: no connection$/, /^The request failed: no connection$/, /^Pause of /];
  await eventually('the end of the watch, and an attempt', PATIENCE, () => happened(page, ...gone));
  await eventually('no watch', PATIENCE, async () => /none open$/.test(await fact(page, 'Watches')));
  assert.ok(Number(await fact(page, 'Errors')) > 0);
  await stage.startProxy();
  await eventually('another watch', PATIENCE, () => happened(page, ...gone, /^Requested a watch$/, /^The watch is open$/));
  await eventually('it is said to be open', PATIENCE, async () => /one open/.test(await fact(page, 'Watches')));
  await page.context().close();
});

test('another kind has another history', options, async () => {
  const { page } = await open('inspected-kinds');
  await eventually('the watch', PATIENCE, () => happened(page, /^Received 1 object$/, /^The watch is open$/));
  await page.evaluate(() => (location.hash = '#/v1/namespaces'));
  await row(page, 'inspected-kinds').waitFor({ timeout: PATIENCE });
  await eventually('its own steps', PATIENCE, async () => !(await happened(page, /^Received 1 object$/)) && happened(page, /^Received \d+ objects$/, /^The watch is open$/));
  await page.context().close();
});
