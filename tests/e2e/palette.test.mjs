// Command palette: kinds, namespaces, actions and objects that match the typed text, by keyboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, before, test } from 'node:test';
import { dialog, ends, mark, press } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, row, setStage, settled } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'palette';
const { create, get, report, object, begin } = objectsIn(stage, ns);
// A name with markup and a character that reverses the text after it.
const hostile = '<img src=x onerror=alert(1)>\u202egnp';
let uid;

before(async () => {
  if (stage.unavailable) return;
  await begin();
  const spec = { containers: [{ name: 'main', image: 'registry.example/cart:7' }] };
  await create(object('v1', 'Pod', 'cart', { metadata: { labels: { team: 'checkout' } }, spec }));
  await report('pod', 'cart', { phase: 'Running', podIP: '10.99.7.1', podIPs: [{ ip: '10.99.7.1' }] });
  await create(object('v1', 'ConfigMap', 'cart-settings'), object('v1', 'ConfigMap', 'cart-words'));
  await create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: hostile }, rules: [] });
  uid = (await get('pod', 'cart')).metadata.uid;
});

const box = (page) => page.getByRole('combobox', { name: /Find a kind, a namespace/ });
const option = (page, name) => page.locator('#palette-list [role=option]').filter({ hasText: name });
const active = (page) => page.evaluate(() => document.getElementById(document.querySelector('dialog [role=combobox]').getAttribute('aria-activedescendant'))?.innerText.replace(/\s+/g, ' '));
const isActive = (page, text) => settled(`${text} is the active entry`, async () => (await active(page))?.startsWith(text) ?? false, true);
const isAt = (page, hash) => eventually(`the address is ${hash}`, PATIENCE, () => page.evaluate((hash) => location.hash === hash, hash));
const isClosed = (page) => box(page).waitFor({ state: 'detached', timeout: PATIENCE });

async function open(hash = '#/v1/pods', profile) {
  const page = await stage.open(hash, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.navigation a', { hasText: 'Deployments' }).waitFor({ state: 'attached', timeout: PATIENCE });
  return page;
}

async function openPalette(page, key = ':') {
  await page.keyboard.press(key);
  await box(page).waitFor({ timeout: PATIENCE });
  await eventually('the box has the focus', PATIENCE, () => box(page).evaluate((box) => box === document.activeElement));
}

async function search(page, text) {
  await openPalette(page);
  await page.keyboard.type(text);
}

test('a colon and Ctrl K open it, Escape closes it, and the focus returns', options, async () => {
  const page = await open();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName);
  await page.keyboard.press('/');
  await page.keyboard.type('cart');
  await openPalette(page, 'Control+k');
  await page.keyboard.press('Control+k');
  assert.equal(await page.getByRole('dialog').count(), 1, 'no second palette opens over a dialog');
  await page.keyboard.press('Escape');
  await isClosed(page);
  assert.equal(await focused(), 'Filter');
  await page.keyboard.press('End');
  await page.keyboard.type(':');
  await settled('a colon is typed into a box', () => page.evaluate(() => document.activeElement.value), 'cart:');
  await page.context().close();
  const other = await open();
  await other.locator('[role=grid]').focus();
  await openPalette(other, 'Meta+k');
  await other.keyboard.press('Escape');
  await isClosed(other);
  assert.equal(await other.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await other.context().close();
});

test('its button opens it, also by touch in a small window', options, async () => {
  const page = await stage.open('#/v1/pods', { viewport: { width: 380, height: 700 }, hasTouch: true });
  const button = page.getByRole('button', { name: 'Command palette' });
  await button.tap({ timeout: PATIENCE });
  await box(page).waitFor({ timeout: PATIENCE });
  await option(page, 'Deployments').first().tap({ timeout: PATIENCE });
  await isAt(page, '#/apps/v1/deployments');
  await isClosed(page);
  await page.context().close();
});

test('the kind of a short name comes first, and a kind with a namespace is found as in k9s', options, async () => {
  const page = await open('#/v1/configmaps');
  await search(page, 'po');
  await isActive(page, 'Pods po');
  await page.keyboard.press('Enter');
  await isAt(page, '#/v1/pods');
  await isClosed(page);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid', 'the focus is on the rows');
  await search(page, ':deploy palet');
  await isActive(page, `Deployments in ${ns}`);
  await page.keyboard.press('Enter');
  await isAt(page, `#/apps/v1/deployments?namespace=${ns}`);
  await search(page, 'all namesp');
  await isActive(page, 'All namespaces');
  await page.keyboard.press('Enter');
  await isAt(page, '#/apps/v1/deployments');
  await search(page, 'overv');
  await isActive(page, 'Overview');
  await page.keyboard.press('Enter');
  await isAt(page, '#/overview');
  await page.context().close();
});

test('the keys move in the list', options, async () => {
  const page = await open();
  await openPalette(page);
  const all = await page.locator('#palette-list [role=option]').count();
  const at = (number) => settled('the active entry', () => page.evaluate(() => document.querySelector('dialog [role=combobox]').getAttribute('aria-activedescendant')), `palette-${number}`);
  await at(0);
  for (const [key, number] of [['ArrowDown', 1], ['PageDown', 11], ['PageUp', 1], ['ArrowUp', 0], ['ArrowUp', all - 1], ['ArrowDown', 0], ['End', all - 1], ['Home', 0]]) {
    await page.keyboard.press(key);
    await at(number);
  }
  await page.getByRole('status').filter({ hasText: `${all} results` }).waitFor({ state: 'attached', timeout: PATIENCE });
  await page.keyboard.type('no such thing anywhere');
  await page.getByText('Nothing found.').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a pod is found by name, label, uid, IP and image, and opened', options, async () => {
  const page = await open();
  await row(page, `${ns}/cart`).waitFor({ timeout: PATIENCE });
  await openPalette(page);
  for (const [text, note] of [['palette/car', ''], ['team=checkout', 'label team=checkout'], ['checkout', 'label team=checkout'], ['10.99.7', 'IP 10.99.7.1'], ['example/cart', 'image registry.example/cart:7'], [uid, `uid ${uid}`]]) {
    await box(page).fill(text);
    await option(page, `${ns}/cart${note}`).or(option(page, `${ns}/cart`).filter({ hasText: note })).first().waitFor({ timeout: PATIENCE });
  }
  await isActive(page, `${ns}/cart`);
  await page.keyboard.press('Enter');
  await isAt(page, `#/v1/pods?object=${ns}%2Fcart`);
  await eventually('the panel has the focus', PATIENCE, () => page.evaluate(() => !!document.activeElement.closest('.drawer')));
  await page.context().close();
});

test('after a pause other kinds are searched, a hostile name is text, and their informers end', options, async () => {
  const page = await open();
  await search(page, 'cart-sett');
  await option(page, `${ns}/cart-settings`).waitFor({ timeout: PATIENCE });
  await box(page).fill('onerror=alert');
  await option(page, '<img src=x onerror=alert(1)>').waitFor({ timeout: PATIENCE });
  assert.match(await active(page), /U\+202E|\\u\{?202e/i, 'the invisible character is shown');
  assert.equal(await page.locator('#palette-list img').count(), 0);
  const summary = page.locator('.palette-progress summary');
  await eventually('all kinds are searched', PATIENCE, async () => {
    const [, searched, all] = /Objects of (\d+) of (\d+) kinds/.exec(await summary.innerText()) ?? [];
    return searched !== undefined && searched === all;
  });
  await page.keyboard.press('Enter');
  await isAt(page, `#/rbac.authorization.k8s.io/v1/clusterroles?object=${encodeURIComponent(hostile).replace(/[()]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`);
  await page.context().close();
});

test('a key that a closed dialog receives before its close event is the page\'s', options, async () => {
  const page = await open(`#/v1/configmaps?namespace=${ns}`);
  await search(page, 'help');
  await isActive(page, 'Help');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Help' }).waitFor({ timeout: PATIENCE });
  await page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]');
    dialog.close();
    dialog.querySelector('button').dispatchEvent(new KeyboardEvent('keydown', { key: ':', bubbles: true, cancelable: true }));
  });
  await box(page).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the actions of the open object and of marked rows are there, by keyboard', options, async () => {
  const page = await open(`#/v1/configmaps?namespace=${ns}&object=${ns}%2Fcart-settings`);
  await page.locator('.drawer [aria-haspopup=menu]:not(:disabled)').waitFor({ timeout: PATIENCE });
  await search(page, 'delete');
  await isActive(page, 'Delete … ConfigMap cart-settings');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('heading', { name: /Delete/ }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: PATIENCE });
  await search(page, 'help');
  await isActive(page, 'Help');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Help' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: PATIENCE });
  // The marked rows come before the open object.
  await mark(page, `${ns}/cart-settings`, `${ns}/cart-words`);
  await search(page, 'labels');
  await isActive(page, 'Labels and annotations … 2 ConfigMaps');
  await page.keyboard.press('Enter');
  await dialog(page).getByRole('heading', { name: 'Labels and annotations: 2 ConfigMaps' }).waitFor({ timeout: PATIENCE });
  await dialog(page).getByLabel('Labels', { exact: true }).fill('by=palette');
  await press(page, 'Save');
  await ends(page, 'Complete: 2 of 2 done.');
  for (const name of ['cart-settings', 'cart-words']) assert.deepEqual((await get('configmap', name)).metadata.labels, { by: 'palette' });
  await page.context().close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`it is accessible and fits any width, ${colorScheme}`, options, async () => {
    // The page's policy would block axe's script.
    const page = await open('#/v1/pods', { bypassCSP: true, colorScheme, viewport: { width: 1280, height: 900 } });
    await page.evaluate(await readFile(axe, 'utf8'));
    await openPalette(page);
    for (const text of ['', 'cart']) {
      await box(page).fill(text);
      if (text) await option(page, `${ns}/cart-settings`).waitFor({ timeout: PATIENCE });
      for (const width of [380, 1280, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = () => page.evaluate(() => [document.documentElement, document.querySelector('dialog[open]'), document.querySelector('#palette-list')].filter((element) => element.scrollWidth > element.clientWidth).length);
        await settled(`nothing scrolls sideways at ${width}`, wide, 0);
        const found = await page.evaluate(async () => {
          const { violations } = await window.axe.run(document.querySelector('dialog[open]'));
          return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
        });
        assert.deepEqual(found, [], `${width}`);
        if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/palette-${text}-${colorScheme}-${width}.png` });
      }
    }
    await page.context().close();
  });
}

test('the object beside the table may leave while the palette lists its actions', options, async () => {
  const page = await open(`#/v1/configmaps?namespace=${ns}`);
  await row(page, `${ns}/cart-words`).click();
  await page.locator('.drawer').waitFor();
  await openPalette(page);
  await option(page, 'Labels and annotations').waitFor({ timeout: PATIENCE });
  // The drawer closes, as by a link to another page or the browser's own Back key.
  await page.evaluate(() => history.back());
  await page.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  // The new namespace makes the palette compute its entries again.
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'palette-latecomer' } });
  await page.keyboard.type('latecomer');
  await option(page, 'palette-latecomer').first().waitFor({ timeout: PATIENCE });
  await page.context().close();
});
