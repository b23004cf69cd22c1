// Drafts: changes in an editor that was closed before they were applied. The next editor of the same object offers them.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { change, closes, comparison, hides, openEditor, press, text, type } from '../support/editor.mjs';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
// edit.test.mjs explains the ignored error.
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !/Applying inline style/.test(error)), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const write = (object) => stage.kubectl(['apply', '--server-side', '-n', 'default', '-f', '-'], JSON.stringify({ apiVersion: 'v1', metadata: { name: 'drafted' }, ...object }));
const get = async (kind) => JSON.parse(await stage.kubectl(['get', kind, 'drafted', '-n', 'default', '-o', 'json'])).data;

beforeEach(async () => {
  if (stage.unavailable) return;
  for (const kind of ['configmap', 'secret']) await stage.kubectl(['delete', kind, 'drafted', '-n', 'default', '--ignore-not-found']);
  await write({ kind: 'ConfigMap', data: { mode: 'slow', other: 'stays' } });
  await write({ kind: 'Secret', data: { password: Buffer.from('hunter2').toString('base64') } });
});

const open = (kind) => openEditor(stage, `#/v1/${kind}?object=default%2Fdrafted&tab=yaml`);
const offer = (page) => page.locator('.notices', { hasText: 'with changes that were not applied' });

/** Goes to another address, which closes the editor, and back. */
async function leaveAndReturn(page) {
  await page.evaluate(() => (location.hash = '#/v1/namespaces'));
  await closes(page);
  await page.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.goBack();
  await page.locator('.drawer .yaml .line').first().waitFor({ timeout: PATIENCE });
  await reopen(page);
}

async function reopen(page) {
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await page.locator('[role=menuitem][data-action=Edit]').click({ timeout: PATIENCE });
  await page.locator('.editor .cm-content').waitFor({ timeout: PATIENCE });
}

/** Closes the editor by its button, and opens it again. */
async function closeAndReopen(page) {
  await press(page, 'Close');
  await closes(page);
  await reopen(page);
}

/** Reviews the text, takes over fields of others, and applies the text once `what` is in the difference. */
async function applyOver(page, what) {
  await press(page, 'Review');
  await press(page, 'Take over');
  await comparison(page, what);
  await press(page, 'Apply');
}

test('an edit survives Back and Forward; what others changed meanwhile is told, and kept', options, async () => {
  const page = await open('configmaps');
  await change(page, 'mode: slow', 'mode: mine');
  await leaveAndReturn(page);
  assert.match(await text(page), /mode: slow/, 'the editor begins with the state of the cluster');
  await write({ kind: 'ConfigMap', data: { mode: 'slow', other: 'stays', added: 'by others' } });
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  await offer(page).getByRole('button', { name: 'Continue these changes' }).click();
  await eventually('the draft is the text', PATIENCE, async () => /mode: mine/.test(await text(page)));
  await page.locator('.notices', { hasText: 'changed by others' }).waitFor({ timeout: PATIENCE });
  assert.equal(await offer(page).count(), 0);
  await applyOver(page, /mode: mine/);
  await closes(page);
  assert.deepEqual(await get('configmap'), { mode: 'mine', other: 'stays', added: 'by others' });
  await reopen(page);
  assert.equal(await offer(page).count(), 0, 'an applied edit is no draft');
  await page.context().close();
});

test('an edit that was closed by its button is offered until it is discarded', options, async () => {
  const page = await open('configmaps');
  await change(page, 'mode: slow', 'mode: mine');
  await closeAndReopen(page);
  await closeAndReopen(page);
  await offer(page).getByRole('button', { name: 'Discard them' }).click();
  await offer(page).waitFor({ state: 'detached', timeout: PATIENCE });
  await closeAndReopen(page);
  assert.equal(await offer(page).count(), 0);
  await page.context().close();
});

test('the draft of a Secret shows no value until it is continued', options, async () => {
  const page = await open('secrets');
  await change(page, /password: •+/, 'password: swordfish');
  await leaveAndReturn(page);
  await offer(page).waitFor({ timeout: PATIENCE });
  await hides(page, 'swordfish', 'hunter2');
  await offer(page).getByRole('button', { name: 'Continue these changes' }).click();
  await eventually('the draft is the text', PATIENCE, async () => /password: swordfish/.test(await text(page)));
  await press(page, 'Review');
  await comparison(page, /password: •+ \(9 bytes, another value\)/);
  await page.context().close();
});

test('a value that was only revealed is no change', options, async () => {
  const page = await open('secrets');
  await page.getByRole('group', { name: 'Values' }).getByRole('button', { name: 'Reveal password', exact: true }).click();
  await eventually('it is revealed', PATIENCE, async () => /password: hunter2/.test(await text(page)));
  await page.keyboard.press('Escape');
  await closes(page);
  await reopen(page);
  assert.equal(await offer(page).count(), 0);
  await hides(page, 'hunter2');
  await page.context().close();
});

test('an offer that is not answered outlives another edit', options, async () => {
  const page = await open('configmaps');
  await change(page, 'mode: slow', 'mode: first');
  await closeAndReopen(page);
  await change(page, 'other: stays', 'other: second');
  await applyOver(page, /other: second/);
  await closes(page);
  await reopen(page);
  await offer(page).getByRole('button', { name: 'Continue these changes' }).click();
  await eventually('the draft is the text', PATIENCE, async () => /mode: first/.test(await text(page)));
  await page.getByRole('button', { name: 'Start again from the current state' }).click();
  await closeAndReopen(page);
  assert.equal(await offer(page).count(), 0, 'a draft that was continued and then given up is not offered again');
  await page.context().close();
});

test('a text whose request fails after its editor was closed is offered', options, async () => {
  const page = await open('configmaps');
  await change(page, 'mode: slow', 'mode: mine');
  await press(page, 'Review');
  await press(page, 'Take over');
  await comparison(page, /mode: mine/);
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const sent = page.waitForRequest((request) => /\/configmaps\/drafted\?/.test(request.url()) && request.method() !== 'GET');
  await page.route(/\/configmaps\/drafted\?/, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await released;
    await route.fulfill({ status: 500, json: { kind: 'Status', status: 'Failure', code: 500, message: 'it broke' } });
  });
  await press(page, 'Apply');
  await sent;
  await page.evaluate(() => (location.hash = '#/v1/namespaces'));
  await closes(page);
  release();
  await page.goBack();
  await eventually('the draft is offered', PATIENCE, async () => {
    await reopen(page);
    if (await offer(page).isVisible()) return true;
    await page.keyboard.press('Escape');
    await closes(page);
    return false;
  });
  await page.context().close();
});

test('the draft of an object that was deleted since keeps the notice of that', options, async () => {
  const page = await open('configmaps');
  await change(page, 'mode: slow', 'mode: mine');
  await closeAndReopen(page);
  await stage.kubectl(['delete', 'configmap', 'drafted', '-n', 'default']);
  const deleted = page.locator('.notices', { hasText: 'deleted while you edited it' });
  await deleted.waitFor({ timeout: PATIENCE });
  await offer(page).getByRole('button', { name: 'Continue these changes' }).click();
  await eventually('the draft is the text', PATIENCE, async () => /mode: mine/.test(await text(page)));
  assert.equal(await deleted.count(), 1);
  await page.context().close();
});

test('pasted documents are kept when the dialog is closed', options, async () => {
  const page = await stage.open('#/v1/configmaps');
  const create = page.getByRole('button', { name: 'Create from YAML' });
  await create.click({ timeout: PATIENCE });
  await page.locator('.editor .cm-content').waitFor({ timeout: PATIENCE });
  await type(page, 'kind: Mine');
  await press(page, 'Close');
  await closes(page);
  await create.click();
  await offer(page).getByRole('button', { name: 'Continue these changes' }).click({ timeout: PATIENCE });
  await eventually('the draft is the text', PATIENCE, async () => /kind: Mine/.test(await text(page)));
  await page.context().close();
});

test('Escape closes an editor without changes, and a reload does not ask', options, async () => {
  const page = await open('configmaps');
  assert.ok(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))), 'without changes, a reload does not ask');
  await page.keyboard.press('Escape');
  await closes(page);
  await page.context().close();
});
