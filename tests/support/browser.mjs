// Browsers of this machine: the program that CHROMIUM or FIREFOX names, or the first known one on PATH.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  firefox: ['firefox', 'firefox-esr'],
};

/** Names of a browser's programs, the preferred one first. */
const namesOf = (browser) => [process.env[browser.toUpperCase()], ...NAMES[browser]].filter(Boolean);

const places = (name) => (name.includes('/') ? [name] : process.env.PATH.split(delimiter).map((folder) => join(folder, name)));
const first = (names) => names.flatMap(places).find((path) => existsSync(path));

/** The path of a browser's program; undefined if there is none. */
export const findBrowser = (browser) => first(namesOf(browser));

/** The path of Chromium. Throws if there is none. */
export function findChromium() {
  const path = findBrowser('chromium');
  if (!path) throw new Error(`no browser: none of ${namesOf('chromium').join(', ')} is on PATH; run make setup`);
  return path;
}

/**
 * The path of the browser of tests that need no window: Chromium's headless shell (package chromium-headless-shell of Debian),
 * or Chromium. The shell has the same engine and no browser around it.
 */
export const findHeadless = () => first([process.env.CHROMIUM, 'chromium-headless-shell'].filter(Boolean)) ?? findChromium();
