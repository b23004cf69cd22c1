// Labels and annotations of an object as chips: a click filters the table, and the whole pair can be copied.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, row, setStage, settled } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'chips';
const { create, object, begin } = objectsIn(stage, ns);
const profile = { viewport: { width: 1600, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] };
const LONG = `{"rules":"${'x'.repeat(3000)}"}`;
const ON_CALL = 'ada "of \\ ops" (day)';
const config = (name, labels, annotations) => object('v1', 'ConfigMap', name, { metadata: { labels, annotations }, data: {} });

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create(
    config('one', { app: 'shop', tier: '' }, { 'example.com/on-call': ON_CALL, sign: '=~odd', long: LONG, lines: 'first\nsecond' }),
    config('two', { app: 'shop' }, { 'example.com/on-call': ON_CALL, lines: 'another' }),
    config('three', { app: 'bank' }, { 'example.com/on-call': 'bob', sign: 'other' }),
    config('four', {}, { 'example-com/on-call': ON_CALL, long: 'short' }),
  );
});

const names = (page) => page.locator('[role=row][data-key]').evaluateAll((rows) => rows.map((row) => row.dataset.key?.split('/')[1]).filter(Boolean).sort());
const filter = (page) => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('filter'));

async function open(name = 'one') {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}&object=${ns}%2F${name}`, profile);
  await page.locator('.annotations .tag').first().waitFor({ timeout: PATIENCE });
  // A real apiserver has a config map of its own in each namespace.
  await settled('all rows', async () => (await names(page)).filter((name) => name !== 'kube-root-ca.crt'), ['four', 'one', 'three', 'two']);
  return page;
}
const chip = (page, name) => page.locator('.tag').filter({ has: page.getByRole('button', { name: `Copy ${name}`, exact: true }) });
const press = (page, name) => chip(page, name).locator('button.term').click();

test('an annotation filters the table by its whole value, and by its name if that cannot be written', options, async () => {
  const page = await open();
  await press(page, 'example.com/on-call');
  await settled('rows with the annotation', () => names(page), ['one', 'two']);
  assert.equal(await filter(page), String.raw`field="metadata.annotations.example\\.com/on-call==ada \"of \\ ops\" (day)"`);
  // A second press adds no second term.
  const before = await filter(page);
  await press(page, 'example.com/on-call');
  assert.equal(await filter(page), before);
  // Another chip adds a second term, which narrows the rows.
  await press(page, 'sign');
  await settled('one row', () => names(page), ['one']);
  await page.context().close();
  const other = await open();
  await press(other, 'lines');
  await settled('rows with an annotation of this name', () => names(other), ['one', 'two']);
  await other.context().close();
});

test('a long annotation is folded, and filters by its name', options, async () => {
  const page = await open();
  const long = chip(page, 'long');
  const button = long.getByRole('button', { name: 'Filter the table' });
  assert.equal(await button.isVisible(), false);
  await long.locator('summary').click();
  await button.click();
  await settled('rows', () => names(page), ['four', 'one']);
  await page.context().close();
});

test('a label filters the table', options, async () => {
  const page = await open();
  await press(page, 'app');
  await settled('rows with the label', () => names(page), ['one', 'two']);
  await press(page, 'tier');
  await settled('rows with an empty label, too', () => names(page), ['one']);
  assert.equal(await filter(page), 'label=app=shop label="tier="');
  await page.context().close();
});

test('a label and an annotation are copied whole', options, async () => {
  const page = await open();
  const copied = async (name, text) => {
    await page.evaluate(() => navigator.clipboard.writeText('nothing'));
    await chip(page, name).getByRole('button', { name: `Copy ${name}`, exact: true }).click();
    await settled(name, () => page.evaluate(() => navigator.clipboard.readText()), text);
    await chip(page, name).locator('.copy', { hasText: '✓' }).waitFor({ timeout: PATIENCE });
  };
  await copied('app', 'app=shop');
  await copied('example.com/on-call', `example.com/on-call=${ON_CALL}`);
  await copied('lines', 'lines=first\nsecond');
  // The page shows only a part of the value.
  await copied('long', `long=${LONG}`);
  assert.equal(await row(page, `${ns}/one`).count(), 1);
  await page.context().close();
});
