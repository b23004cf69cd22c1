// Columns: chosen, ordered, sized, pinned and defined by the user, kept for each kind, and shared by the address.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, cell, eventually, freshness, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const ns = 'columns';
const USUAL = ['Name', 'Ready', 'Status', 'Restarts', 'Age'];
const pods = { ant: 'red', bee: 'blue', cat: 'red' };

const header = (page, name) => page.locator(`.head [data-header="${name}"]`);
const names = (page) => page.locator('.head [data-header]').evaluateAll((headers) => headers.map((header) => header.dataset.header));
const are = (page, expected) => settled('the columns', () => names(page), expected);
const rows = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.canvas [role=row][data-key]:not([hidden])')]
      .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
      .map((row) => row.dataset.key.split('/')[1]),
  );
const button = (page) => page.getByRole('button', { name: 'Columns', exact: true });
const panel = (page) => page.getByRole('dialog', { name: /^Columns of/ });
const says = (page, text) => settled('what a screen reader hears', () => page.locator('.column-tools > [role=status]').innerText(), text);
const stored = (page, kind = 'pods') => page.evaluate((kind) => localStorage.getItem(`kube-informer.columns.${kind}`), kind);
const hash = (page) => page.evaluate(() => location.hash);
const width = async (page, name) => Math.round((await header(page, name).boundingBox()).width);
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.closest('[data-header]')?.dataset.header);

async function open(query = '', { beside, profile = { viewport: { width: 1100, height: 700 } }, kind = 'v1/pods' } = {}) {
  const place = `#/${kind}?namespace=${ns}${query}`;
  let page;
  if (beside) {
    page = await beside.context().newPage();
    await page.goto(stage.url(place));
  } else page = await stage.open(place, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await button(page).waitFor({ timeout: PATIENCE });
  return page;
}

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', 'namespace', ns]);
  for (const [pod, colour] of Object.entries(pods)) {
    await stage.kubectl(['run', pod, '-n', ns, '--image=pause', '--restart=Never', `--labels=colour=${colour},example.dev/size=${colour.length}`]);
  }
});

test('columns are chosen in the panel, for the next visit and for other tabs, and reset', options, async () => {
  const page = await open();
  const other = await open('', { beside: page });
  await are(page, USUAL);
  await grid(page).focus();
  await page.keyboard.press('C');
  await panel(page).waitFor();
  await settled('the focus', () => page.evaluate(() => document.activeElement.type), 'checkbox');
  await panel(page).getByRole('checkbox', { name: /^Ready/ }).click();
  await says(page, 'Ready is hidden');
  await are(page, USUAL.filter((name) => name !== 'Ready'));
  await panel(page).getByRole('checkbox', { name: /^Node/ }).click();
  const chosen = ['Name', 'Status', 'Restarts', 'Age', 'Node'];
  await are(page, chosen);
  await are(other, chosen);
  assert.equal(await stored(page), 'namespace,name,status,restarts,age,node');
  assert.equal(await grid(page).getAttribute('aria-colcount'), '5');
  assert.deepEqual(await page.locator('.head [aria-colindex]').evaluateAll((all) => all.map((one) => one.ariaColIndex)), ['1', '2', '3', '4', '5']);
  assert.equal(await cell(page, `${ns}/ant`, 'Node').getAttribute('aria-colindex'), '5');

  await page.reload();
  await are(page, chosen);
  await page.goto(stage.url('#/v1/configmaps'));
  await are(page, ['Namespace', 'Name', 'Data', 'Age']);
  await page.goto(stage.url('#/v1/pods'));
  await are(page, ['Namespace', ...chosen]);
  await button(page).click();
  await panel(page).getByRole('button', { name: 'Wide columns' }).click();
  await settled('the wide columns', async () => (await names(page)).slice(-3), ['IP', 'Nominated Node', 'Readiness Gates']);
  await panel(page).getByRole('button', { name: 'Wide columns', pressed: true }).click();
  await are(page, ['Namespace', ...chosen.filter((name) => name !== 'Node')]);
  await panel(page).getByRole('button', { name: 'Reset' }).click();
  await says(page, 'The usual columns are shown');
  await are(other, USUAL);
  assert.equal(await stored(page), null);
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
  await page.context().close();
});

test('a column is moved and sized by the keyboard and by the pointer', options, async () => {
  const page = await open();
  await header(page, 'Age').getByRole('button').focus();
  await page.keyboard.press('<');
  await are(page, ['Name', 'Ready', 'Status', 'Age', 'Restarts']);
  await says(page, 'Age is column 4 of 5');
  await settled('the focus', () => focused(page), 'Age');
  await page.keyboard.press('<');
  await are(page, ['Name', 'Ready', 'Age', 'Status', 'Restarts']);
  await settled('the focus', () => focused(page), 'Age');
  const before = await width(page, 'Age');
  await page.keyboard.press('+');
  await settled('it is wider', () => width(page, 'Age'), before + 20);
  await says(page, `Age is ${before + 20} pixels wide`);
  await page.keyboard.press('0');
  await says(page, 'Age has its usual width');

  // By pointer: the edge, and the header.
  const edge = await header(page, 'Name').locator('.edge').boundingBox();
  const name = await width(page, 'Name');
  await page.mouse.move(edge.x + edge.width / 2, edge.y + edge.height / 2);
  await page.mouse.down();
  await page.mouse.move(edge.x + edge.width / 2 - 40, edge.y + 5, { steps: 4 });
  await settled('it follows the pointer', () => width(page, 'Name'), name - 40);
  await page.mouse.up();
  await says(page, `Name is ${name - 40} pixels wide`);
  const [from, to] = await Promise.all(['Restarts', 'Ready'].map((name) => header(page, name).getByRole('button').boundingBox()));
  await page.mouse.move(from.x + 10, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 8, { steps: 6 });
  await page.mouse.up();
  await are(page, ['Name', 'Restarts', 'Ready', 'Age', 'Status']);
  assert.equal(await hash(page), `#/v1/pods?namespace=${ns}`, 'the press that moved it does not sort by it');
  await header(page, 'Name').locator('.edge').dblclick();
  await says(page, 'Name has its usual width');

  await button(page).click();
  await panel(page).getByRole('button', { name: 'Move Age left' }).click();
  await are(page, ['Name', 'Restarts', 'Age', 'Ready', 'Status']);
  await settled('the focus stays on the button', () => focused(page), 'Move Age left');
  await panel(page).getByRole('spinbutton', { name: 'Width of Age in pixels' }).fill('123');
  await page.keyboard.press('Enter');
  await settled('the width', () => width(page, 'Age'), 123);
  assert.equal(await stored(page), 'namespace,name,restarts,age~123,ready,status');
  await page.context().close();
});

test('pinned columns stay while the table scrolls sideways', options, async () => {
  const page = await open('&columns=status,name,ready,ip,node,nominated-node,readiness-gates,restarts,age', { profile: { viewport: { width: 900, height: 600 } } });
  await button(page).click();
  await panel(page).getByRole('button', { name: 'Keep Name in sight' }).click();
  await settled('it is first', async () => (await names(page))[0], 'Name');
  await says(page, 'Name stays in sight');
  assert.equal(await panel(page).getByRole('button', { name: 'Keep Name in sight' }).getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Escape');
  const place = async (of) => Math.round((await of.boundingBox()).x);
  const [pinned, ready] = [cell(page, `${ns}/ant`, 'Name'), cell(page, `${ns}/ant`, 'Ready')];
  const [before, other] = [await place(pinned), await place(ready)];
  await grid(page).evaluate((grid) => grid.scrollTo({ left: 200 }));
  await settled('the others scroll', () => place(ready), other - 200);
  assert.equal(await place(pinned), before);
  assert.equal(await place(header(page, 'Name')), before, 'the header of the pinned column stays, too');
  const onTop = await pinned.evaluate((cell) => {
    const { x, y, height } = cell.getBoundingClientRect();
    return document.elementFromPoint(x + 5, y + height / 2) === cell;
  });
  assert.ok(onTop, 'the pinned column is above the others');
  await page.context().close();
});

test('labels and paths are columns that are sorted, filtered and counted', options, async () => {
  const page = await open('', { profile: { viewport: { width: 1400, height: 700 } } });
  await button(page).click();
  const [source, name] = [panel(page).getByLabel('Label or JSONPath'), panel(page).getByRole('textbox', { name: 'Name' })];
  await source.fill('.spec[x');
  await settled('where it is wrong', () => page.locator('#own-mistake .wrong').innerText(), 'x');
  assert.match(await page.locator('#own-mistake p').innerText(), /^At character 7: /);
  assert.equal(await source.getAttribute('aria-invalid'), 'true');
  await source.fill('label:colour');
  await source.press('Enter');
  await says(page, 'colour is added');
  await are(page, [...USUAL, 'colour']);
  await settled('its cells', () => cell(page, `${ns}/bee`, 'colour').innerText(), 'blue');
  await source.fill('label:example.dev/size');
  assert.equal(await name.getAttribute('placeholder'), 'size');
  await name.fill('Status');
  await settled('the name is taken', () => page.locator('#own-mistake').innerText(), 'a column is named Status already: choose another name');
  await name.fill('Letters');
  await panel(page).getByRole('button', { name: 'Add' }).click();
  await source.fill('{.spec.containers[*].image}');
  await panel(page).getByRole('button', { name: 'Add' }).click();
  await are(page, [...USUAL, 'colour', 'Letters', 'image']);
  await settled('a path', () => cell(page, `${ns}/ant`, 'image').innerText(), 'pause');
  assert.equal(await stored(page), '*,colour=label:colour,Letters=label:example.dev/size,image={.spec.containers[*].image}');
  await page.keyboard.press('Escape');

  await header(page, 'Letters').getByRole('button').click();
  await settled('sorted', () => rows(page), ['ant', 'cat', 'bee']);
  await page.locator('.facet[aria-label=colour] .chip[data-value=red] .number', { hasText: '2' }).waitFor();
  await page.locator('.facet[aria-label=colour] .chip[data-value=red]').click();
  await settled('filtered', () => rows(page), ['ant', 'cat']);
  assert.equal(await hash(page), `#/v1/pods?namespace=${ns}&filter=colour%3Dred&sort=letters`);
  await page.locator('.facet[aria-label=colour] .chip[data-value=red]').click();
  await stage.kubectl(['label', 'pod', 'cat', '-n', ns, '--overwrite', 'colour=green']);
  await settled('a change is shown', () => cell(page, `${ns}/cat`, 'colour').innerText(), 'green');
  await stage.kubectl(['label', 'pod', 'cat', '-n', ns, '--overwrite', 'colour=red']);
  // The removed column is the one that the rows are sorted by.
  await button(page).click();
  await panel(page).getByRole('checkbox', { name: /^Letters/ }).click();
  await are(page, [...USUAL, 'colour', 'image']);
  await settled('the other cells', () => cell(page, `${ns}/ant`, 'image').innerText(), 'pause');
  await settled('the usual order', () => rows(page), ['ant', 'bee', 'cat']);
  assert.equal(await page.locator('#refusal').innerText(), '');
  await page.context().close();
});

test('the address wins over what is stored, and can be kept', options, async () => {
  const page = await open();
  await page.evaluate(() => localStorage.setItem('kube-informer.columns.pods', 'name,age'));
  await page.reload();
  await are(page, ['Name', 'Age']);
  await page.goto(stage.url(`#/v1/pods?namespace=${ns}&columns=status,name,team=label:colour`));
  await are(page, ['Status', 'Name', 'team']);
  await settled('its cells', () => cell(page, `${ns}/bee`, 'team').innerText(), 'blue');
  await button(page).click();
  await panel(page).getByRole('checkbox', { name: /^Status/ }).click();
  await settled('the change is in the address', () => hash(page), `#/v1/pods?namespace=${ns}&columns=name,team=label:colour`);
  assert.equal(await stored(page), 'name,age');
  await panel(page).getByRole('button', { name: 'Use mine' }).click();
  await are(page, ['Name', 'Age']);
  await page.goBack();
  await page.goto(stage.url(`#/v1/pods?namespace=${ns}&columns=name,restarts`));
  await are(page, ['Name', 'Restarts']);
  await panel(page).or(button(page)).first().waitFor();
  if (!(await panel(page).isVisible())) await button(page).click();
  await panel(page).getByRole('button', { name: 'Keep them' }).click();
  await settled('the address has none', () => hash(page), `#/v1/pods?namespace=${ns}`);
  assert.equal(await stored(page), 'name,restarts');
  await page.context().close();
});

test('what is broken in the address or the storage is ignored and named', options, async () => {
  const note = (page) => page.locator('.banner.note').innerText();
  const page = await open('&columns=name~5,ready,x=label:a%20b,%E2%80%AE=.a,name');
  await are(page, ['Ready', 'Name']);
  await eventually('the note', PATIENCE, async () => /Columns in the address that are ignored: “name~5”: a width is 40 to 1200 pixels; “x=label:a b”: a label key has no ' '/.test(await note(page)));
  await page.goto(stage.url(`#/v1/pods?namespace=${ns}&columns=name,x={.a[,colour=label:colour,Status=.kind`));
  await are(page, ['Name', 'colour']);
  await eventually('the note', PATIENCE, async () => /column "x": invalid JSONPath "\{\.a\[" at byte \d+/.test(await note(page)));
  await settled('the other columns have their cells', () => cell(page, `${ns}/ant`, 'colour').innerText(), 'red');
  for (const text of ['%00,~,,,', '{'.repeat(5000), 'a=..a..a..a..a,name', `${'q=.a,'.repeat(300)}name`, '*,*,~,name~999999999999']) {
    await page.evaluate((text) => localStorage.setItem('kube-informer.columns.pods', text), decodeURIComponent(text));
    // Otherwise only the hash changes, and nothing is loaded.
    await page.goto('about:blank');
    await page.goto(stage.url(`#/v1/pods?namespace=${ns}`));
    await settled(`the rows, with ${text.slice(0, 20)}`, async () => (await rows(page)).length, 3);
  }
  await page.context().close();
});

for (const [colorScheme, size] of [['light', { width: 380, height: 740 }], ['dark', { width: 1440, height: 900 }]]) {
  test(`the panel is accessible and within the window: ${colorScheme}, ${size.width} pixels`, options, async () => {
    const page = await open('', { profile: { viewport: size, colorScheme, bypassCSP: true } });
    await button(page).click();
    await panel(page).getByLabel('Label or JSONPath').fill('.spec[x');
    await page.locator('#own-mistake .wrong').waitFor();
    const box = await panel(page).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height, JSON.stringify(box));
    assert.deepEqual(await violations(page, { root: '.table' }), []);
    await page.context().close();
  });
}
