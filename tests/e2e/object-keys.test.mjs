// Object keys: one key from a row, or from the open object, to a tab, the editor, the confirmation of a deletion, or the actions.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { closes, dialog, isFocused, mark, press } from '../support/actions.mjs';
import { text } from '../support/editor.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'object-keys';
const { create, all, report, object, begin } = objectsIn(stage, ns);

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create(object('v1', 'Pod', 'web', { spec: { nodeName: 'a', containers: [{ name: 'main', image: 'web' }] } }));
  // Otherwise its log is an error of the browser's console.
  const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
  await report('pod', 'web', { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 0, ready: true, image: 'web', imageID: '', state }] });
  await create(...['a', 'b', 'c', 'd'].map((name) => object('v1', 'ConfigMap', name, { data: { mode: 'slow' } })));
});

/** Opens a list whose first row is the current one. */
async function open(kind, hash = '') {
  const page = await stage.open(`#/${kind}?namespace=${ns}${hash}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await page.keyboard.press('Home');
  return page;
}

const tab = (page, name) => page.locator(`.drawer #tab-${name}[aria-selected=true]`).waitFor({ timeout: PATIENCE });
const isInDrawer = (page) => isFocused(page, 'the drawer', () => document.activeElement.closest('.drawer') !== null);
const title = (page, name) => dialog(page).getByRole('heading', { name }).waitFor({ timeout: PATIENCE });

/** Presses Delete, and cancels the confirmation that has this title. */
async function asksAndCancels(page, name) {
  await page.keyboard.press('Delete');
  await title(page, name);
  await press(page, 'Cancel');
  await closes(page);
}

async function escape(page) {
  await page.keyboard.press('Escape');
  await page.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  await isFocused(page, 'the grid', () => document.activeElement.getAttribute('role') === 'grid');
}

test('letters open a tab of the current row, and Escape returns to the row', options, async () => {
  const page = await open('v1/pods');
  for (const [key, name] of [['y', 'yaml'], ['l', 'logs'], ['s', 'shell'], ['d', 'summary']]) {
    await page.keyboard.press(key);
    await tab(page, name);
    await isInDrawer(page);
    // On the open object they change the tab.
    await page.keyboard.press('y');
    await tab(page, 'yaml');
    await page.keyboard.press(key);
    await tab(page, name);
    await escape(page);
  }
  // A key shows its tab also if its button kept the focus while Back showed another one.
  await page.keyboard.press('y');
  await tab(page, 'yaml');
  await page.keyboard.press('d');
  await tab(page, 'summary');
  await page.keyboard.press('[');
  await tab(page, 'yaml');
  await page.keyboard.press('d');
  await tab(page, 'summary');
  await escape(page);
  // Enter opens a shell.
  const isOnOpen = () => isFocused(page, 'the button Open', () => document.activeElement.textContent === 'Open');
  await page.keyboard.press('s');
  await isOnOpen();
  await page.locator('#tab-shell').focus();
  await page.keyboard.press('s');
  await isOnOpen();
  await page.context().close();
});

test('a tab that the kind does not have is not opened, and a box takes its letters', options, async () => {
  const page = await open('v1/configmaps');
  for (const key of ['l', 's']) await page.keyboard.press(key);
  await page.keyboard.press('/');
  await page.keyboard.type('delay');
  assert.equal(await page.getByRole('combobox', { name: 'Filter' }).inputValue(), 'delay');
  assert.equal(await page.locator('.drawer').count(), 0);
  await page.context().close();
});

test('e edits the row, and the open object', options, async () => {
  const page = await open('v1/configmaps');
  for (const where of ['the row', 'the open object']) {
    await page.keyboard.press('e');
    await eventually(`the editor of ${where}`, PATIENCE, async () => /name: a/.test(await text(page)));
    await press(page, 'Close');
    await closes(page);
  }
  await page.context().close();
});

test('Delete asks before it deletes: the row, and all marked rows', options, async () => {
  const page = await open('v1/configmaps');
  await asksAndCancels(page, 'Delete: ConfigMap');
  await escape(page);
  assert.equal((await all('configmaps')).filter(({ metadata }) => metadata.name.length === 1).length, 4);

  await page.keyboard.press('Delete');
  await title(page, 'Delete: ConfigMap');
  await press(page, 'Delete');
  await eventually('a is deleted', PATIENCE, async () => !(await all('configmaps')).some(({ metadata }) => metadata.name === 'a'));
  await closes(page);
  await escape(page);

  await mark(page, `${ns}/b`, `${ns}/c`);
  await asksAndCancels(page, 'Delete: 2 ConfigMaps');
  await page.context().close();
});

test('a opens the actions of the row', options, async () => {
  const page = await open('v1/configmaps');
  await page.keyboard.press('a');
  await isFocused(page, 'the first action', () => document.activeElement.dataset.action === 'Edit');
  await page.keyboard.press('Escape');
  await page.locator('.drawer [role=menu]').waitFor({ state: 'hidden', timeout: PATIENCE });
  await page.context().close();
});

test('with marked rows, the panel has its own object, and other screens have none', options, async () => {
  const page = await open('v1/configmaps', `&object=${ns}%2Fd`);
  await mark(page, `${ns}/b`, `${ns}/c`);
  await page.locator('#tab-yaml').focus();
  await asksAndCancels(page, 'Delete: ConfigMap d');
  await page.keyboard.press('f');
  await page.locator('.drawer.full').waitFor({ timeout: PATIENCE });
  await asksAndCancels(page, 'Delete: ConfigMap d');
  await page.keyboard.press('o');
  await page.locator('main.overview').waitFor({ timeout: PATIENCE });
  for (const key of ['Delete', 'e', 'a', 'd']) await page.keyboard.press(key);
  // The palette opens after these keys were handled.
  await page.keyboard.press(':');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor({ timeout: PATIENCE });
  assert.deepEqual([await page.locator('dialog[open]').count(), await page.locator('.menu:not([hidden])').count()], [1, 0]);
  await page.context().close();
});

test('a command for an object that does not exist is cancelled by Escape', options, async () => {
  const page = await open('v1/configmaps', `&object=${ns}%2Flater`);
  await page.getByText('This object does not exist.').first().waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Delete');
  const menu = page.locator('.drawer [role=menu]');
  await menu.getByText('Loading …').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden', timeout: PATIENCE });
  await create(object('v1', 'ConfigMap', 'later', { data: {} }));
  await page.locator('.drawer dt', { hasText: /^Created$/ }).waitFor({ timeout: PATIENCE });
  // The button opens the menu as a menu: nothing is left of the command.
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click();
  await isFocused(page, 'the first action', () => document.activeElement.dataset.action === 'Edit');
  assert.equal(await dialog(page).count(), 0);
  await page.context().close();
});

test('a command that is not allowed opens the menu with the reason', options, async () => {
  const denied = (route) => route.fulfill({ status: 201, json: { ...route.request().postDataJSON(), status: { allowed: false, reason: 'no', resourceRules: [], nonResourceRules: [], incomplete: false } } });
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}`, {}, {}, (page) => page.route(/selfsubject(access|rules)reviews/, denied));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await page.keyboard.press('Home');
  await page.keyboard.press('e');
  await page.locator('.drawer [role=menuitem][data-action=Edit][aria-disabled=true] small').waitFor({ timeout: PATIENCE });
  await isFocused(page, 'the menu', () => document.activeElement.getAttribute('role') === 'menuitem');
  assert.equal(await dialog(page).count(), 0);
  await page.context().close();
});
