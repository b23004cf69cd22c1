// Saved sets of namespaces and saved views: named, offered in the chooser and in the palette, for the next visit and other tabs.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, freshness, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const [a, b] = ['saved-a', 'saved-b'];
before(async () => {
  if (stage.unavailable) return;
  for (const name of [a, b]) await stage.kubectl(['create', 'namespace', name]);
});

const list = (page) => page.locator('#namespaces');
const option = (page, text) => list(page).locator('[role=option]').filter({ hasText: text });
const sets = (page) => list(page).locator('[role=option]:has(.remove) .name').allInnerTexts();
const palette = (page) => page.getByRole('combobox', { name: /Find a kind, a namespace/ });
const entry = (page, text) => page.locator('#palette-list [role=option]').filter({ hasText: text });
const views = (page) => page.locator('#palette-list [role=option]:has(.remove) > span:first-child').allInnerTexts();
const dialog = (page) => page.getByRole('dialog', { name: /^Save/ });
const isAt = (page, expected) => settled('the address', () => page.evaluate(() => location.hash), expected);
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('role') ?? document.activeElement.tagName);

async function open(hash = '#/v1/secrets', { beside, profile, prepare } = {}) {
  let page;
  if (beside) {
    page = await beside.context().newPage();
    await page.goto(beside.url().replace(/#.*/, hash));
  } else page = await stage.open(hash, profile, {}, prepare);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.bar [aria-label="Command palette"]').waitFor({ timeout: PATIENCE });
  return page;
}

async function openList(page) {
  await page.keyboard.press('n');
  await option(page, b).first().waitFor({ timeout: PATIENCE });
}

/** Types into the palette, and chooses the entry. */
async function command(page, text) {
  await openPalette(page, text);
  await page.locator('#palette-list [aria-selected=true]', { hasText: text }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached', timeout: PATIENCE });
}
async function openPalette(page, text) {
  await page.keyboard.press(':');
  await palette(page).waitFor({ timeout: PATIENCE });
  await page.keyboard.type(text);
}

/** Saves under a name in the open dialog. */
async function name(page, text) {
  await dialog(page).waitFor({ timeout: PATIENCE });
  await settled('the box has the focus', () => focused(page), 'INPUT');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}
const isClosed = (page) => dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });

test('a set is saved in the list, chosen by Enter, followed by other tabs, and removed', options, async () => {
  const page = await open(`#/v1/secrets?namespace=${a},${b}`);
  const other = await open('#/v1/secrets', { beside: page });
  await openList(page);
  await page.keyboard.press('ArrowUp');
  await list(page).locator('.active', { hasText: 'Save these as a set…' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Enter');
  await dialog(page).getByText(`${a}, ${b}`).waitFor({ timeout: PATIENCE });
  await name(page, 'team-<a>');
  await isClosed(page);
  await settled('the focus is on the rows', () => focused(page), 'grid');

  await openList(other);
  await settled('the other tab has it', () => sets(other), ['team-<a>']);
  await other.keyboard.type('team');
  await list(other).locator('.active', { hasText: 'team-<a>' }).waitFor({ timeout: PATIENCE });
  await other.keyboard.press('Enter');
  await isAt(other, `#/v1/secrets?namespace=${a},${b}`);

  await page.reload();
  await page.locator('.bar [aria-label="Command palette"]').waitFor({ timeout: PATIENCE });
  await openList(page);
  await list(page).locator('.active', { hasText: 'team-<a>' }).waitFor({ timeout: PATIENCE });
  assert.equal(await option(page, 'team-<a>').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Delete');
  await settled('it is removed', () => sets(page), []);
  await openList(other);
  await settled('in the other tab, too', () => sets(other), []);
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('sets'))), []);
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);
  await page.context().close();
});

test('a set is removed by its button, and the palette has it', options, async () => {
  const page = await open(`#/v1/secrets?namespace=${a},${b}`);
  await command(page, 'Save the namespaces as a set');
  await name(page, 'both');
  await isClosed(page);
  await page.evaluate(() => (location.hash = '#/v1/secrets'));
  await command(page, 'both');
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);
  await openPalette(page, 'po both');
  await entry(page, 'Pods in both').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Enter');
  await isAt(page, `#/v1/pods?namespace=${a},${b}`);
  await openList(page);
  await option(page, 'both').locator('.remove').click();
  await settled('it is removed', () => sets(page), []);
  assert.equal(await list(page).isVisible(), true, 'the list stays open');
  await page.context().close();
});

test('a view is the address without its object; the palette saves, shows and removes it', options, async () => {
  const address = `#/v1/secrets?namespace=${a},${b}&filter=type%3DOpaque&sort=age-desc&columns=name,age`;
  const page = await open(address);
  const other = await open('#/v1/nodes', { beside: page });
  await command(page, 'Save this view');
  await name(page, 'Opaque ones');
  await isClosed(page);
  await openPalette(other, 'view');
  await settled('the other tab has it', () => views(other), ['View: Opaque ones']);
  await entry(other, 'View: Opaque ones').getByText(`secrets · ${a}, ${b} · type=Opaque`).waitFor();
  await other.keyboard.press('Enter');
  await isAt(other, address);
  await settled('the filter is in its box', () => other.getByRole('combobox', { name: 'Filter' }).inputValue(), 'type=Opaque');

  await page.reload();
  await page.locator('.bar [aria-label="Command palette"]').waitFor({ timeout: PATIENCE });
  await openPalette(page, 'opaque');
  await settled('it is stored', () => views(page), ['View: Opaque ones']);
  await page.keyboard.press('Delete');
  await settled('it is removed', () => views(page), []);
  await page.keyboard.press('Escape');
  await page.context().close();
});

test('a name that exists is replaced only after a question', options, async () => {
  const page = await open('#/v1/secrets');
  const stored = () => page.evaluate(() => localStorage.getItem('kube-informer.views'));
  await command(page, 'Save this view');
  await name(page, 'mine');
  await isClosed(page);
  await page.evaluate(() => (location.hash = '#/v1/nodes'));
  await command(page, 'Save this view');
  await name(page, ' mine ');
  await dialog(page).getByRole('alert').filter({ hasText: 'There is a view named mine. Replace it?' }).waitFor({ timeout: PATIENCE });
  assert.deepEqual(JSON.parse(await stored()), [['mine', '#/v1/secrets']], 'the saved view is not replaced without a confirmation');
  await page.keyboard.type('2');
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await dialog(page).getByRole('button', { name: 'Replace' }).click();
  await isClosed(page);
  assert.deepEqual(JSON.parse(await stored()), [['mine', '#/v1/nodes']]);
  await command(page, 'Save this view');
  await dialog(page).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await isClosed(page);
  await openPalette(page, 'mine');
  await entry(page, 'View: mine').locator('.remove').click();
  await settled('it is removed', stored, null);
  await page.context().close();
});

test('a full storage is said, and nonsense in it is no entry', options, async () => {
  const refuse = () => {
    const set = Storage.prototype.setItem;
    Storage.prototype.setItem = function (name, value) {
      if (name.includes('views') && value.includes('too much')) throw new DOMException('full', 'QuotaExceededError');
      set.call(this, name, value);
    };
    localStorage.setItem('kube-informer.namespace-sets', '[["odd"],{"a":1},');
    localStorage.setItem('kube-informer.views', JSON.stringify([['<img src=x onerror=alert(1)>', '#/../x'], ['\u202eevil', '#/v1/nodes?object=x&tab=yaml']]));
  };
  const page = await open('#/v1/secrets', { prepare: (page) => page.addInitScript(refuse) });
  await openList(page);
  assert.deepEqual(await sets(page), []);
  await page.keyboard.press('Escape');
  await openPalette(page, 'view:');
  await settled('hostile names are text', () => views(page), ['View: <img src=x onerror=alert(1)>', 'View: \\u202eevil']);
  assert.equal(await entry(page, '<img').getAttribute('aria-disabled'), 'true', 'a view with an invalid address cannot be chosen');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await isAt(page, '#/v1/nodes');
  await command(page, 'Save this view');
  await name(page, 'too much');
  await dialog(page).getByRole('alert').filter({ hasText: 'the browser refused to store it' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the dialog has no violations of accessibility, also on a phone', options, async () => {
  const page = await open(`#/v1/secrets?namespace=${a},${b}`, { profile: { viewport: { width: 380, height: 700 }, bypassCSP: true } });
  await command(page, 'Save this view');
  await dialog(page).waitFor({ timeout: PATIENCE });
  assert.deepEqual(await violations(page), []);
  await page.context().close();
});
