// Actions of the dashboard in browser tests: the menu of the open object or of the marked rows, and its dialog.
import { PATIENCE, eventually, row } from './harness.mjs';

export const dialog = (page) => page.locator('dialog.action');
/** The button of the dialog's footer. */
export const button = (page, name) => dialog(page).locator('footer').getByRole('button', { name, exact: true });
export const press = (page, name) => button(page, name).click({ timeout: PATIENCE });
export const closes = (page) => dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
/** Waits for the sentence about an action on several objects. */
export const ends = (page, text) => dialog(page).locator('.outcome', { hasText: text }).waitFor({ timeout: PATIENCE });

/** Opens the dialog of an action on the open object. */
export async function act(page, action) {
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await page.locator(`.drawer [role=menuitem][data-action=${action}]`).click({ timeout: PATIENCE });
  await dialog(page).waitFor({ timeout: PATIENCE });
}

/** Marks rows by their keys. */
export async function mark(page, ...keys) {
  for (const key of keys) await row(page, key).click({ modifiers: ['Control'], timeout: PATIENCE });
  await page.locator('.marks .number', { hasText: `${keys.length} row${keys.length === 1 ? '' : 's'} marked` }).waitFor({ timeout: PATIENCE });
}

/** Opens the dialog of an action on the marked rows. */
export async function actOnMarked(page, action) {
  await page.keyboard.press('a');
  await page.locator(`.marks [role=menuitem][data-action=${action}]`).click({ timeout: PATIENCE });
  await dialog(page).waitFor({ timeout: PATIENCE });
}

/** Waits until the element with the focus satisfies `check`, which runs in the page. */
export const isFocused = (page, what, check, argument) => eventually(`the focus is on ${what}`, PATIENCE, () => page.evaluate(check, argument));
