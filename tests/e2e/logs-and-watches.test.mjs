// Many followed logs beside watches: the logs share the connections that the watches leave, and the table stays live.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '40', '--churn', '0'] });
after(() => stage.end());
// The browser's own message about a container that has no log yet.
const isOfNoLog = (error) => /\/log\?[^]*Unexpected response code: 400/.test(error);
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !isOfNoLog(error)), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

// Over WebSockets, which use connections of their own, and over HTTP/1.1, where all logs share one connection.
for (const [number, via] of ['WebSocket', 'fetch'].entries()) test(`the table is live while the logs of all its pods are followed (${via})`, options, async () => {
  const context = await stage.browser.newContext({ viewport: { width: 1600, height: 900 } });
  if (via === 'fetch') await context.addInitScript(() => delete globalThis.WebSocket);
  const page = await context.newPage();
  const [streams, counts] = [new Set(), []];
  page.on('response', (response) => /\/log\?.*follow=true/.test(response.url()) && counts.push(streams.add(response.request()).size));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => streams.delete(request));
  await page.goto(stage.url('#/v1/pods'));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await page.locator('[role=row][data-key]').first().click({ modifiers: ['Control'], timeout: PATIENCE });
  await page.keyboard.press('Control+a');
  const [, marked] = await eventually('all rows are marked', PATIENCE, async () => {
    const found = /(\d+) rows marked/.exec(await page.locator('.marks .number').innerText());
    return found && Number(found[1]) > 20 && found;
  });
  await page.locator('.marks').getByRole('button', { name: 'Logs' }).click({ timeout: PATIENCE });
  await page.locator('.drawer').getByRole('heading', { name: `Logs of ${marked} pods` }).waitFor({ timeout: PATIENCE });
  await page.locator('.log-state', { hasText: /following/i }).waitFor({ timeout: PATIENCE });
  await page.locator('.log-line').first().waitFor({ timeout: PATIENCE });
  // An open watch: a new pod, its change, and its end are shown.
  await stage.kubectl(['run', 'latecomer', '-n', 'default', '--image=pause', '--restart=Never']);
  await row(page, 'default/latecomer').waitFor({ state: 'attached', timeout: PATIENCE });
  await stage.kubectl(['delete', 'pod', 'latecomer', '-n', 'default', '--force', '--grace-period=0']);
  await row(page, 'default/latecomer').waitFor({ state: 'detached', timeout: PATIENCE });
  // A new watch gets a connection, too. Rows keep their places while the pointer is on one.
  await page.mouse.move(2, 2);
  await page.evaluate(() => (location.hash = location.hash.replace('#/v1/pods', '#/v1/namespaces').replace(/[?].*/, '')));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await stage.kubectl(['create', 'namespace', `late-${number}`]);
  await row(page, `late-${number}`).waitFor({ state: 'attached', timeout: PATIENCE });
  if (via === 'fetch') assert.equal(Math.max(...counts), 1, 'one log is streamed at a time');
  await context.close();
});
