// Editor of Secrets: values are placeholders until they are revealed one by one, and hidden values are not sent.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { change, closes, comparison, hides, openEditor, press, text } from '../support/editor.mjs';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
// edit.test.mjs explains the ignored error.
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !/Applying inline style/.test(error)), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };
const base64 = (text) => Buffer.from(text).toString('base64');
const values = { password: 'hunter2-of-data', file: 'first line\nsecond line\n' };
const binary = Buffer.from([0xff, 0x00, 0x80, 0x01]).toString('base64');
const all = [...Object.values(values).flatMap((value) => [value.split('\n')[0], base64(value)]), binary];
const MASK = '••••••••';

const get = async () => JSON.parse(await stage.kubectl(['get', 'secret', 'edited', '-n', 'default', '-o', 'json'])).data;
const patch = (data) => stage.kubectl(['patch', 'secret', 'edited', '-n', 'default', '--type=merge', '-p', JSON.stringify({ data })]);

beforeEach(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['delete', 'secret', 'edited', '-n', 'default', '--ignore-not-found']);
  const data = { password: base64(values.password), file: base64(values.file), key: binary };
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'edited', namespace: 'default' }, data }));
});

const open = () => openEditor(stage, '#/v1/secrets?object=default%2Fedited&tab=yaml');
const reveal = (page, name) => page.getByRole('group', { name: 'Values' }).getByRole('button', { name, exact: true });
test('one value is edited; the others stay as they are, and are never in the page', options, async () => {
  const page = await open();
  const before = await text(page);
  assert.match(before, new RegExp(`stringData:\n +file: ${MASK}\n +password: ${MASK}\ndata:\n +key: ${MASK}`));
  await hides(page, ...all);
  await change(page, `password: ${MASK}`, 'password: swordfish');
  await press(page, 'Review');
  const shown = await comparison(page, /password: •+ \(9 bytes, another value\)/);
  assert.match(shown, /password: •+ \(15 bytes, one value\)/);
  assert.doesNotMatch(shown, /swordfish/, 'a typed value that was not revealed is masked');
  await hides(page, ...all);
  assert.equal((await get()).password, base64(values.password), 'a review changes nothing');
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual(await get(), { password: base64('swordfish'), file: base64(values.file), key: binary });
  await page.context().close();
});

test('a value is revealed by its key, by keyboard, and hidden again', options, async () => {
  const page = await open();
  await reveal(page, 'Reveal file').focus();
  await page.keyboard.press('Enter');
  await eventually('it is decoded', PATIENCE, async () => /file: \|\n +first line\n +second line/.test(await text(page)));
  await hides(page, values.password, base64(values.password), binary);
  await eventually('the focus stays on its button', PATIENCE, () => reveal(page, 'Hide file').evaluate((button) => button.ownerDocument.activeElement === button));
  await page.keyboard.press('Enter');
  await eventually('it is masked again', PATIENCE, async () => (await text(page)).includes(`file: ${MASK}`));
  await reveal(page, 'Reveal password').click();
  await eventually('it is there', PATIENCE, async () => (await text(page)).includes(values.password));
  await change(page, values.password, 'swordfish');
  await press(page, 'Review');
  const shown = await comparison(page, /password: swordfish/);
  assert.match(shown, new RegExp(values.password), 'a revealed value is in the difference');
  await page.context().close();
});

test('a placeholder that was changed is an error with its line, and nothing is sent', options, async () => {
  const page = await open();
  await change(page, `password: ${MASK}`, 'password: ••••');
  const line = (await text(page)).split('\n').findIndex((one) => one.includes('password')) + 1;
  await press(page, 'Review');
  await page.locator('.problems li', { hasText: `Line ${line}, column 3` }).filter({ hasText: 'The placeholder of password was changed' }).waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.review').innerText(), '');
  await page.context().close();
});

test('a key is removed, and another one added', options, async () => {
  const page = await open();
  await change(page, new RegExp(` +file: ${MASK}\n`), '  added: new value\n');
  await press(page, 'Review');
  await comparison(page, /added: •+ \(9 bytes\)/);
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual(await get(), { password: base64(values.password), added: base64('new value'), key: binary });
  await page.context().close();
});

test('changes of others are shown by key, without values, and taken over only on demand', options, async () => {
  const page = await open();
  await change(page, `password: ${MASK}`, 'password: mine');
  await patch({ password: base64('theirs-theirs'), key: base64('theirs, too') });
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  await page.locator('.notices summary').click();
  await eventually('what changed', PATIENCE, async () => /password: •+ \(13 bytes, another value\)/.test(await page.locator('.notices .cm-content').innerText()));
  await press(page, 'Review');
  await page.locator('.outcome.failed li', { hasText: '.data.password was changed by others' }).waitFor({ timeout: PATIENCE });
  await hides(page, 'theirs-theirs', base64('theirs-theirs'), ...all);
  await press(page, 'Take over');
  await comparison(page, /another value/);
  await press(page, 'Apply');
  await closes(page);
  assert.deepEqual(await get(), { password: base64('mine'), file: base64(values.file), key: base64('theirs, too') }, 'only the edited value is overwritten');
  await page.context().close();
});

test('a value that is hidden again also disappears from the changes of others', options, async () => {
  const page = await open();
  await reveal(page, 'Reveal password').click();
  await patch({ password: base64('theirs-theirs') });
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  await page.locator('.notices summary').click();
  const others = page.locator('.notices .cm-content');
  await eventually('the revealed value', PATIENCE, async () => /password: theirs-theirs/.test(await others.innerText()));
  await reveal(page, 'Hide password').click();
  await eventually('it is masked', PATIENCE, async () => /password: •+ \(13 bytes, another value\)/.test(await others.innerText()));
  await hides(page, 'theirs-theirs', ...all);
  await patch({ password: base64('others-again') });
  await others.waitFor({ state: 'detached', timeout: PATIENCE });
  await page.locator('.notices summary').click();
  await eventually('what changed since', PATIENCE, async () => /password: •+ \(12 bytes, another value\)/.test(await others.innerText()));
  await page.getByRole('button', { name: 'Start again from the current state' }).click();
  await others.waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});
