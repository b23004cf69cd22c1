// Several namespaces at once: in the address, by marks in the list, by typing; in the table and on the other screens.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, grid, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const [a, b, c] = ['several-a', 'several-b', 'several-c'];
const kubectl = (...args) => stage.kubectl(args);
const secret = (namespace, name) => kubectl('create', 'secret', 'generic', name, `--namespace=${namespace}`);
const run = (namespace, name) => kubectl('run', name, `--namespace=${namespace}`, '--image=pause', '--restart=Never');

before(async () => {
  if (stage.unavailable) return;
  for (const [at, name] of [a, b, c].entries()) {
    await kubectl('create', 'namespace', name);
    for (let number = 0; number <= at; number += 1) await secret(name, `s-${number}`);
  }
});

const box = (page) => page.getByRole('combobox', { name: 'Namespace' });
const option = (page, name) => page.locator('#namespaces').getByRole('option', { name, exact: true });
const active = (page) => page.locator('#namespaces .active').innerText();
const isActive = (page, name) => settled('the active entry', () => active(page), name);
const hash = (page) => page.evaluate(() => location.hash);
const isAt = (page, expected) => settled('the address', () => hash(page), expected);
const keys = (page) => page.locator('.canvas [role=row][data-key]:not([hidden])').evaluateAll((rows) => rows.map((row) => row.dataset.key));
const rowsAre = (page, ...expected) => settled('the rows', () => keys(page), expected);
const chosen = (page) => page.locator('#namespaces [role=option][aria-selected=true]').allInnerTexts();

async function open(hash = '#/v1/secrets', profile) {
  const page = await stage.open(hash, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  return page;
}

/** Opens the list, and waits for the names. */
async function openList(page) {
  await page.locator('.bar [aria-label="Command palette"]').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('n');
  await option(page, c).waitFor({ timeout: PATIENCE });
}

test('an address with several namespaces shows the rows of exactly those, live', options, async () => {
  const page = await open(`#/v1/secrets?namespace=${a},${b}`);
  await rowsAre(page, `${a}/s-0`, `${b}/s-0`, `${b}/s-1`);
  assert.equal(await grid(page).getAttribute('data-total'), '3');
  assert.equal(await box(page).inputValue(), `${a}, ${b}`);
  assert.equal(await page.title(), `Secrets · ${a}, ${b} · kube-informer`);
  await page.getByRole('columnheader', { name: 'Namespace' }).waitFor({ timeout: PATIENCE });
  await secret(c, 'new');
  await secret(b, 'new');
  await row(page, `${b}/new`).waitFor({ timeout: PATIENCE });
  assert.equal(await row(page, `${c}/new`).count(), 0);
  await kubectl('delete', 'secret', 'new', `--namespace=${b}`);
  await kubectl('delete', 'secret', 'new', `--namespace=${c}`);
  await rowsAre(page, `${a}/s-0`, `${b}/s-0`, `${b}/s-1`);

  await page.evaluate((a) => (location.hash = `#/v1/secrets?namespace=${a}`), a);
  await rowsAre(page, `${a}/s-0`);
  await page.goBack();
  await rowsAre(page, `${a}/s-0`, `${b}/s-0`, `${b}/s-1`);
  // Opening an object in one of the namespaces does not change the choice.
  await row(page, `${b}/s-1`).click();
  await isAt(page, `#/v1/secrets?namespace=${a},${b}&object=${b}%2Fs-1`);
  await page.context().close();
});

test('Space marks entries, Enter chooses one, and one step back undoes all marks of an opening', options, async () => {
  const page = await open();
  await openList(page);
  await isActive(page, 'All namespaces');
  assert.deepEqual(await chosen(page), ['All namespaces']);
  await page.keyboard.type('several-a');
  await isActive(page, a);
  await page.keyboard.press('Space');
  await isAt(page, `#/v1/secrets?namespace=${a}`);
  await isActive(page, a);
  assert.equal(await box(page).inputValue(), '', 'the next name can be typed');
  await page.keyboard.press('ArrowDown');
  await isActive(page, b);
  await page.keyboard.press('Space');
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);
  await rowsAre(page, `${a}/s-0`, `${b}/s-0`, `${b}/s-1`);
  await settled('the marks', () => chosen(page), [a, b]);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await isAt(page, `#/v1/secrets?namespace=${b}`);
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await page.locator('#namespaces').waitFor({ state: 'detached' });
  await settled('the focus is on the rows', () => page.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);
  await page.goBack();
  await isAt(page, '#/v1/secrets');
  await page.goForward();
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);

  await openList(page);
  await page.keyboard.type('several-c');
  await isActive(page, c);
  await page.keyboard.press('Enter');
  await isAt(page, `#/v1/secrets?namespace=${c}`);
  await openList(page);
  await isActive(page, c);
  await page.keyboard.press('Space');
  await isAt(page, '#/v1/secrets');
  await settled('without a mark, all are shown', () => chosen(page), ['All namespaces']);
  await page.keyboard.press('ArrowUp');
  await page.context().close();
});

test('a press on the box of an entry or with Ctrl marks it, one on its name chooses it', options, async () => {
  const page = await open();
  await openList(page);
  await option(page, a).locator('.check').click();
  await isAt(page, `#/v1/secrets?namespace=${a}`);
  await option(page, b).click({ modifiers: ['Control'] });
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);
  await option(page, c).click({ modifiers: ['Meta'] });
  await isAt(page, `#/v1/secrets?namespace=${a},${b},${c}`);
  await option(page, b).locator('.check').click();
  await isAt(page, `#/v1/secrets?namespace=${a},${c}`);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Namespace', 'the focus stays in the box');
  await option(page, b).locator('.name').click();
  await isAt(page, `#/v1/secrets?namespace=${b}`);
  await page.locator('#namespaces').waitFor({ state: 'detached' });
  await page.context().close();
});

test('names are typed with commas, and the last one is completed', options, async () => {
  const page = await open();
  await openList(page);
  await page.keyboard.type(`${c}, several-b`);
  await isActive(page, b);
  await page.keyboard.press('Enter');
  await isAt(page, `#/v1/secrets?namespace=${b},${c}`);
  await page.keyboard.press('n');
  await page.keyboard.type(`${a},nowhere`);
  await page.keyboard.press('Enter');
  await isAt(page, `#/v1/secrets?namespace=nowhere,${a}`);
  await page.context().close();
});

test('before the list has loaded, and without it, names can be typed', options, async () => {
  const page = await stage.open('#/v1/secrets', {}, {}, (page) => page.route(/_deferred\.wasm$/, (route) => route.fulfill({ status: 404, body: 'not found' })));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('n');
  await page.locator('.namespace').getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.type(`${a},${b}`);
  await page.keyboard.press('Enter');
  await isAt(page, `#/v1/secrets?namespace=${a},${b}`);
  await rowsAre(page, `${a}/s-0`, `${b}/s-0`, `${b}/s-1`);
  await page.keyboard.press('n');
  await page.keyboard.press('Escape');
  await page.locator('.namespace .options:visible').waitFor({ state: 'detached' });
  await page.context().close();
});

test('namespaces that do not exist are named, beside rows and without any', options, async () => {
  const page = await open(`#/v1/secrets?namespace=${a},nowhere`);
  await rowsAre(page, `${a}/s-0`);
  await page.locator('.tally').getByText('There is no namespace nowhere.').waitFor({ timeout: PATIENCE });
  await page.evaluate(() => (location.hash = '#/v1/secrets?namespace=nowhere,elsewhere'));
  await page.locator('.empty').getByRole('heading', { name: 'No Secrets in namespaces nowhere, elsewhere' }).waitFor({ timeout: PATIENCE });
  await page.locator('.empty').getByText('There are no namespaces nowhere, elsewhere.').waitFor({ timeout: PATIENCE });
  await kubectl('create', 'namespace', 'nowhere');
  await page.locator('.empty').getByText('There is no namespace elsewhere.').waitFor({ timeout: PATIENCE });
  await page.evaluate((a) => (location.hash = `#/v1/secrets?namespace=${a}`), a);
  await rowsAre(page, `${a}/s-0`);
  await settled('nothing is missing', () => page.locator('.in-force').innerText(), '');
  await page.context().close();
});

test('a namespace that exists is never named as missing while the page starts', options, async () => {
  const page = await stage.open(`#/v1/secrets?namespace=${a},${b}`, {}, {}, (page) => page.addInitScript(() => {
    window.notes = new Set();
    const note = () => document.querySelector('.in-force')?.textContent;
    new MutationObserver(() => note() && window.notes.add(note())).observe(document, { subtree: true, childList: true, characterData: true });
  }));
  await rowsAre(page, `${a}/s-0`, `${b}/s-0`, `${b}/s-1`);
  // The names are there when the list shows them.
  await openList(page);
  await option(page, c).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await page.evaluate((a) => (location.hash = `#/v1/secrets?namespace=${a},nowhere-at-all`), a);
  await page.locator('.tally').getByText('There is no namespace nowhere-at-all.').waitFor({ timeout: PATIENCE });
  assert.deepEqual(await page.evaluate(() => [...window.notes]), ['There is no namespace nowhere-at-all.']);
  await page.context().close();
});

test('two hundred names and hostile ones are text', options, async () => {
  const many = Array.from({ length: 199 }, (_, at) => `no-such-${at}`);
  const page = await open(`#/v1/secrets?namespace=${[...many, b].join(',')}`);
  await rowsAre(page, `${b}/s-0`, `${b}/s-1`);
  assert.equal(await box(page).inputValue(), 'no-such-0, no-such-1, no-such-2 and 197 more');
  await openList(page);
  await settled('all are in the list', async () => (await chosen(page)).length, 200);
  await page.keyboard.press('Escape');

  const hostile = ['<img src=x onerror=alert(1)>', '\u202egnp', '../../nodes', 'x'.repeat(5000), "%", '"', ''];
  await page.evaluate((text) => (location.hash = `#/v1/secrets?namespace=${encodeURIComponent(text)}`), hostile.join(','));
  await page.locator('.empty').getByRole('heading', { name: /^No Secrets in namespaces/ }).waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('img[src=x]').count(), 0);
  await openList(page);
  await option(page, '../../nodes').waitFor({ timeout: PATIENCE });
  await option(page, '\\u202egnp').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await page.evaluate(() => (location.hash = '#/v1/secrets?namespace=,%20,'));
  await settled('without a name, all are shown', () => box(page).inputValue(), 'All namespaces');
  await page.context().close();
});

test('overview, problems and the counts of the kinds are those of the chosen namespaces', options, async () => {
  for (const [namespace, name] of [[a, 'one'], [b, 'two'], [c, 'three'], [c, 'four']]) {
    await run(namespace, name);
    const status = { phase: 'Failed', reason: 'Evicted' };
    await kubectl('patch', 'pod', name, `--namespace=${namespace}`, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status }));
  }
  const page = await stage.open(`#/overview?namespace=${a},${c}`);
  const pods = page.locator('[data-card=overview-pods] .rows a').filter({ hasText: 'All pods' });
  await settled('the pods', () => pods.locator('.number').innerText(), '3');
  await page.getByText(`Namespaces ${a}, ${c}`, { exact: true }).waitFor();
  assert.equal(await pods.getAttribute('href'), `#/v1/pods?namespace=${a},${c}`);
  const count = page.locator('.kinds li', { has: page.locator('a').filter({ hasText: /^Secrets$/ }) }).locator('.count');
  await settled('the secrets of both', () => count.innerText(), '4');
  await page.keyboard.press('!');
  await isAt(page, `#/problems?namespace=${a},${c}`);
  await page.locator('.problems .verdict:not([aria-busy])').waitFor({ timeout: PATIENCE });
  await page.getByText(`Namespaces ${a}, ${c}`, { exact: true }).waitFor();
  const places = () => page.locator('.problem-list .line .namespace').allInnerTexts();
  await eventually('there are problems of the chosen namespaces', PATIENCE, async () => new Set(await places()).size === 2);
  assert.deepEqual([...new Set(await places())].sort(), [a, c]);
  await page.context().close();
});

test('a new object goes to the only chosen namespace; of several none is meant', options, async () => {
  const page = await open(`#/v1/secrets?namespace=${a},${b}`);
  await page.getByRole('button', { name: 'Create from YAML' }).click({ timeout: PATIENCE });
  await page.getByText('Those without a namespace go to default.').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

for (const [name, profile] of [['on a phone', { viewport: { width: 380, height: 700 }, hasTouch: true, bypassCSP: true }], ['in a wide window, dark', { viewport: { width: 2560, height: 1200 }, colorScheme: 'dark', bypassCSP: true }]]) {
  test(`the list fits, and has no violations of accessibility, ${name}`, options, async () => {
    const page = await open(`#/v1/secrets?namespace=${a},${b}`, profile);
    await box(page).click();
    await option(page, c).waitFor({ timeout: PATIENCE });
    const { left, right } = await page.locator('#namespaces').evaluate((list) => list.getBoundingClientRect().toJSON());
    assert.ok(left >= 0 && right <= profile.viewport.width, `${left} to ${right}`);
    const sizes = await page.locator('#namespaces .check').first().evaluate((check) => [check.getBoundingClientRect().width, check.getBoundingClientRect().height]);
    assert.ok(sizes.every((size) => size >= 24), `the box of a mark is ${sizes}`);
    assert.deepEqual(await violations(page), []);
    await page.context().close();
  });
}
