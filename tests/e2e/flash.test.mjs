// Flash: rows that events change, and new rows, are marked for a moment; nothing else marks them.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, cell, freshness, grid, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const ns = 'flash';
const names = Array.from({ length: 120 }, (_, at) => `map-${String(at).padStart(3, '0')}`);
const map = (name, data = { a: 'b' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns }, data });
const apply = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const patch = (name, data) => stage.kubectl(['patch', 'configmap', name, '-n', ns, '--type=merge', '-p', JSON.stringify({ data })]);

/** The values of the marks in the document, by row and cell. They stay until the element shows another row. */
const marks = (page) =>
  page.locator('.canvas [data-flash]').evaluateAll((all) =>
    all.map((one) => `${one.closest('[role=row]').dataset.key?.split('/')[1]}${one.dataset.column ? ` ${one.dataset.column}` : ''} ${one.dataset.flash}`).sort());

async function open(profile) {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}&filter=map`, { viewport: { width: 1000, height: 600 }, ...profile });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
  await row(page, `${ns}/map-000`).waitFor({ timeout: PATIENCE });
  return page;
}

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', 'namespace', ns]);
  await apply(...names.map((name) => map(name)));
});

test('a changed cell and a new row are marked, each time again, and nothing at the first load', options, async () => {
  const page = await open();
  assert.deepEqual(await marks(page), []);
  await patch('map-002', { c: 'd' });
  await settled('the row and the cell', () => marks(page), ['map-002 Data cell-a', 'map-002 row-a']);
  assert.equal(await cell(page, `${ns}/map-002`, 'Data').innerText(), '2');
  const animation = (of) => of.evaluate((element) => getComputedStyle(element).animationName);
  assert.equal(await animation(row(page, `${ns}/map-002`)), 'flash-a');
  await patch('map-002', { e: 'f' });
  await settled('once more, from the begin', () => marks(page), ['map-002 Data cell-b', 'map-002 row-b']);
  assert.equal(await animation(cell(page, `${ns}/map-002`, 'Data')), 'flash-b');
  await apply(map('map-003-new'));
  await settled('the new row', async () => (await marks(page)).filter((mark) => mark.includes('new')), ['map-003-new new-a']);
  await page.context().close();
});

test('a scroll, another order and another filter mark no row', options, async () => {
  const page = await open();
  const places = () => page.evaluate(() => document.querySelector('.canvas [role=row][data-key]:not([hidden])')?.dataset.key);
  await grid(page).evaluate((grid) => grid.scrollTo({ top: 1500 }));
  await row(page, `${ns}/map-055`).waitFor();
  await grid(page).evaluate((grid) => grid.scrollTo({ top: 0 }));
  await row(page, `${ns}/map-001`).waitFor();
  assert.deepEqual(await marks(page), []);
  await page.locator('.head [data-header=Name] button').click();
  await row(page, `${ns}/map-119`).waitFor();
  assert.deepEqual(await marks(page), [], `another order: ${await places()}`);
  await page.getByRole('combobox', { name: 'Filter' }).fill('map-01');
  await settled('the rows of the filter', () => grid(page).getAttribute('data-total'), '10');
  await page.getByRole('combobox', { name: 'Filter' }).fill('map');
  await row(page, `${ns}/map-119`).waitFor();
  assert.deepEqual(await marks(page), []);
  // An element that shows another row loses its mark.
  await patch('map-119', { z: 'z' });
  await settled('a change', async () => (await marks(page)).length, 2);
  await grid(page).evaluate((grid) => grid.scrollTo({ top: grid.scrollHeight }));
  await row(page, `${ns}/map-000`).waitFor();
  await settled('no mark is left', () => marks(page), []);
  await page.context().close();
});

test('the flash is switched off in the panel of the columns, for the next visit too', options, async () => {
  const page = await open();
  await page.keyboard.press('C');
  const choice = page.getByRole('checkbox', { name: 'Flash rows that change' });
  await choice.click();
  assert.equal(await page.evaluate(() => localStorage.getItem('kube-informer.flash')), 'off');
  await page.keyboard.press('Escape');
  await patch('map-004', { c: 'd' });
  await settled('the change', () => cell(page, `${ns}/map-004`, 'Data').innerText(), '2');
  assert.deepEqual(await marks(page), []);
  await page.reload();
  await page.getByRole('button', { name: 'Columns', exact: true }).click({ timeout: PATIENCE });
  assert.equal(await choice.isChecked(), false);
  await choice.click();
  await patch('map-004', { e: 'f' });
  await settled('the change is marked', async () => (await marks(page)).length, 2);
  await page.context().close();
});

test('with reduced motion there is no animation to see', options, async () => {
  const page = await open({ reducedMotion: 'reduce' });
  await patch('map-006', { c: 'd' });
  await settled('the mark', async () => (await marks(page)).length, 2);
  const duration = await row(page, `${ns}/map-006`).evaluate((element) => Number.parseFloat(getComputedStyle(element).animationDuration));
  assert.ok(duration < 0.001, `${duration} s`);
  await page.context().close();
});
