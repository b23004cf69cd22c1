// Comparisons in the YAML tab: an earlier state against now, another object of the kind, and Secrets without their values.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const base64 = (text) => Buffer.from(text).toString('base64');
const create = (kind, name, data) =>
  stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace: 'compare' }, data }));
const patch = (kind, name, data) => stage.kubectl(['patch', kind, name, '-n', 'compare', '--type=merge', '-p', JSON.stringify({ data })]);

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'compare' } }));
  await create('ConfigMap', 'one', { mode: 'slow', same: 'same' });
  await create('ConfigMap', 'two', { mode: 'fast', same: 'same' });
  await create('Secret', 'first', { password: base64('hunter2'), same: base64('equal-in-both') });
  await create('Secret', 'second', { password: base64('swordfish'), same: base64('equal-in-both') });
});

async function open(resource, name) {
  const page = await stage.open(`#/v1/${resource}?namespace=compare&object=compare%2F${name}&tab=yaml`, { viewport: { width: 1400, height: 900 } });
  await page.locator('.yaml .line').first().waitFor({ timeout: PATIENCE });
  return page;
}

const choice = (page) => page.getByRole('combobox', { name: 'Compare with' });
const text = (page) => page.locator('.compared .comparison .cm-content').innerText();
const shows = (page, ...what) => eventually(`${what.join(', ')} in the comparison`, PATIENCE, async () => {
  const shown = await text(page).catch(() => '');
  return what.every((one) => one.test(shown)) && shown;
});

test('the state when the drawer was opened is compared with now, and stays live', options, async () => {
  const page = await open('configmaps', 'one');
  assert.deepEqual(await choice(page).locator('option').allTextContents(), ['Compare …', 'Another object …'], 'there is no earlier state yet');
  await patch('configmap', 'one', { mode: 'medium' });
  await choice(page).locator('option', { hasText: 'As opened' }).waitFor({ state: 'attached', timeout: PATIENCE });
  await choice(page).selectOption('0');
  await shows(page, /mode: slow/, /mode: medium/);
  await patch('configmap', 'one', { mode: 'quick' });
  await shows(page, /mode: slow/, /mode: quick/);
  await choice(page).locator('option').nth(3).waitFor({ state: 'attached', timeout: PATIENCE });
  await choice(page).selectOption('1');
  await shows(page, /mode: medium/, /mode: quick/);
  assert.doesNotMatch(await text(page), /mode: slow/);
  await page.getByRole('button', { name: 'Back to the YAML' }).click();
  await page.locator('.yaml .line').first().waitFor({ timeout: PATIENCE });
  await eventually('the focus is back on the choice', PATIENCE, () => choice(page).evaluate((choice) => document.activeElement === choice));
  await page.context().close();
});

test('another object is chosen by its name, by keyboard alone', options, async () => {
  const page = await open('configmaps', 'one');
  await choice(page).focus();
  await page.keyboard.press('ArrowDown');
  const name = page.getByRole('combobox', { name: 'Object to compare with' });
  await eventually('the name is asked for', PATIENCE, () => name.evaluate((name) => document.activeElement === name));
  await page.locator('#compared-names option[value="compare/two"]').waitFor({ state: 'attached', timeout: PATIENCE });
  await page.keyboard.type('nowhere');
  await page.keyboard.press('Enter');
  await page.getByText('compare/nowhere not found among the loaded objects.').waitFor({ timeout: PATIENCE });
  await name.fill('compare/two');
  await page.keyboard.press('Enter');
  await shows(page, /name: two/, /name: one/, /mode: fast/);
  await page.getByText('Removed lines are only in compare/two;').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('of Secrets it is seen whether values are equal, and no value', options, async () => {
  const page = await open('secrets', 'first');
  await choice(page).selectOption('object');
  const name = page.getByRole('combobox', { name: 'Object to compare with' });
  await name.fill('second');
  await name.press('Enter');
  const shown = await shows(page, /password: •+ \(9 bytes, one value\)/, /password: •+ \(7 bytes, another value\)/);
  assert.equal(shown.match(/same: •+ \(13 bytes\)/g)?.length ?? 1, 1, 'an equal value is one unchanged line, or folded');
  const held = await page.evaluate(() => {
    const roots = [document.documentElement, ...[...document.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot).filter(Boolean)];
    return roots.map((root) => root.innerHTML).join('\n');
  });
  for (const value of ['hunter2', 'swordfish', 'equal-in-both']) {
    for (const form of [value, base64(value)]) assert.ok(!held.includes(form), `the document holds ${form}`);
  }
  await page.context().close();
});

test('states of a Secret that differ only in their version are shown as equal', options, async () => {
  const page = await open('secrets', 'second');
  const add = (extra) => patch('secret', 'second', { extra });
  const states = (count) => choice(page).locator('option').nth(count + 1).waitFor({ state: 'attached', timeout: PATIENCE });
  await add(base64('more'));
  await states(1);
  await add(null);
  await states(2);
  await choice(page).selectOption('0');
  await page.getByText(/^No differences from the state of /).waitFor({ timeout: PATIENCE });
  await add(base64('again'));
  await page.getByText(/^Removed lines are only in the state of /).waitFor({ timeout: PATIENCE });
  await page.context().close();
});
