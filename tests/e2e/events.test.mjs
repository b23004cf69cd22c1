// Events: the newest comes first, and they are readable on a phone.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, cell, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'events';
const create = (object) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(object));
const phone = { viewport: { width: 380, height: 800 } };
// The order of the names differs from that of the times, and so does that of the creations: the first event was repeated later.
const minutesAgo = { 'one.d': 1, 'one.b': 7, 'one.a': 20, 'one.c': 90 };
const newestFirst = Object.keys(minutesAgo);

async function event(name, minutes) {
  const moment = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '');
  await create({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: ns },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', namespace: ns, uid: event.uid },
    type: 'Warning',
    reason: `Reason-${name}`,
    message: `Message of ${name}, which goes on for so long that one line of a phone is not wide enough for it`,
    firstTimestamp: moment(100),
    lastTimestamp: moment(minutes),
    count: 3,
  });
}

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: ns } });
  event.uid = JSON.parse(await stage.kubectl(['get', 'configmap', 'one', '-n', ns, '-o', 'json'])).metadata.uid;
  for (const [name, minutes] of Object.entries(minutesAgo)) await event(name, minutes);
});

const rows = (page) => () => page.locator('.canvas [role=row][data-key]').evaluateAll((rows) => rows.map((row) => row.dataset.key.split('/')[1]));

test('the events of an object are from the newest', options, async () => {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}&object=${ns}%2Fone`);
  await page.getByRole('tab', { name: 'Events' }).click({ timeout: PATIENCE });
  const reasons = () => page.locator('.events li strong').allTextContents();
  await settled('the newest first', reasons, newestFirst.map((name) => `Reason-${name}`));
  await page.context().close();
});

test('the table of events begins with the newest, and its header shows the order', options, async () => {
  const page = await stage.open(`#/v1/events?namespace=${ns}`);
  await row(page, `${ns}/one.d`).waitFor({ timeout: PATIENCE });
  await settled('the newest first', rows(page), newestFirst);
  const header = page.locator('[role=columnheader][data-header="Last Seen"]');
  assert.equal(await header.getAttribute('aria-sort'), 'ascending');
  // Another order is possible, as in any table.
  await header.getByRole('button').click();
  await settled('the oldest first', rows(page), newestFirst.toReversed());
  await page.context().close();
});

test('on a phone an event shows its reason, its message and its object', options, async () => {
  const page = await stage.open(`#/v1/events?namespace=${ns}`, phone);
  // The first rows are unsorted, and move afterwards.
  await settled('the newest first', rows(page), newestFirst);
  const box = async (column) => {
    const found = cell(page, `${ns}/one.d`, column);
    await found.waitFor({ timeout: PATIENCE });
    const { x, y, width, height } = await found.boundingBox();
    assert.ok(width > 20 && height > 10 && x >= 0 && x + width <= 380, `${column}: ${width} × ${height} at ${x}`);
    return { top: y, bottom: y + height };
  };
  const boxes = await Promise.all(['Reason', 'Type', 'Message', 'Object', 'Last Seen'].map(box));
  const next = await row(page, `${ns}/one.b`).boundingBox();
  const own = await row(page, `${ns}/one.d`).boundingBox();
  for (const { top, bottom } of boxes) assert.ok(top >= own.y && bottom <= own.y + own.height, 'the cell is within its row');
  assert.ok(next.y >= own.y + own.height - 1, 'rows do not overlap');
  const lines = await cell(page, `${ns}/one.d`, 'Message').evaluate((cell) => cell.clientHeight / parseFloat(getComputedStyle(cell).lineHeight));
  assert.equal(Math.round(lines), 2, 'a message has two lines');

  // The rows of another kind have another height.
  await page.evaluate((ns) => (location.hash = `#/v1/configmaps?namespace=${ns}`), ns);
  await row(page, `${ns}/one`).waitFor({ timeout: PATIENCE });
  await settled('the height of other rows', async () => (await row(page, `${ns}/one`).boundingBox())?.height, 52);
  await page.context().close();
});
