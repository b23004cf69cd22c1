// Flash: rows that events change, and new rows, are marked for a moment; nothing else marks them.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, cell, eventually, freshness, grid, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const ns = 'flash';
const names = Array.from({ length: 120 }, (_, at) => `map-${String(at).padStart(3, '0')}`);
const map = (name, data = { a: 'b' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns }, data });
const apply = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const patch = (name, data) => stage.kubectl(['patch', 'configmap', name, '-n', ns, '--type=merge', '-p', JSON.stringify({ data })]);

/** In the page: records the marks of rows and cells, which fade within a second, and the steps of the rows. */
function recordMarks() {
  window.marks = [];
  const record = ({ target, attributeName, oldValue }) => {
    const value = target.getAttribute(attributeName);
    // A mark that replaces an earlier one is removed first.
    if (value === null || value === oldValue) return;
    const { key } = target.closest('[role=row]').dataset;
    window.marks.push([key?.split('/')[1], target.dataset.column, attributeName === 'data-flash' ? value : `step ${value}`].filter(Boolean).join(' '));
  };
  new MutationObserver((records) => records.forEach(record)).observe(document, { attributeFilter: ['data-flash', 'data-flash-step'], attributeOldValue: true, subtree: true });
}

/** The marks since the last call. */
const marks = (page) => page.evaluate(() => window.marks.splice(0).filter((mark) => !mark.includes('step')).sort());
/** Waits for as many marks as expected, which are the only ones. */
async function marked(page, what, expected) {
  await eventually(what, PATIENCE, () => page.evaluate((count) => window.marks.filter((mark) => !mark.includes('step')).length >= count, expected.length));
  assert.deepEqual(await marks(page), expected, what);
}

async function open(profile) {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}&filter=map`, { viewport: { width: 1000, height: 600 }, ...profile }, {}, (page) => page.addInitScript(recordMarks));
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
  await marked(page, 'the row and the cell', ['map-002 Data cell', 'map-002 row']);
  assert.equal(await cell(page, `${ns}/map-002`, 'Data').innerText(), '2');
  await patch('map-002', { e: 'f' });
  await marked(page, 'once more', ['map-002 Data cell', 'map-002 row']);
  await apply(map('map-003-new'));
  await marked(page, 'the new row', ['map-003-new new']);
  await page.context().close();
});

test('a mark fades in steps over the background, and ends', options, async () => {
  const page = await open();
  await page.evaluate(() => {
    window.seen = [];
    new MutationObserver(([{ target }]) => window.seen.push(getComputedStyle(target).backgroundImage)).observe(document, { attributeFilter: ['data-flash-step'], subtree: true });
  });
  await patch('map-008', { c: 'd' });
  await settled('the steps', () => page.evaluate(() => window.marks.filter((mark) => mark.includes('step'))), ['1', '2', '3'].map((step) => `map-008 step ${step}`));
  await settled('the mark has ended', () => page.locator('.canvas').locator('[data-flash], [data-flash-step]').count(), 0);
  const seen = (await page.evaluate(() => window.seen)).slice(0, 3);
  assert.ok(seen.every((image) => image.startsWith('linear-gradient')) && new Set(seen).size === 3, seen.join('\n'));
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
  await marked(page, 'a change', ['map-119 Data cell', 'map-119 row']);
  await grid(page).evaluate((grid) => grid.scrollTo({ top: grid.scrollHeight }));
  await row(page, `${ns}/map-000`).waitFor();
  await settled('no mark is left', () => page.locator('.canvas [data-flash]').count(), 0);
  assert.deepEqual(await marks(page), []);
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
  await marked(page, 'the change', ['map-004 Data cell', 'map-004 row']);
  await page.context().close();
});

test('with reduced motion there is no mark to see', options, async () => {
  const page = await open({ reducedMotion: 'reduce' });
  await page.evaluate(() => {
    new MutationObserver(([{ target }]) => (window.background ??= getComputedStyle(target).backgroundImage)).observe(document, { attributeFilter: ['data-flash'], subtree: true });
  });
  await patch('map-006', { c: 'd' });
  await settled('the background', () => page.evaluate(() => window.background), 'none');
  await page.context().close();
});
