// Firefox for the tests of the package: Playwright drives a Firefox of its own only, Puppeteer that of the distribution.
//
// `launchFirefox` returns the part of Playwright's browser that the tests of the guarantees and of the client use (modes.test.mjs, rules.test.mjs, client.test.mjs).
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

/** What Firefox logs, and Puppeteer reports as an exception, when a request or a WebSocket fails: the page only gets the events. */
const OF_REQUESTS = /can’t establish a connection to the server at wss?:|connection to wss?:\S+ was interrupted|blocked the loading of a resource \(connect-src\)/;

/** A context with pages whose methods have Playwright's names. */
function contextOf(context) {
  return {
    async newPage() {
      const page = await context.newPage();
      await page.evaluateOnNewDocument(writeObjects);
      // Playwright's second argument is that of the function. A frame may never be painted in a page behind another one.
      const waitForFunction = page.waitForFunction.bind(page);
      page.waitForFunction = (check, argument, options) => waitForFunction(check, { polling: 50, ...options }, argument);
      const on = page.on.bind(page);
      page.on = (name, listener) => on(name, name === 'pageerror' ? (error) => OF_REQUESTS.test(error) || listener(error) : listener);
      page.addInitScript = async (script) => page.evaluateOnNewDocument(typeof script === 'string' ? script : await readFile(script.path, 'utf8'));
      return page;
    },
    close: () => context.close(),
  };
}
