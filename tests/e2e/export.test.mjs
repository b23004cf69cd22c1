// Export: the marked rows, or all that match, as CSV, JSON, YAML and names; to a file and to the clipboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const ns = 'export';
/** Number of objects that needs several portions. */
const MANY = 1_100;

const dialog = (page) => page.locator('dialog.action');
const state = (page) => page.locator('.export-state');
const names = (count) => Array.from({ length: count }, (_, at) => `m${String(at).padStart(5, '0')}`);
const settings = (name, labels = {}, annotations = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns, labels, annotations }, data: { big: '9007199254740993' } });

before(async () => {
  if (stage.unavailable) return;
  const create = (...items) => stage.kubectl(['create', '-f', '-'], items.map((item) => JSON.stringify(item)).join('\n'));
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  await create(
    settings('a', { team: 'x' }, { note: '=HYPERLINK("http://evil"), "b"' }),
    settings('b', { team: 'x' }, { note: 'two\nlines' }),
    settings('c', { team: 'y' }, { note: '-5' }),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: ns }, data: { password: 'aHVzaA==' } },
  );
});

async function open(query = '', kind = 'v1/configmaps', profile = {}) {
  const page = await stage.open(`#/${kind}?namespace=${ns}${query}`, { permissions: ['clipboard-read', 'clipboard-write'], ...profile });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Export rows' }).click({ timeout: PATIENCE });
  await dialog(page).waitFor();
  return page;
}

const choose = (page, words) => dialog(page).getByRole('radio', { name: words }).check();

/** Downloads in a format; resolves to the file's name and text. */
async function download(page, format) {
  await choose(page, format);
  const [file] = await Promise.all([page.waitForEvent('download'), dialog(page).getByRole('button', { name: 'Download' }).click()]);
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
}

test('CSV has the shown columns, quoted, and no cell that a spreadsheet would run', options, async () => {
  const page = await open('&filter=label%3Dteam&sort=name-desc&columns=name,note={.metadata.annotations.note},data,age');
  const [name, text] = await download(page, /^CSV/);
  assert.equal(name, 'configmaps.csv');
  const age = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z';
  assert.match(text, new RegExp(`^Name,note,Data,Age\r\nc,-5,1,${age}\r\nb,"two\nlines",1,${age}\r\na,"'=HYPERLINK\\(""http://evil""\\), ""b""",1,${age}\r\n$`));
  await settled('the status of the export', () => state(page).innerText(), '3 rows are saved.');
  await page.context().close();
});

test('objects are exported as the server sent them, by kubectl readable, and copied', options, async () => {
  const page = await open('&filter=label%3Dteam%3Dx');
  const [name, json] = await download(page, /^JSON/);
  assert.equal(name, 'configmaps.json');
  const list = JSON.parse(json);
  assert.deepEqual([list.kind, list.items.map(({ metadata }) => metadata.name), list.items[0].data], ['List', ['a', 'b'], { big: '9007199254740993' }]);
  const [, yaml] = await download(page, /^YAML/);
  const read = await stage.kubectl(['create', '--dry-run=client', '-o', 'jsonpath={.metadata.annotations.note}|', '-f', '-'], yaml);
  assert.equal(read, '=HYPERLINK("http://evil"), "b"|two\nlines|');
  await choose(page, /^Names/);
  await dialog(page).getByRole('button', { name: 'Copy' }).click();
  await settled('the status of the export', () => state(page).innerText(), '2 rows are copied.');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `configmaps/a -n ${ns}\nconfigmaps/b -n ${ns}\n`);
  await page.context().close();
});

test('the marked rows are exported from their bar, also those that the filter hides', options, async () => {
  const page = await open();
  await page.keyboard.press('Escape');
  for (const name of ['a', 'c']) await row(page, `${ns}/${name}`).click({ modifiers: ['Control'] });
  await page.getByRole('combobox', { name: 'Filter' }).fill('name=b');
  await settled('the rows', () => page.locator('[role=grid]').getAttribute('data-total'), '1');
  await page.locator('.marks').getByRole('button', { name: 'Export' }).click();
  assert.ok(await dialog(page).getByRole('radio', { name: '2 rows marked' }).isChecked());
  for (const [format, expected] of [[/^Names/, /^configmaps\/a -n export\nconfigmaps\/c -n export\n$/], [/^CSV/, /^Name,Data,Age\r\na,1,.*\r\nc,1,.*\r\n$/]]) {
    assert.match((await download(page, format))[1], expected);
  }
  await choose(page, 'All 1 row that match');
  assert.match((await download(page, /^Names/))[1], /^configmaps\/b -n export\n$/);
  await page.context().close();
});

test('values of Secrets are masked, and no column by path shows one', options, async () => {
  const page = await open('&filter=name%3Ds&columns=name,team=label:team,x={.data.password}', 'v1/secrets');
  await eventually('the note', PATIENCE, async () => /columns of Secrets show labels only/.test(await page.locator('.banner.note').innerText()));
  await choose(page, /^JSON/);
  await page.getByText('The values of Secrets are masked').waitFor();
  for (const format of [/^JSON/, /^YAML/, /^CSV/]) {
    const [, text] = await download(page, format);
    assert.doesNotMatch(text, /hush|aHVzaA/);
    if (!format.test('CSV')) assert.match(text, /••••/);
  }
  assert.equal(JSON.parse((await download(page, /^JSON/))[1]).items[0].data.password, '••••••••');
  await page.context().close();
});

test('many rows are exported in portions, and an export is cancelled', options, async () => {
  const items = names(MANY).map((name) => settings(name, { many: 'yes' }));
  for (let at = 0; at < items.length; at += 500) {
    await stage.kubectl(['create', '-f', '-'], items.slice(at, at + 500).map((item) => JSON.stringify(item)).join('\n'));
  }
  const page = await open('&filter=label%3Dmany');
  await eventually('all rows', PATIENCE, async () => (await page.locator('[role=grid]').getAttribute('data-total')) === `${MANY}`);
  const [, text] = await download(page, /^Names/);
  assert.deepEqual(text.trim().split('\n'), names(MANY).map((name) => `configmaps/${name} -n ${ns}`));
  const [, json] = await download(page, /^JSON/);
  assert.deepEqual(JSON.parse(json).items.map(({ metadata }) => metadata.name), names(MANY));
  let saved = false;
  page.on('download', () => (saved = true));
  // The export is cancelled in the task that starts it.
  await dialog(page).evaluate((dialog) => {
    [...dialog.querySelectorAll('footer button')].find((button) => button.innerText === 'Download').click();
    return new Promise((resolve) => requestAnimationFrame(() => resolve([...dialog.querySelectorAll('footer button')].find((button) => button.innerText === 'Cancel').click())));
  });
  await settled('the status of the export', () => state(page).innerText(), 'Cancelled.');
  // A later export shows that the cancelled one does not continue.
  await choose(page, /^Names/);
  await dialog(page).getByRole('button', { name: 'Copy' }).click();
  await settled('the status of the export', () => state(page).innerText(), '1,100 rows are copied.');
  assert.equal(saved, false);
  await page.context().close();
});

for (const [colorScheme, size] of [['light', { width: 380, height: 740 }], ['dark', { width: 1440, height: 900 }]]) {
  test(`the dialog is accessible: ${colorScheme}, ${size.width} pixels`, options, async () => {
    const page = await open('', 'v1/secrets', { viewport: size, colorScheme, bypassCSP: true });
    await choose(page, /^YAML/);
    assert.deepEqual(await violations(page, { root: 'dialog.action' }), []);
    const box = await dialog(page).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= size.width, JSON.stringify(box));
    await page.context().close();
  });
}
