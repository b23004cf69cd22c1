// Terminals of the dashboard in browser tests: opened by its Shell tab, typed into, read from the screen.
import { PATIENCE, eventually } from './harness.mjs';

/** A page with the Shell tab of a pod of the namespace `default`, before a shell is opened; `more` is the rest of its address. */
export async function openTab(stage, pod, profile, more = '') {
  const page = await stage.open(`#/v1/pods?object=default%2F${pod}${more}`, { viewport: { width: 1600, height: 900 }, ...profile });
  await page.getByRole('tab', { name: 'Shell' }).click({ timeout: PATIENCE });
  return page;
}

export const openShell = (page) => page.getByRole('button', { name: 'Open', exact: true }).click({ timeout: PATIENCE });
/** Of the shown terminal; others are hidden. */
export const shown = (page, selector) => page.locator(`.terminal-frame:not([hidden]) ${selector}`);
export const connected = (page) => shown(page, '.terminal-says').getByText('Connected.').waitFor({ timeout: PATIENCE });

export const hasFocus = (page) =>
  eventually('the terminal has the focus', PATIENCE, () => page.evaluate(() => document.activeElement.matches('.terminal-frame:not([hidden]) .terminal textarea')));

/** Types a line into the shown terminal, once it has the focus. */
export async function type(page, line) {
  await hasFocus(page);
  await page.keyboard.type(`${line}\n`);
}

export const screen = (page) => shown(page, '.xterm-rows').innerText();

/** Waits until the shown terminal matches; resolves to the match. */
export async function shows(page, text) {
  let last = '';
  return eventually(`${text} in the terminal`, PATIENCE, async () => (last = await screen(page)).match(text)).catch((error) => {
    throw new Error(`${error.message}; there is\n${last}`);
  });
}
