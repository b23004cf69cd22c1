// Editor of the dashboard in browser tests: opens it, reads its text, replaces it as a paste, and presses its buttons.
import assert from 'node:assert/strict';
import { PATIENCE, eventually } from './harness.mjs';

/** Resolves to the page of an object with its editor open. `hash` is the address of its YAML. */
export async function openEditor(stage, hash) {
  const page = await stage.open(hash, { viewport: { width: 1400, height: 900 } });
  await page.locator('.drawer .yaml .line').first().waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Actions' }).waitFor();
  await page.keyboard.press('a');
  await page.locator('[role=menuitem][data-action=Edit]').click({ timeout: PATIENCE });
  await page.locator('.cm-content').first().waitFor({ timeout: PATIENCE });
  return page;
}

/** An empty line is a line break in the document. */
export const text = async (page) => (await page.locator('.editor .cm-line').allInnerTexts()).map((line) => line.replace(/\n$/, '')).join('\n');

export async function type(page, yaml) {
  await page.locator('.editor .cm-content').click();
  await page.keyboard.press('Control+a');
  // As a paste: typing would indent automatically.
  await page.keyboard.insertText(yaml);
}

/** Replaces a part of the text, which must be there. */
export async function change(page, from, to) {
  const before = await text(page);
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${from} is not in the text:\n${before}`);
  await type(page, after);
}

export const press = (page, name) => page.locator('dialog.action footer').getByRole('button', { name, exact: true }).click();
export const closes = (page) => page.locator('dialog.action').waitFor({ state: 'detached', timeout: PATIENCE });

/** Resolves to the text of the comparison, once it contains `what`. */
export const comparison = (page, what) =>
  eventually(`${what} in the comparison`, PATIENCE, async () => {
    const shown = await page.locator('.review .comparison .cm-content').innerText();
    return what.test(shown) && shown;
  });

/** Everything that the document holds, shadow roots included. */
const held = (page) => page.evaluate(() => {
  const roots = [document.documentElement, ...[...document.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot).filter(Boolean)];
  return roots.map((root) => `${root.innerHTML}\n${root.textContent}`).join('\n');
});

/** Asserts that no value is in the document, shadow roots included. */
export async function hides(page, ...values) {
  const shown = await held(page);
  for (const value of values) assert.ok(!shown.includes(value), `the document holds ${value}`);
}
