// Deletion of an object between the review and the write of an edit: the edit is kept, the reason is on screen, and no other object is
// written.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { change, closes, comparison, openEditor, press, text } from '../support/editor.mjs';
import { PATIENCE, TEST, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
// edit.test.mjs explains the ignored error.
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !/Applying inline style/.test(error)), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const write = (data, manager) => stage.kubectl(['apply', '--server-side', `--field-manager=${manager}`, '-n', 'default', '-f', '-'],
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data }));
const get = async () => JSON.parse(await stage.kubectl(['get', 'configmap', 'settings', '-n', 'default', '-o', 'json']));
const remove = () => stage.kubectl(['delete', 'configmap', 'settings', '-n', 'default', '--ignore-not-found']);

beforeEach(async () => {
  if (!stage.unavailable) await remove();
});

const failed = (page, says) => page.locator('.outcome.failed', { hasText: says }).waitFor({ timeout: PATIENCE });

/** Edits the object of a field manager, and reviews the edit: resolves to the page with the difference, and the text. */
async function review(manager, from, to) {
  await write({ mode: 'slow', other: 'stays', added: '1' }, manager);
  const page = await openEditor(stage, '#/v1/configmaps?object=default%2Fsettings&tab=yaml');
  await change(page, from, to);
  const kept = await text(page);
  await press(page, 'Review');
  const take = page.locator('dialog.action footer').getByRole('button', { name: 'Take over' });
  await take.or(page.locator('.review .comparison .cm-line').first()).first().waitFor({ timeout: PATIENCE });
  if (await take.isVisible()) await take.click();
  await comparison(page, /added: "1"/);
  return { page, kept };
}

// The editor sends a patch if the text removes a field that another manager owns, and an apply otherwise.
const WAYS = [
  ['the apply', 'kubectl', 'mode: slow', 'mode: mine', { mode: 'mine', other: 'stays', added: '1' }, 'The object has changed since the review.'],
  ['the patch', 'helm', /\n +other: stays/, '', { mode: 'slow', added: '1' }, 'configmaps "settings" not found'],
];
for (const [how, manager, from, to, data, reason] of WAYS) {
  test(`an edit is kept, and the reason is shown, if its object is deleted between the review and ${how}`, options, async () => {
    const { page, kept } = await review(manager, from, to);
    await remove();
    const deleted = page.locator('.notices', { hasText: 'The object was deleted while you edited it. Your text is kept.' });
    await deleted.waitFor({ timeout: PATIENCE });
    assert.ok(await page.locator('.review .comparison').isVisible(), 'the difference stays on screen');
    await press(page, 'Apply');
    await failed(page, reason);
    assert.equal(await text(page), kept);
    assert.ok(await deleted.isVisible(), 'the reason is still on screen');
    await press(page, 'Review');
    await failed(page, 'The ConfigMap does not exist any more. To create it anew, remove the line with its uid.');
    assert.equal(await text(page), kept);
    await assert.rejects(get(), /not found/);
    await change(page, /\n +uid: .*/, '');
    await press(page, 'Review');
    await comparison(page, /added: "1"/);
    await press(page, 'Apply');
    await closes(page);
    assert.deepEqual((await get()).data, data);
    await page.context().close();
  });

  test(`${how} is not written to another object that has the name since the review`, options, async () => {
    const { page, kept } = await review(manager, from, to);
    await remove();
    await write({ mode: 'slow', other: 'stays', added: '1' }, manager);
    await press(page, 'Apply');
    await failed(page, 'Conflict (409)');
    assert.equal(await text(page), kept);
    await press(page, 'Review');
    await failed(page, 'The ConfigMap was replaced by another one of the same name. Start again from the current state.');
    assert.equal(await text(page), kept);
    assert.deepEqual((await get()).data, { mode: 'slow', other: 'stays', added: '1' });
    await page.context().close();
  });
}
