// Texts of the status line and its panel: they match the facts, are plain English, and are never cut off.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '300', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const sentence = (page) => page.locator('.freshness .sentence');
const retry = (page) => page.locator('.doubt').getByRole('button', { name: 'Retry now' });
const facts = (page) =>
  page.locator('.details dl').evaluate((list) => Object.fromEntries([...list.querySelectorAll('dt')].map((name) => [name.textContent, name.nextElementSibling.textContent])));

/** Whether the whole sentence is on screen, in wide and narrow windows. */
async function isWhole(page) {
  for (const width of [1400, 1100, 761, 380]) {
    await page.setViewportSize({ width, height: 800 });
    await eventually(`the window is ${width} pixels wide`, PATIENCE, () => page.evaluate((width) => innerWidth === width, width));
    const { text, cut, left, right } = await sentence(page).evaluate((element) => {
      const { left, right } = element.parentElement.getBoundingClientRect();
      return { text: element.textContent, cut: element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0, left, right };
    });
    assert.ok(!cut && left >= 0 && right <= width, `at ${width} pixels: ${text} (${left} to ${right})`);
  }
  await page.setViewportSize({ width: 1400, height: 800 });
}

/** A page whose engine is in the page, where its requests can be intercepted. */
async function open(hash = '#/v1/pods') {
  const page = await stage.open(`?worker=off${hash}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  return page;
}

test('Retry now retries at once, regardless of the backoff', options, async () => {
  const page = await open();
  await isWhole(page);
  let requests = 0;
  await page.route(/\/(api|apis|version)\b/, (route) => {
    requests++;
    return route.abort('connectionrefused');
  });
  await stage.killProxy();
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  await isWhole(page);
  const wait = async () => Number((await sentence(page).innerText()).match(/^Disconnected · retry in (\d+) s$/)?.[1] ?? 0);
  await eventually('a long backoff', 120_000, async () => (await wait()) >= 8);
  const before = requests;
  await retry(page).click();
  // The next timer is far away, so the request is that of the button.
  await eventually('a request', PATIENCE, () => requests > before);

  // The panel has this button, too, and the history names its use.
  await page.getByTitle('Show details').click();
  await page.locator('.details').getByRole('button', { name: 'Retry now' }).click();
  // No request succeeds during this time, so a backoff that ends meanwhile does not remove the button permanently.
  await stage.startProxy();
  await page.unroute(/\/(api|apis|version)\b/);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // The panel reads the history once a second.
  await page.locator('.steps li > span:nth-child(2)', { hasText: /^Retried at once/ }).first().waitFor({ state: 'attached', timeout: PATIENCE });
  assert.equal(await page.getByRole('button', { name: 'Retry now' }).count(), 0, 'there is no retry button when the page is live');
  await eventually('the focus is not lost with the button', PATIENCE, () => page.evaluate(() => document.activeElement.tagName !== 'BODY'));
  await page.context().close();
});

test('the panel speaks the words of the field', options, async () => {
  const page = await open();
  await page.getByTitle('Show details').click();
  const known = await facts(page);
  assert.equal(known.Lists, '1');
  assert.equal(known['Undecodable events'], '0');
  assert.match(known['Last contact'], /ago \(\d\d:\d\d:\d\d\)$/);
  assert.equal(known['Next retry'], 'none scheduled');
  const clear = page.getByRole('button', { name: 'Clear data saved in this browser' });
  await clear.click();
  await page.getByRole('button', { name: 'Cleared: no data is saved in this browser' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a namespace that was typed wrong is not called a bug, and the error is whole', options, async () => {
  const page = await stage.open('?worker=off#/v1/pods?namespace=Not_A_Name');
  const empty = page.locator('.empty', { hasText: '"Not_A_Name"' }).filter({ hasText: 'Correct the namespace' });
  await empty.waitFor({ timeout: PATIENCE });
  assert.doesNotMatch(await empty.innerText(), /bug/);
  await sentence(page).filter({ hasText: /invalid request$/ }).waitFor({ timeout: PATIENCE });
  await isWhole(page);
  await page.context().close();
});

test('an error of the server has a short name in the status line and all of it in the panel', options, async () => {
  const page = await open();
  const message = `rpc error: code = Unavailable desc = ${'etcdserver: leader changed, '.repeat(8)}`;
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason: 'InternalError', code: 500 });
  await page.route(/\/api\/v1\/pods/, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }));
  await stage.killProxy();
  await stage.startProxy();
  await freshness(page, 'stale').waitFor({ timeout: PATIENCE });
  await isWhole(page);
  await settled('the short name', () => sentence(page).innerText(), 'Stale · server error');
  await page.locator('.doubt', { hasText: 'leader changed' }).waitFor({ timeout: PATIENCE });
  await page.getByTitle('Show details').click();
  await page.locator('.details .mishap', { hasText: 'leader changed' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});
