// Actions by keyboard alone: from the mark of a row, or an open object, to what kubectl sees afterwards.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { closes, dialog, ends, isFocused } from '../support/actions.mjs';
import { PATIENCE, TEST, freshness, row, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'keys';
const { create, get, all, object, begin } = objectsIn(stage, ns);
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } };

before(async () => {
  if (stage.unavailable) return;
  await begin();
  const deployment = (name) => object('apps/v1', 'Deployment', name, { spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template } });
  await create(deployment('first'), deployment('second'));
  await create(...['a', 'b', 'c'].map((name) => object('v1', 'ConfigMap', name, { metadata: { labels: { team: 'shop' } } })));
});

/** Opens a page, in which nothing is clicked from then on. The first row is the current one. */
async function open(kind, filter) {
  const page = await stage.open(`#/${kind}?namespace=${ns}${filter ? `&filter=${encodeURIComponent(filter)}` : ''}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await page.keyboard.press('Home');
  return page;
}

/** Opens the menu; resolves when its first action has the focus. */
async function openMenu(page) {
  await page.keyboard.press('a');
  await isFocused(page, 'an action', () => document.activeElement.getAttribute('role') === 'menuitem');
}

/** Goes to an action by arrows, and chooses it. */
async function chooseByArrows(page, action) {
  await openMenu(page);
  const chosen = () => page.evaluate(() => document.activeElement.dataset.action);
  const seen = [];
  while ((await chosen()) !== action) {
    const before = await chosen();
    assert.ok(!seen.includes(before), `${action} is not among ${seen.join(', ')}`);
    seen.push(before);
    await page.keyboard.press('ArrowDown');
    await isFocused(page, 'another action', (before) => document.activeElement.dataset.action !== before, before);
  }
  await page.keyboard.press('Enter');
  await dialog(page).waitFor({ timeout: PATIENCE });
}

async function chooseByLetter(page, letter, title) {
  await openMenu(page);
  await page.keyboard.press(letter);
  await dialog(page).getByRole('heading', { name: title }).waitFor({ timeout: PATIENCE });
}

/** Presses Tab until the control of this name has the focus. */
async function tabTo(page, name) {
  const seen = [];
  for (;;) {
    const at = await page.evaluate(() => document.activeElement.labels?.[0]?.textContent.trim() || document.activeElement.textContent.trim());
    if (at === name) return;
    seen.push(at);
    assert.ok(seen.length < 20, `${name} is not reached: ${seen.join(' | ')}`);
    await page.keyboard.press('Tab');
  }
}

test('a marked deployment is scaled: arrows, Enter, a number, Enter', options, async () => {
  const page = await open('apps/v1/deployments');
  await page.keyboard.press(' ');
  await page.locator('.marks .number', { hasText: '1 row marked' }).waitFor({ timeout: PATIENCE });
  await chooseByArrows(page, 'Scale');
  await isFocused(page, 'the number', () => document.activeElement.type === 'number');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await closes(page);
  assert.equal((await get('deployment', 'first')).spec.replicas, 5);
  assert.equal((await get('deployment', 'second')).spec.replicas, 1, 'the row that is not marked is unchanged');
  await page.context().close();
});

test('two marked objects are labelled: a letter, typed lines, Tab, Enter', options, async () => {
  const page = await open('v1/configmaps', 'label=team=shop');
  await row(page, `${ns}/c`).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.keyboard.press('Shift+ArrowDown');
  await page.locator('.marks .number', { hasText: '2 rows marked' }).waitFor({ timeout: PATIENCE });
  await chooseByLetter(page, 'l', 'Labels and annotations: 2 ConfigMaps');
  await tabTo(page, 'Labels');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('by=keys');
  await tabTo(page, 'Save');
  await page.keyboard.press('Enter');
  await ends(page, 'Complete: 2 of 2 done.');
  const labels = Object.fromEntries((await all('configmaps')).filter(({ metadata }) => metadata.name.length === 1).map(({ metadata }) => [metadata.name, metadata.labels.by]));
  assert.deepEqual(labels, { a: 'keys', b: 'keys', c: undefined });
  await tabTo(page, 'Close');
  await page.keyboard.press('Enter');
  await closes(page);
  await page.context().close();
});

test('the open object is restarted and deleted: Enter on its row, a letter, Tab, Enter', options, async () => {
  const page = await open('apps/v1/deployments');
  await row(page, `${ns}/second`).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.locator('.drawer h2', { hasText: /^second$/ }).waitFor({ timeout: PATIENCE });
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).waitFor({ timeout: PATIENCE });
  await chooseByLetter(page, 'r', 'Restart: Deployment second');
  await tabTo(page, 'Restart');
  await page.keyboard.press('Enter');
  await closes(page);
  assert.match((await get('deployment', 'second')).spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt'], /^\d{4}-/);
  await isFocused(page, 'the table again', () => document.activeElement.matches('.grid'));
  await chooseByLetter(page, 'd', 'Delete: Deployment second');
  await tabTo(page, 'Delete');
  await page.keyboard.press('Enter');
  await closes(page);
  await page.locator('.drawer .notice', { hasText: 'Deleted' }).waitFor({ timeout: PATIENCE });
  await assert.rejects(get('deployment', 'second'), /not found/);
  await get('deployment', 'first');
  await page.context().close();
});
