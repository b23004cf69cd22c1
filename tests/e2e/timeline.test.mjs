// Timeline: the page pauses and goes back to a recorded time while the cluster goes on, and lists what changed.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const ns = 'timeline';

const map = (name, data = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns }, data });
const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const patch = (name, data) => stage.kubectl(['patch', 'configmap', name, '-n', ns, '--type=merge', '-p', JSON.stringify({ data })]);
const remove = (name) => stage.kubectl(['delete', 'configmap', name, '-n', ns]);

const total = (page, count) => settled('the number of rows', () => grid(page).getAttribute('data-total'), String(count));
const bar = (page) => page.getByRole('region', { name: 'Pause and rewind' });
const slider = (page) => bar(page).getByRole('slider');
const pause = (page) => page.getByRole('button', { name: 'Pause and rewind' });
const lines = (page) => page.locator('.changes .line').evaluateAll((all) => all.map((line) => [...line.children].slice(1).map((part) => part.textContent.trim()).join(' | ')));
const recorded = (page) => eventually('it is recorded', PATIENCE, async () => !(await slider(page).isDisabled()));
/** Waits until the browser's clock has advanced by more than a step of the slider. */
const later = async (page, milliseconds = 2_000) => {
  const since = await page.evaluate(() => Date.now());
  await eventually('a later second', PATIENCE, async () => (await page.evaluate(() => Date.now())) > since + milliseconds);
};

/** Opens the list of the recordings. The pointer leaves it, because new lines under the pointer would be held back. */
async function openRecords(page) {
  await page.locator('.records summary').click();
  await page.mouse.move(2, 2);
}

async function open(hash, profile = { viewport: { width: 1300, height: 800 } }) {
  const page = await stage.open(hash, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await pause(page).waitFor({ timeout: PATIENCE });
  return page;
}
const openMaps = (query = '', profile) => open(`#/v1/configmaps?namespace=${ns}&filter=name%3Dm-*${query}`, profile);

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', 'namespace', ns]);
});

test('a paused page stands still while the cluster goes on, and returns to the present', options, async () => {
  await create(map('m-a'), map('m-b'));
  const page = await openMaps();
  await total(page, 2);
  await page.keyboard.press('p');
  await bar(page).waitFor();
  assert.equal(await pause(page).getAttribute('aria-pressed'), 'true');
  // A page that has just been opened is paused at the start of its recording.
  await bar(page).getByText('Live data continues in the background.').waitFor({ timeout: PATIENCE });
  await create(map('m-c'));
  await remove('m-a');
  // Another page of the same worker shows when the changes have arrived.
  const names = (page) => page.locator('.grid .canvas').textContent().then((text) => ['m-a', 'm-b', 'm-c'].filter((name) => text.includes(name)));
  const other = await page.context().newPage();
  await other.goto(page.url());
  await settled('the present in another page', () => names(other), ['m-b', 'm-c']);
  await other.close();
  assert.deepEqual(await names(page), ['m-a', 'm-b']);
  await page.keyboard.press('p');
  await settled('the present', () => names(page), ['m-b', 'm-c']);
  assert.equal(await bar(page).count(), 0, 'the bar is closed');
  await remove('m-b');
  await remove('m-c');
  await total(page, 0);
  await page.close();
});

test('a page that is paused before its record begins stands still from that moment on', options, async () => {
  await create(map('m-a'));
  const context = await stage.browser.newContext();
  const held = [];
  let isHeld = true;
  await context.route(/\/extras\.wasm/, (route) => (isHeld ? held.push(route) : route.continue()));
  const page = await context.newPage();
  await page.goto(stage.url(`?worker=off#/v1/configmaps?namespace=${ns}&filter=name%3Dm-*`));
  await total(page, 1);
  await pause(page).waitFor({ timeout: PATIENCE });
  await eventually('the code of records is requested', PATIENCE, () => held.length > 0);
  await page.keyboard.press('p');
  await bar(page).getByText('Nothing is recorded yet.').waitFor({ timeout: PATIENCE });
  isHeld = false;
  await Promise.all(held.map((route) => route.continue()));
  await bar(page).getByText('Live data continues in the background.').waitFor({ timeout: PATIENCE });
  assert.equal(await bar(page).getByRole('button', { name: 'Return to live', exact: true }).count(), 1);
  await create(map('m-b'));
  const other = await context.newPage();
  await other.goto(page.url());
  await total(other, 2);
  assert.equal(await grid(page).getAttribute('data-total'), '1');
  await page.keyboard.press('p');
  await total(page, 2);
  await context.close();
  await remove('m-a');
  await remove('m-b');
});

test('a paused page stands still, also when the changes since then are too many to be kept', options, async () => {
  const big = () => map('m-big', { noise: randomBytes(600_000).toString('base64') });
  await create(big());
  const page = await openMaps();
  await total(page, 1);
  await pause(page).click();
  await recorded(page);
  await bar(page).getByText('Live data continues in the background.').waitFor({ timeout: PATIENCE });
  const shown = () => bar(page).locator('.time').getAttribute('data-shown');
  const then = await shown();
  await create(map('m-later'));
  // The recording of a kind holds 8 MiB.
  for (let at = 0; at < 16; at++) await stage.kubectl(['replace', '--validate=false', '-f', '-'], JSON.stringify(big()));
  await create(map('m-last'));
  const other = await page.context().newPage();
  await other.goto(page.url());
  await total(other, 3);
  // The page learns of dropped changes within a second.
  await later(page);
  assert.deepEqual([await shown(), await grid(page).getAttribute('data-total')], [then, '1']);
  await page.context().close();
  for (const name of ['m-big', 'm-later', 'm-last']) await remove(name);
});

test('the slider goes back in time: rows, counts, filter and the open object are those of then', options, async () => {
  await create(map('m-x', { mode: 'slow' }));
  const page = await openMaps();
  await total(page, 1);
  await pause(page).click();
  await recorded(page);
  await later(page);
  const then = await page.evaluate(() => Math.floor(Date.now() / 1000) * 1000);
  await later(page);
  await patch('m-x', { mode: 'fast' });
  await create(map('m-y'), map('m-z'));
  await bar(page).getByRole('button', { name: 'Return to live', exact: true }).click();
  await total(page, 3);
  await slider(page).evaluate((slider, time) => {
    slider.value = time;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, then);
  await total(page, 1);
  // A filter applies to the past.
  await page.getByRole('combobox', { name: 'Filter' }).fill('name=m-y');
  await total(page, 0);
  await page.getByRole('combobox', { name: 'Filter' }).fill('name=m-*');
  await total(page, 1);
  // The open object is that of the past, too.
  await page.locator('.grid .canvas').getByText('m-x').click();
  await page.getByRole('tab', { name: 'YAML' }).click();
  await settled('the state of then', () => page.locator('#drawer-panel').textContent().then((text) => [text.includes('slow'), text.includes('fast')]), [true, false]);
  await bar(page).getByRole('button', { name: 'Return to live', exact: true }).click();
  await settled('the state of now', () => page.locator('#drawer-panel').textContent().then((text) => [text.includes('slow'), text.includes('fast')]), [false, true]);
  await total(page, 3);
  await page.close();
  for (const name of ['m-x', 'm-y', 'm-z']) await remove(name);
});

test('the tab of an object lists its changes, with the fields before and after', options, async () => {
  await create(map('m-o', { mode: 'slow' }));
  const page = await openMaps(`&object=${ns}%2Fm-o&tab=changes`);
  await page.getByText(/No changes since/).waitFor({ timeout: PATIENCE });
  await patch('m-o', { mode: 'fast' });
  await settled('the change', () => lines(page), ['Configuration | data.mode slow → fast']);
  await page.locator('.changes .line').click();
  const cells = page.locator('.details-of-change tbody tr');
  await settled('its fields', () => cells.evaluateAll((rows) => rows.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent))), [['.data.mode', 'slow', 'fast']]);
  // The manager of the field, and the server's time.
  await settled('its manager', () => cells.locator('.set-by').textContent().then((text) => /^kubectl-patch, \d\d:\d\d:\d\d$/.test(text) || text), true);
  // Another object of that name has other managers.
  await remove('m-o');
  await create(map('m-o', { mode: 'fast' }));
  const line = page.locator('.changes .line', { hasText: 'data.mode slow → fast' });
  for (const isOpen of ['false', 'true']) {
    await line.click();
    await settled('the line', () => line.getAttribute('aria-expanded'), isOpen);
  }
  await page.getByText('The object no longer exists, and with it the managers of its fields.').waitFor({ timeout: PATIENCE });
  // The button shows the page as it was just before the change.
  await page.getByRole('button', { name: 'Show the page just before' }).click();
  await bar(page).waitFor();
  await page.getByRole('tab', { name: 'YAML' }).click();
  await settled('the state of then', () => page.locator('#drawer-panel').textContent().then((text) => text.includes('mode: slow')), true);
  await page.close();
  await remove('m-o');
});

test('the screen of changes lists what changed in all kinds, finds, and hides a category', options, async () => {
  const page = await open(`#/changes?namespace=${ns}`);
  await openRecords(page);
  // Both kinds are among those that the screen records.
  const since = (kind) => page.locator('.records tr', { hasText: kind }).locator('td').first().textContent();
  await eventually('the config maps are recorded', PATIENCE, async () => /^\d\d:/.test(await since('ConfigMaps')));
  await create(map('m-1', { a: '1' }));
  await patch('m-1', { a: '2' });
  await remove('m-1');
  const of = `ConfigMap ${ns}/m-1`;
  await settled('all three', () => lines(page).then((all) => all.filter((line) => line.includes('m-1'))), [`Deleted | ${of} | deleted`, `Configuration | ${of} | data.a 1 → 2`, `Created | ${of} | created`]);
  await page.getByRole('searchbox', { name: 'Find changes' }).fill('m-1 CREATED');
  await settled('the found one', () => lines(page), [`Created | ${of} | created`]);
  await page.getByRole('searchbox', { name: 'Find changes' }).fill('m-1');
  await page.getByRole('button', { name: 'Deleted', exact: true }).click();
  await settled('without a category', () => lines(page), [`Configuration | ${of} | data.a 1 → 2`, `Created | ${of} | created`]);
  assert.deepEqual(await violations(page), []);
  // Enter opens a line by keyboard.
  await page.locator('.changes .line').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.details-of-change').waitFor();
  // The bar that the line opens returns the focus when it closes.
  await page.getByRole('button', { name: 'Show the page just after' }).click();
  await bar(page).getByRole('button', { name: 'Close, and return to live' }).click();
  await settled('the focus', () => page.evaluate(() => document.activeElement.tagName !== 'BODY'), true);
  await page.close();
});

test('a span of the chart is chosen by a drag, and its differences are one line for each object', options, async () => {
  const page = await open(`#/changes?namespace=${ns}`);
  await openRecords(page);
  await eventually('the config maps are recorded', PATIENCE, async () => /^\d\d:/.test(await page.locator('.records tr', { hasText: 'ConfigMaps' }).locator('td').first().textContent()));
  await page.getByRole('searchbox', { name: 'Find changes' }).fill('m-2');
  await later(page);
  await create(map('m-2', { a: '1' }));
  await patch('m-2', { a: '2' });
  await patch('m-2', { a: '3' });
  await settled('all three', () => lines(page).then((all) => all.length), 3);
  const plot = page.locator('.timeline-chart .u-over');
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 1, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 1, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.getByText(/^From \d\d:/).waitFor();
  await page.getByRole('checkbox', { name: /One line for each object/ }).check();
  await settled('one line', () => lines(page), [`Created | ConfigMap ${ns}/m-2 | created`]);
  await page.getByRole('button', { name: 'Show all times' }).click();
  await settled('all again', () => lines(page).then((all) => all.length), 3);
  await page.close();
  await remove('m-2');
});

test('the record of a kind outlasts a look at another kind', options, async () => {
  await create(map('m-k', { mode: 'slow' }));
  const page = await openMaps(`&object=${ns}%2Fm-k&tab=changes`);
  const since = (await page.getByText(/No changes since/).textContent({ timeout: PATIENCE })).match(/\d\d:\d\d:\d\d/)[0];
  const { hash } = new URL(page.url());
  await page.evaluate((ns) => (location.hash = `#/v1/services?namespace=${ns}`), ns);
  await page.locator('.grid[aria-label=Services]').waitFor({ timeout: PATIENCE });
  // Longer than the interval at which unused recordings are searched for (web/src/timeline/recorder.rs).
  await later(page, 7_000);
  await patch('m-k', { mode: 'fast' });
  await page.evaluate((hash) => (location.hash = hash), hash);
  await settled('the change of meanwhile', () => lines(page), ['Configuration | data.mode slow → fast']);
  // The recording is the old one: a new one would begin with the snapshot of the kind.
  await page.getByText(`Recorded by this page since ${since}.`).waitFor({ timeout: PATIENCE });
  await page.close();
  await remove('m-k');
});

test('of Secrets no value is recorded, and the page says that they are shown as they are now', options, async () => {
  const secret = (value) => JSON.stringify({ data: { token: Buffer.from(value).toString('base64') } });
  await stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: ns }, ...JSON.parse(secret('hush-1')) }));
  const page = await open(`#/v1/secrets?namespace=${ns}&filter=name%3Ds&object=${ns}%2Fs&tab=changes`);
  await page.getByText(/No changes since/).waitFor({ timeout: PATIENCE });
  await stage.kubectl(['patch', 'secret', 's', '-n', ns, '--type=merge', '-p', secret('hush-2')]);
  await settled('only that it changed', () => lines(page), ['Configuration | changed; its values are not recorded']);
  await page.close();
});

test('Forget deletes the records, and recording begins anew', options, async () => {
  const page = await open(`#/changes?namespace=${ns}`);
  await openRecords(page);
  await eventually('it is recorded', PATIENCE, async () => /^\d\d:/.test(await page.locator('.records tr', { hasText: 'ConfigMaps' }).locator('td').first().textContent()));
  await create(map('m-f'));
  await page.getByRole('searchbox', { name: 'Find changes' }).fill('m-f');
  await settled('it is listed', () => lines(page).then((all) => all.length), 1);
  await page.getByRole('button', { name: 'Delete the recorded changes' }).click();
  await settled('it is forgotten', () => lines(page).then((all) => all.length), 0);
  await remove('m-f');
  await settled('what happens from now on', () => lines(page), [`Deleted | ConfigMap ${ns}/m-f | deleted`]);
  await page.close();
});

for (const [width, scheme] of [[380, 'dark'], [1300, 'light']]) {
  test(`the bar and the screen are accessible, ${width} px wide, ${scheme}`, options, async () => {
    const page = await open(`#/v1/pods?namespace=${ns}`, { viewport: { width, height: 800 }, colorScheme: scheme });
    await page.keyboard.press('p');
    await bar(page).waitFor();
    assert.deepEqual(await violations(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the page');
    await page.keyboard.press('p');
    await page.keyboard.press('h');
    await page.getByRole('main', { name: 'Changes' }).waitFor();
    await page.locator('.records summary').waitFor();
    assert.deepEqual(await violations(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the page');
    await page.close();
  });
}
