// Groups: the values of a column with their numbers of rows, live, beside the table that they narrow.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const ns = 'groups';

const pod = (name, team) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: ns, labels: team ? { team } : {} }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] } });
const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const fail = (name) => stage.kubectl(['patch', 'pod', name, '-n', ns, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status: { phase: 'Failed', reason: 'Evicted' } })]);
const groups = (page) => page.locator('.groups');
const list = (page) =>
  groups(page).locator('.group').evaluateAll((all) => all.map((one) => `${one.querySelector('.value').textContent} ${one.querySelector('.number').textContent}${one.ariaPressed === 'true' ? ' *' : ''}`));
const group = (page, name) => groups(page).getByRole('button', { name: new RegExp(`^${name} `) });
const total = (page, count) => settled('the rows', () => grid(page).getAttribute('data-total'), String(count));
const hash = (page) => page.evaluate(() => location.hash);

async function open(query = '', profile = { viewport: { width: 1200, height: 700 } }, kind = 'v1/pods') {
  const page = await stage.open(`#/${kind}?namespace=${ns}${query}`, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Group rows' }).waitFor({ timeout: PATIENCE });
  return page;
}

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', 'namespace', ns]);
  await create(pod('a', 'red'), pod('b', 'red'), pod('c', 'blue'), pod('d', 'blue'), pod('e', 'blue'), pod('f'));
  for (const name of ['a', 'b']) await fail(name);
  const maps = Array.from({ length: 650 }, (_, at) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m-${at}`, namespace: ns, labels: { part: `part-${at}`, even: at % 2 ? 'no' : 'yes' } } }));
  await create(...maps);
});

test('a key groups the rows by status, a value narrows the table, and a second press leads back', options, async () => {
  const page = await open();
  await page.keyboard.press('b');
  await settled('the groups', () => list(page), ['All 6 *', 'Pending 4', 'Evicted 2']);
  assert.equal(await hash(page), `#/v1/pods?namespace=${ns}&group=status`);
  await settled('the focus is in the list', () => page.evaluate(() => document.activeElement.className), 'group all');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await total(page, 2);
  assert.equal(await hash(page), `#/v1/pods?namespace=${ns}&filter=status%3DEvicted&group=status`);
  await settled('the other values stay', () => list(page), ['All 6', 'Pending 4', 'Evicted 2 *']);
  // A click chooses another value instead; a click with a modifier key adds one.
  await group(page, 'Pending').click();
  await total(page, 4);
  await group(page, 'Evicted').click({ modifiers: ['Control'] });
  await total(page, 6);
  await settled('both', () => list(page), ['All 6', 'Pending 4 *', 'Evicted 2 *']);
  await group(page, 'All').click();
  await settled('the way back', () => list(page), ['All 6 *', 'Pending 4', 'Evicted 2']);
  await total(page, 6);
  await group(page, 'Evicted').click();
  await total(page, 2);
  await page.goBack();
  await total(page, 6);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('b');
  await groups(page).waitFor({ state: 'detached' });
  assert.equal(await hash(page), `#/v1/pods?namespace=${ns}`);
  await page.context().close();
});

test('counts follow the cluster and the filter', options, async () => {
  const page = await open('&group=status&filter=name%3Dlive*');
  await settled('no rows', () => list(page), ['All 0 *']);
  await create(pod('live-1'), pod('live-2'));
  await settled('two more', () => list(page), ['All 2 *', 'Pending 2']);
  await fail('live-1');
  await settled('one of them failed', async () => (await list(page)).toSorted(), ['All 2 *', 'Evicted 1', 'Pending 1']);
  await stage.kubectl(['delete', 'pod', 'live-1', 'live-2', '-n', ns, '--grace-period=0', '--force']);
  await settled('none', () => list(page), ['All 0 *']);
  await page.context().close();
});

test('rows are grouped by a column of the user, also by none of its values', options, async () => {
  const page = await open('&columns=*,team%3Dlabel%3Ateam&group=team');
  await settled('the groups', () => list(page), ['All 6 *', 'blue 3', 'red 2', 'none 1']);
  await group(page, 'none').click();
  await total(page, 1);
  await group(page, 'blue').click();
  await total(page, 3);
  // Another column is chosen.
  await groups(page).getByRole('combobox', { name: 'Group by' }).selectOption('Status');
  await settled('by status, among those of the team', () => list(page), ['All 3 *', 'Pending 3']);
  assert.match(await hash(page), /filter=team%3Dblue&columns=\*,team=label:team&group=status$/);
  await page.context().close();
});

test('of many values the largest are listed, and the rest is counted', options, async () => {
  const page = await open('&columns=name,part%3Dlabel%3Apart&group=part', undefined, 'v1/configmaps');
  // The server adds an object of its own.
  const number = (text) => Number(text.replaceAll(',', ''));
  const all = async () => number((await list(page))[0].split(' ')[1]);
  await eventually('all are counted', PATIENCE, async () => (await all()) >= 650);
  assert.equal(await groups(page).locator('.group').count(), 201);
  const rest = async () => number((await groups(page).locator('.hint').innerText()).match(/^and ([\d,]+) more/)[1]);
  const values = 200 + (await rest());
  assert.ok(values >= 650 && values <= 651, `${values} values`);
  await groups(page).getByRole('button', { name: 'Order by value' }).click();
  await settled('by value', async () => (await list(page))[1], 'part-0 1');
  assert.equal(200 + (await rest()), values);
  await page.context().close();
});

test('an unknown column and one that has a value for each object are named', options, async () => {
  const page = await open('&group=colour');
  await groups(page).getByText('Pods have no column colour to group by.').waitFor({ timeout: PATIENCE });
  await groups(page).getByRole('combobox', { name: 'Group by' }).selectOption('Status');
  await settled('the groups', () => list(page), ['All 6 *', 'Pending 4', 'Evicted 2']);
  assert.deepEqual((await groups(page).locator('option').allInnerTexts()).filter((name) => ['Name', 'Age', 'Namespace'].includes(name)), []);
  await groups(page).getByRole('button', { name: 'Stop grouping' }).click();
  await groups(page).waitFor({ state: 'detached' });
  await page.context().close();
});

test('the command palette and the panel of the columns group, too', options, async () => {
  const page = await open();
  await page.keyboard.press('C');
  await page.getByRole('dialog', { name: /^Columns of/ }).getByRole('combobox', { name: 'Group by' }).selectOption('Ready');
  await groups(page).waitFor();
  assert.match(await hash(page), /group=ready$/);
  await page.keyboard.press('Escape');
  await page.keyboard.press(':');
  await page.keyboard.type('without groups');
  await page.keyboard.press('Enter');
  await groups(page).waitFor({ state: 'detached' });
  await page.keyboard.press(':');
  await page.keyboard.type('group rows');
  await page.keyboard.press('Enter');
  await groups(page).waitFor();
  await page.context().close();
});

test('in a narrow window the groups are a line above the rows', options, async () => {
  const page = await open('&group=status', { viewport: { width: 380, height: 720 } });
  await settled('the groups', () => list(page), ['All 6 *', 'Pending 4', 'Evicted 2']);
  const [above, rows] = await Promise.all([groups(page).boundingBox(), grid(page).boundingBox()]);
  assert.ok(above.y + above.height <= rows.y + 1 && above.width <= 380 && rows.height > 300, JSON.stringify([above, rows]));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 380);
  assert.deepEqual(await violations(page), []);
  await page.context().close();
});
