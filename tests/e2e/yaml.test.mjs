// YAML of the open object, of any length and with values of any length: folding, search, managers of a field, changes.
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
const tree = (page) => page.getByRole('tree', { name: 'YAML' });
const current = (page) => page.locator('.yaml .line.current');
const apply = (manager, object) => stage.kubectl(['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`, '-f', '-'], JSON.stringify(object));
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
  await create('blocks', { text: 'alpha\nneedle\nomega', other: 'a needle, too' });
});

test('30,000 lines open at once: those in sight are in the document', options, async (t) => {
  const page = await stage.open(hash());
  await row(page, 'yaml/large').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // Measured in the page, from the press to the frame with the first lines; `blocked` is the longest time without a frame.
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
  assert.ok((await panel.evaluate((panel) => panel.scrollHeight)) > lines * 15, 'the scroll height includes all lines');

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

test('keys, literals and strings have colours of their own', options, async () => {
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'coloured', namespace: 'yaml' }, immutable: true, data: { number: '1', block: '17\n18', word: 'plain' } }));
  const page = await stage.open(hash('coloured'));
  const colour = async (text, part) => {
    await line(page, text).waitFor({ timeout: PATIENCE });
    return line(page, text).locator(part).evaluate((element) => getComputedStyle(element).color);
  };
  const [key, literal, quoted, word, block] = await Promise.all([
    colour(/^immutable: true$/, '.key'), colour(/^immutable: true$/, '.value'), colour(/^ {2}number: '1'$/, '.value'), colour(/^ {2}word: plain$/, '.value'), colour(/^ {4}17$/, '.value'),
  ]);
  assert.equal(new Set([key, literal, word]).size, 3);
  assert.deepEqual([quoted, block], [word, word], 'text that looks like a number has the colour of text');
  await page.context().close();
});

test('a value of 10 kB is clipped until "Show all", and copied whole', options, async () => {
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

test('a copy that the browser denies is not called one', options, async () => {
  const page = await stage.open(hash('small'), profile);
  const copy = page.locator('.drawer').getByRole('button', { name: 'Copy', exact: true });
  await copy.waitFor({ timeout: PATIENCE });
  await page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))));
  await copy.click();
  await page.locator('[role=status]', { hasText: 'the browser gives no access to the clipboard' }).first().waitFor({ state: 'attached', timeout: PATIENCE });
  assert.equal(await page.getByRole('button', { name: 'Copied', exact: true }).count(), 0);
  await page.context().close();
});

test('the managers of a deleted object are not waited for', options, async () => {
  await stage.kubectl(['create', 'configmap', 'gone', '-n', 'yaml', '--from-literal=a=b']);
  const page = await stage.open(hash('gone'));
  await line(page, /^ {2}a: b$/).waitFor({ timeout: PATIENCE });
  await stage.kubectl(['delete', 'configmap', 'gone', '-n', 'yaml']);
  await page.locator('.drawer .notice', { hasText: 'Deleted' }).waitFor({ timeout: PATIENCE });
  await line(page, /^ {2}a: b$/).click();
  await page.locator('.owner', { hasText: 'Cannot read managedFields: the object was deleted.' }).waitFor({ timeout: PATIENCE });
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
  assert.equal(await first.evaluate((line) => line.isTheSame), true, 'unchanged lines are the same elements');
  await page.context().close();
});

test('blocks fold by mouse and by keyboard, and stay folded while the object changes', options, async () => {
  const page = await stage.open(hash('blocks'));
  const data = line(page, /^data:$/);
  await data.waitFor({ timeout: PATIENCE });
  assert.equal(await data.getAttribute('aria-expanded'), 'true');
  await page.getByRole('button', { name: 'Fold data', exact: true }).click();
  await line(page, /^ {4}omega$/).waitFor({ state: 'detached', timeout: PATIENCE });
  assert.equal(await data.getAttribute('aria-expanded'), 'false');
  assert.equal(await data.getAttribute('data-hidden'), '5 lines');
  await stage.kubectl(['patch', 'configmap', 'blocks', '-n', 'yaml', '--type=merge', '-p', JSON.stringify({ data: { added: 'x' } })]);
  await page.locator('.yaml .line[data-hidden="6 lines"]').waitFor({ timeout: PATIENCE });
  assert.match(await data.getAttribute('class'), /changed/, 'a folded line is marked when a line in it changes');

  // Since the click the focus is on the lines, and the current line is the folded one.
  await page.keyboard.press('ArrowRight');
  await line(page, /^ {4}omega$/).waitFor({ timeout: PATIENCE });
  const id = await current(page).getAttribute('id');
  assert.equal(await tree(page).getAttribute('aria-activedescendant'), id);
  assert.equal(await current(page).textContent(), 'data:');
  for (let presses = 0; (await current(page).textContent()) !== '    omega'; presses += 1) {
    assert.ok(presses < 10, 'the arrow key reaches the line');
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('ArrowLeft');
  assert.equal(await current(page).textContent(), '  text: |-', 'ArrowLeft moves to the parent line');
  await page.keyboard.press('ArrowLeft');
  await line(page, /^ {4}omega$/).waitFor({ state: 'detached', timeout: PATIENCE });
  assert.equal(await current(page).getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('Home');
  assert.match(await current(page).textContent(), /^(kind|apiVersion): /);
  await page.getByRole('button', { name: 'Unfold all' }).click();
  await line(page, /^ {4}omega$/).waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Fold all' }).click();
  await line(page, /^ {2}other: /).waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('a search marks and counts matches, and opens the blocks that they are in', options, async () => {
  const page = await stage.open(hash('blocks'));
  await line(page, /^data:$/).waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Fold all' }).click();
  await line(page, /^data:$/).click();
  await page.keyboard.press('/');
  const box = page.getByRole('textbox', { name: 'Search this YAML' });
  await eventually('the key leads to the box', PATIENCE, () => box.evaluate((box) => document.activeElement === box));
  await page.keyboard.type('NEEDLE');
  const found = page.locator('.yaml-search [role=status]');
  await eventually('both are counted', PATIENCE, async () => (await found.textContent()) === '1 of 2');
  await page.locator('.yaml .line.current mark', { hasText: 'needle' }).waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.yaml mark').count(), 2);
  const first = await current(page).textContent();
  await page.keyboard.press('Enter');
  await eventually('the next one', PATIENCE, async () => (await found.textContent()) === '2 of 2');
  assert.notEqual(await current(page).textContent(), first);
  await page.keyboard.press('Enter');
  await eventually('after the last comes the first', PATIENCE, async () => (await found.textContent()) === '1 of 2');
  await page.keyboard.press('Shift+Enter');
  await eventually('and back', PATIENCE, async () => (await found.textContent()) === '2 of 2');
  await box.fill('nowhere');
  await eventually('nothing', PATIENCE, async () => (await found.textContent()) === 'No match');
  await page.keyboard.press('Escape');
  assert.equal(await box.inputValue(), '');
  assert.equal(await page.locator('.yaml mark').count(), 0);
  assert.equal(await page.locator('.drawer').count(), 1, 'Escape empties the box first');
  await page.context().close();
});

test('a match far down in 30,000 lines is scrolled to', options, async () => {
  const page = await stage.open(hash('large'));
  await line(page, /^ {4}line 0$/).waitFor({ timeout: PATIENCE });
  await page.getByRole('textbox', { name: 'Search this YAML' }).fill('line 29000');
  await page.locator('.yaml .line.current mark').waitFor({ timeout: PATIENCE });
  await eventually('it is in sight', PATIENCE, () => current(page).evaluate((line) => {
    const [at, panel] = [line.getBoundingClientRect(), line.closest('.panel').getBoundingClientRect()];
    return at.height > 0 && at.top >= panel.top && at.bottom <= panel.bottom;
  }));
  assert.ok((await page.locator('.yaml .line').count()) < 1_000);
  await page.context().close();
});

test('a line shows the managers of its field, with time and operation', options, async () => {
  const object = (data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', namespace: 'yaml' }, data });
  await apply('first-team', object({ mine: '1', ours: '1' }));
  await apply('second-team', object({ ours: '1' }));
  const page = await stage.open(hash('owned'));
  await line(page, /^ {2}mine: /).click({ timeout: PATIENCE });
  const says = page.locator('.owner');
  await says.filter({ hasText: /data\.mine set by first-team \(Apply, .* ago, \d{4}-\d\d-\d\d .* UTC\)/ }).waitFor({ timeout: PATIENCE });
  assert.doesNotMatch(await says.textContent(), /second-team/);
  await page.keyboard.press('ArrowDown');
  await says.filter({ hasText: /data\.ours set by/ }).waitFor({ timeout: PATIENCE });
  for (const team of ['first-team', 'second-team']) assert.match(await says.textContent(), new RegExp(`${team} \\(Apply`));
  await page.keyboard.press('Home');
  await says.filter({ hasText: 'identity' }).waitFor({ timeout: PATIENCE });
  // For a field that was set after the managers were read, they are read again.
  await apply('third-team', object({ mine: '2' }));
  await line(page, /^ {2}mine: '2'$/).click({ timeout: PATIENCE });
  await says.filter({ hasText: /data\.mine set by third-team/ }).waitFor({ timeout: PATIENCE });
  await page.locator('.managed summary').click();
  await page.locator('.managed .line', { hasText: 'manager: third-team' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('managed fields that could not be read are read again with the next line', options, async () => {
  await apply('first-team', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'retried', namespace: 'yaml' }, data: { mine: '1', ours: '1' } });
  // With the engine in the page, its requests can be intercepted.
  const page = await stage.open(`?worker=off${hash('retried')}`);
  const failed = { apiVersion: 'v1', kind: 'Status', status: 'Failure', message: 'refused by the test', reason: 'Forbidden', code: 403 };
  await page.route(/\/configmaps\/retried(\?|$)/, (route) => route.fulfill({ status: 403, json: failed }));
  await line(page, /^ {2}mine: /).click({ timeout: PATIENCE });
  const says = page.locator('.owner');
  await says.filter({ hasText: 'Cannot read managedFields' }).waitFor({ timeout: PATIENCE });
  await page.unroute(/\/configmaps\/retried(\?|$)/);
  await page.keyboard.press('ArrowDown');
  await says.filter({ hasText: /data\.ours set by first-team/ }).waitFor({ timeout: PATIENCE });
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/403/.test(error)));
  await page.context().close();
});

test('of equal lines, the one whose value changed is marked', options, async () => {
  const service = (ports) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'ports', namespace: 'yaml' }, spec: { selector: { a: 'b' }, ports } });
  const port = (name, number, targetPort) => ({ name, port: number, targetPort });
  await apply('test', service([port('a', 1, 80), port('b', 2, 81), port('c', 3, 80)]));
  const page = await stage.open('#/v1/services?namespace=yaml&object=yaml%2Fports&tab=yaml');
  await line(page, /targetPort: 81$/).waitFor({ timeout: PATIENCE });
  const middle = line(page, /targetPort: /).nth(1);
  await apply('test', service([port('a', 1, 80), port('b', 2, 80), port('c', 3, 80)]));
  await line(page, /targetPort: 81$/).waitFor({ state: 'detached', timeout: PATIENCE });
  assert.match(await middle.getAttribute('class'), /changed/);
  assert.doesNotMatch(await line(page, /targetPort: /).nth(2).getAttribute('class'), /changed/);
  await page.context().close();
});

test('with reduced motion a change is seen without movement', options, async () => {
  const page = await stage.open(hash('small'), { reducedMotion: 'reduce' });
  await line(page, /^ {2}first: one$/).waitFor({ timeout: PATIENCE });
  await stage.kubectl(['patch', 'configmap', 'small', '-n', 'yaml', '--type=merge', '-p', JSON.stringify({ data: { moved: `${Date.now()}` } })]);
  const changed = page.locator('.yaml .line.changed', { hasText: 'moved' });
  await changed.waitFor({ timeout: PATIENCE });
  assert.deepEqual(await changed.evaluate((line) => [getComputedStyle(line).animationDuration, getComputedStyle(line).animationTimingFunction]), ['2.4s', 'steps(1)']);
  await page.context().close();
});
