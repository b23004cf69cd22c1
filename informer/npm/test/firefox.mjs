// Firefox for the tests of the package: Playwright drives a Firefox of its own only, Puppeteer that of the distribution.
//
// `launchFirefox` returns the part of Playwright's browser that the tests of the guarantees use (modes.test.mjs).
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBrowser } from '../../../tests/support/browser.mjs';
import { root } from './tarball.mjs';

const { default: puppeteer } = await import(createRequire(join(root, 'tests/package.json')).resolve('puppeteer-core'));

/** The path of Firefox; undefined if there is none. */
export const firefoxPath = findBrowser('firefox');

/** Starts Firefox without windows. */
export async function launchFirefox(timeout) {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefoxPath, headless: true, timeout, protocolTimeout: timeout });
  return {
    newContext: async () => contextOf(await browser.createBrowserContext()),
    close: () => browser.close(),
  };
}

/** In the page: logs the contents of objects, which a message of Firefox only names. */
function writeObjects() {
  const log = console.log.bind(console);
  console.log = (...values) => log(...values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)));
}

/** A context with pages whose methods have Playwright's names. */
function contextOf(context) {
  return {
    async newPage() {
      const page = await context.newPage();
      await page.evaluateOnNewDocument(writeObjects);
      page.addInitScript = async (script) => page.evaluateOnNewDocument(typeof script === 'string' ? script : await readFile(script.path, 'utf8'));
      return page;
    },
    close: () => context.close(),
  };
}
