// YAML editor: dry run and difference first, conflicts by field and owner, and no loss of typed text.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { change, closes, comparison, openEditor, press, text, type } from '../support/editor.mjs';
import { PATIENCE, TEST, eventually, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
// Chromium styles text that replaces a selection in an editable element, and the page's policy blocks that. The only effect is a
// message on the console.
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !/Applying inline style/.test(error)), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const get = async (...args) => JSON.parse(await stage.kubectl(['get', ...args, '-n', 'default', '-o', 'json']));
const owned = (data, manager = 'kubectl') => stage.kubectl(['apply', '--server-side', `--field-manager=${manager}`, '-n', 'default', '-f', '-'],
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data }));

beforeEach(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default', '--ignore-not-found']);
  await owned({ mode: 'slow', other: 'stays' });
});

const HERE = '#/v1/configmaps?object=default%2Fsettings&tab=yaml';

const open = () => openEditor(stage, HERE);

test('a field of another owner is named, taken over, and applied after its difference was shown', options, async () => {
  const page = await open();
  assert.doesNotMatch(await text(page), /managedFields|resourceVersion/);
  await change(page, 'mode: slow', 'mode: fast');
  await press(page, 'Review');
  await page.locator('.outcome.failed li', { hasText: '.data.mode managed by kubectl' }).waitFor({ timeout: PATIENCE });
  assert.equal((await get('configmap', 'settings')).data.mode, 'slow', 'a review changes nothing');
  await press(page, 'Take over');
  await comparison(page, /mode: fast/);
  assert.equal((await get('configmap', 'settings')).data.mode, 'slow');
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual((await get('configmap', 'settings')).data, { mode: 'fast', other: 'stays' });
  await page.context().close();
});

test('of two owners each is listed with its own fields, and with the one that both have', options, async () => {
  await stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default']);
  await owned({ mode: 'slow', shared: 'a' }, 'kubectl');
  await owned({ other: 'stays', shared: 'a' }, 'helm');
  const page = await open();
  await type(page, (await text(page)).replace('mode: slow', 'mode: fast').replace('other: stays', 'other: goes').replace('shared: a', 'shared: b'));
  await press(page, 'Review');
  const listed = () => page.locator('.outcome.failed li').allInnerTexts().then((all) => all.map((one) => one.trim()).toSorted());
  const both = ['.data.shared managed by helm', '.data.shared managed by kubectl'];
  await settled('the conflicts', listed, ['.data.mode managed by kubectl', '.data.other managed by helm', ...both]);
  assert.match(await text(page), /mode: fast/, 'the text is kept');
  await press(page, 'Take over');
  await comparison(page, /other: goes/);
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual((await get('configmap', 'settings')).data, { mode: 'fast', other: 'goes', shared: 'b' });
  await page.context().close();
});

test('a field that is removed in the text is removed in the object', options, async () => {
  const page = await open();
  await change(page, /\n +other: stays/, '');
  await press(page, 'Review');
  await comparison(page, /other: stays/);
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual((await get('configmap', 'settings')).data, { mode: 'slow' });
  await page.context().close();
});

/** A write of another dashboard. All dashboards are one field manager, so a server-side apply reports no conflict between them. */
const dashboard = (data) => owned(data, 'kube-informer');

test('what others add meanwhile is kept, also by another dashboard, and when something is removed', options, async () => {
  await stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default']);
  await dashboard({ mode: 'slow', other: 'stays' });
  for (const [from, to, expected] of [['mode: slow', 'mode: fast', { mode: 'fast', other: 'stays', added: '1' }], [/\n +other: stays/, '', { mode: 'fast', added: '1', more: '2' }]]) {
    const page = await open();
    await change(page, from, to);
    await dashboard({ ...(await get('configmap', 'settings')).data, ...(expected.more ? { more: '2' } : { added: '1' }) });
    await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
    await press(page, 'Review');
    await page.getByText('Only what you changed is sent, as a patch of this version.').waitFor({ timeout: PATIENCE });
    await press(page, 'Apply');
    await closes(page);
    assert.deepEqual((await get('configmap', 'settings')).data, expected);
    await page.context().close();
  }
});

test('a field that another dashboard changed, too, is a conflict until it is taken over', options, async () => {
  await stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default']);
  await dashboard({ mode: 'slow', other: 'stays' });
  const page = await open();
  await change(page, 'mode: slow', 'mode: mine');
  await dashboard({ mode: 'theirs', other: 'theirs' });
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  await press(page, 'Review');
  await page.locator('.outcome.failed li', { hasText: '.data.mode was changed by others' }).waitFor({ timeout: PATIENCE });
  await press(page, 'Take over');
  await comparison(page, /mode: mine/);
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual((await get('configmap', 'settings')).data, { mode: 'mine', other: 'theirs' });
  await page.context().close();
});

test('what others change between the review and the apply is not overwritten', options, async () => {
  await stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default']);
  await dashboard({ mode: 'slow', other: 'stays' });
  const page = await open();
  await change(page, 'mode: slow', 'mode: mine');
  await press(page, 'Review');
  await comparison(page, /mode: mine/);
  await dashboard({ mode: 'slow', other: 'theirs' });
  await press(page, 'Apply');
  await page.locator('.outcome.failed', { hasText: 'The object has changed since the review.' }).waitFor({ timeout: PATIENCE });
  assert.deepEqual((await get('configmap', 'settings')).data, { mode: 'slow', other: 'theirs' });
  assert.match(await text(page), /mode: mine/, 'the text is kept');
  await page.context().close();
});

test('the text cannot be changed while the server checks it', options, async () => {
  const page = await open();
  await change(page, 'mode: slow', 'mode: mine');
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(/dryRun=All/, async (route) => {
    await released;
    await route.continue();
  });
  await press(page, 'Review');
  await page.getByText('The server checks it').waitFor({ timeout: PATIENCE });
  const before = await text(page);
  await page.locator('.editor .cm-content').click();
  await page.keyboard.insertText('lost');
  await page.keyboard.press('Enter');
  release();
  await page.locator('.outcome.failed li', { hasText: '.data.mode managed by kubectl' }).waitFor({ timeout: PATIENCE });
  assert.equal(await text(page), before, 'the text cannot be edited during a review');
  await change(page, 'mode: mine', 'mode: yours');
  assert.match(await text(page), /mode: yours/, 'after the review the text can be edited again');
  await page.context().close();
});

test('YAML that does not parse is marked with line and column, and not sent', options, async () => {
  const page = await open();
  await type(page, 'apiVersion: v1\nkind: [ConfigMap\n');
  await page.locator('.problems li', { hasText: /Line \d+, column \d+/ }).first().waitFor({ timeout: PATIENCE });
  await press(page, 'Review');
  assert.equal(await page.locator('.review').innerText(), '');
  await page.context().close();
});

test('a notice appears if others change or delete the object meanwhile, and the edit is kept', options, async () => {
  const page = await open();
  await change(page, 'mode: slow', 'mode: mine');
  await owned({ mode: 'theirs', other: 'stays' });
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  assert.match(await text(page), /mode: mine/);
  await stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default']);
  await page.locator('.notices', { hasText: 'deleted while you edited it' }).waitFor({ timeout: PATIENCE });
  assert.match(await text(page), /mode: mine/);
  await page.context().close();
});

test('Escape does not close an editor, however often it is pressed', options, async () => {
  const page = await open();
  await change(page, 'mode: slow', 'mode: mine');
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
  assert.match(await text(page), /mode: mine/);
  await page.locator('dialog.action > header').getByRole('button', { name: 'Close' }).focus();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
  assert.match(await text(page), /mode: mine/);
  await press(page, 'Close');
  await closes(page);
  await page.context().close();
});

test('a reload asks before it discards an edit', options, async () => {
  const page = await open();
  await change(page, 'mode: slow', 'mode: mine');
  const asked = new Promise((resolve) => page.once('dialog', async (question) => {
    await question.dismiss();
    resolve(question.type());
  }));
  await page.evaluate(() => setTimeout(() => location.reload()));
  assert.equal(await asked, 'beforeunload');
  assert.match(await text(page), /mode: mine/);
  await press(page, 'Close');
  await closes(page);
  assert.ok(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))), 'without changes, a reload does not ask');
  await page.context().close();
});

test('what others change while the editor is loaded is told', options, async () => {
  const page = await stage.open(HERE, { viewport: { width: 1400, height: 900 } });
  let release;
  const released = new Promise((resolve) => (release = resolve));
  let isAsked = false;
  await page.route('**/parts/edit.js', async (route) => {
    isAsked = true;
    await released;
    await route.continue();
  });
  await page.locator('.drawer .yaml .line').first().waitFor({ timeout: PATIENCE });
  await page.keyboard.press('a');
  await page.locator('[role=menuitem][data-action=Edit]').click({ timeout: PATIENCE });
  await eventually('the editor is being loaded', PATIENCE, () => isAsked);
  await owned({ mode: 'theirs', other: 'stays' });
  await page.locator('.drawer .yaml .line', { hasText: 'mode: theirs' }).waitFor({ timeout: PATIENCE });
  release();
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('fields are completed from the schema of the server', options, async () => {
  const page = await open();
  await type(page, 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  repli');
  await page.keyboard.press('Control+Space');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'replicas' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('several documents are created from pasted YAML', options, async () => {
  const page = await stage.open('#/v1/configmaps');
  await page.getByRole('button', { name: 'Create from YAML' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('c');
  await page.locator('.editor .cm-content').waitFor({ timeout: PATIENCE });
  await type(page, ['one', 'two'].map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made-${name}\ndata:\n  a: "1"\n`).join('---\n'));
  await press(page, 'Review');
  await comparison(page, /made-two/);
  await press(page, 'Apply');
  await page.getByText('Applied: ConfigMap made-one, ConfigMap made-two.').waitFor({ timeout: PATIENCE });
  for (const name of ['made-one', 'made-two']) assert.equal((await get('configmap', name)).data.a, '1');
  await page.context().close();
});

test('a Job with a generated name is created once, though a later document failed', options, async () => {
  const jobs = async () => (await get('jobs', '-l', 'made=once')).items.length;
  const job = 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: once-\n  labels: {made: once}\nspec:\n  suspend: true\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: a, image: pause}]\n';
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made-late\ndata:\n  a: "1"\n';
  const page = await stage.open('#/v1/configmaps');
  await page.getByRole('button', { name: 'Create from YAML' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('c');
  await page.locator('.editor .cm-content').waitFor({ timeout: PATIENCE });
  await type(page, `${job}---\n${map}`);
  await press(page, 'Review');
  await comparison(page, /made: once/);
  // The object of the second document is created after the review, so its apply fails.
  await stage.kubectl(['apply', '--server-side', '-n', 'default', '-f', '-'], map.replace('"1"', '"0"'));
  await press(page, 'Apply');
  await page.getByText('1 of 2 objects were applied.').waitFor({ timeout: PATIENCE });
  await type(page, `${job}---\n${map.replace('"1"', '"0"')}  b: "2"\n`);
  await press(page, 'Review');
  await page.getByText(/Already created, and not created again: Job once-/).waitFor({ timeout: PATIENCE });
  await press(page, 'Apply');
  await page.getByText(/Applied: Job once-[^ ]+, ConfigMap made-late\./).waitFor({ timeout: PATIENCE });
  assert.equal(await jobs(), 1);
  assert.deepEqual((await get('configmap', 'made-late')).data, { a: '0', b: '2' });
  await page.context().close();
});

test('a namespace and what belongs into it are created from one text', options, async () => {
  await stage.kubectl(['delete', 'namespace', 'made', '--ignore-not-found']);
  const page = await stage.open('#/v1/configmaps');
  await page.getByRole('button', { name: 'Create from YAML' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('c');
  await page.locator('.editor .cm-content').waitFor({ timeout: PATIENCE });
  await type(page, 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: made\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: inside\n  namespace: made\ndata:\n  a: "1"\n');
  await press(page, 'Review');
  // The embedded server has no admission: it accepts objects in namespaces that do not exist.
  await comparison(page, /name: inside/);
  await press(page, 'Apply');
  await page.getByText('Applied: Namespace made, ConfigMap inside.').waitFor({ timeout: PATIENCE });
  assert.equal(JSON.parse(await stage.kubectl(['get', 'configmap', 'inside', '-n', 'made', '-o', 'json'])).data.a, '1');
  await page.context().close();
});
