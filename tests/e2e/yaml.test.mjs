// YAML of the open object, of any length and with values of any length.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const profile = { permissions: ['clipboard-read', 'clipboard-write'] };
const hash = (name = '') => `#/v1/configmaps?namespace=yaml${name && `&object=yaml%2F${name}&tab=yaml`}`;
const line = (page, text) => page.locator('.yaml .line', { hasText: text });
const lines = 30_000;
const long = 'abcdefghij'.repeat(1_024);

const create = (name, data) =>
  stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'yaml' }, data }));

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'yaml' } }));
  await create('large', { file: Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n') });
  await create('long', { long, short: 'short' });
  await create('small', { first: 'one', last: 'two' });
});

test('30,000 lines open at once: those in sight are in the document', options, async (t) => {
  const page = await stage.open(hash());
  await row(page, 'yaml/large').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // In the page's own time, from the press to the frame that shows the first lines; blocked is how long no frame came.
  const took = await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const start = performance.now();
    document.querySelector('[role=row][data-key="yaml/large"]').click();
    let [last, blocked] = [start, 0];
    for (;;) {
      await frame();
      document.querySelector('#tab-yaml[aria-selected=false]')?.click();
      const now = performance.now();
      [last, blocked] = [now, Math.max(blocked, now - last)];
      if (document.querySelectorAll('.yaml .line').length > 20) return { opened: Math.round(now - start), blocked: Math.round(blocked) };
      if (now - start > 300_000) throw new Error('no lines within five minutes');
    }
  });
  t.diagnostic(`${lines} lines: open after ${took.opened} ms, without a frame for ${took.blocked} ms`);
  const panel = page.locator('#drawer-panel');
  const inDocument = () => page.locator('.yaml .line').count();
  assert.ok(Number(await page.locator('.yaml').first().getAttribute('data-lines')) >= lines);
  assert.ok((await inDocument()) < 1_000, `${await inDocument()} lines are in the document`);
  assert.ok((await panel.evaluate((panel) => panel.scrollHeight)) > lines * 15, 'the scroll bar knows of all lines');

  await panel.evaluate((panel) => panel.scrollTo(0, panel.scrollHeight / 2));
  await eventually('lines in the middle', PATIENCE, () => panel.evaluate(visibleLines));
  await panel.evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
  await line(page, /^ {4}line 29999$/).waitFor({ timeout: PATIENCE });
  assert.ok((await inDocument()) < 1_000, `${await inDocument()} lines are in the document`);
  await panel.evaluate((panel) => panel.scrollTo(0, 0));
  await line(page, /^kind: ConfigMap$/).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

/** Whether the middle of the panel shows a line of text. */
function visibleLines(panel) {
  const { left, top, width, height } = panel.getBoundingClientRect();
  const element = document.elementFromPoint(left + Math.min(60, width / 2), top + height / 2);
  return element?.closest('.line')?.textContent.length > 0;
}

test('a value of 10 kB is clipped until all of it is asked for, and copied whole', options, async () => {
  const page = await stage.open(hash('long'), profile);
  const all = page.getByRole('button', { name: 'Show all 10,240 characters' });
  await all.waitFor({ timeout: PATIENCE });
  const shown = () => line(page, /^ {2}long: /).evaluate((line) => line.querySelector('.value').firstChild && line.textContent.length);
  assert.ok((await shown()) < 1_000);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await eventually('it is copied', PATIENCE, async () => (await page.evaluate(() => navigator.clipboard.readText())).includes(`  long: ${long}\n`));
  await all.click();
  assert.ok((await shown()) > 10_240);
  await page.getByRole('button', { name: 'Show less' }).click();
  assert.ok((await shown()) < 1_000);
  assert.equal(await line(page, /^ {2}short: short$/).getByRole('button').count(), 0);
  await page.context().close();
});

test('a change repaints the lines that differ, and marks them', options, async () => {
  const page = await stage.open(hash('small'));
  const first = line(page, /^ {2}first: one$/);
  await first.waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.yaml .line.changed').count(), 0, 'nothing has changed yet');
  await first.evaluate((line) => (line.isTheSame = true));
  await stage.kubectl(['patch', 'configmap', 'small', '-n', 'yaml', '--type=merge', '-p', JSON.stringify({ data: { last: 'three', added: 'four' } })]);
  await line(page, /^ {2}last: three$/).waitFor({ timeout: PATIENCE });
  const marked = await page.locator('.yaml .line.changed').allTextContents();
  assert.ok(marked.includes('  last: three') && marked.includes('  added: four'), marked.join('|'));
  assert.ok(!marked.includes('  first: one'), marked.join('|'));
  assert.equal(await first.evaluate((line) => line.isTheSame), true, 'the others are the elements that they were');
  await page.context().close();
});
