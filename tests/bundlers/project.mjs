// A project of a user: the page in `page/`, the files of a bundler, and the package from its tarball. And the check of what it shows.
import assert from 'node:assert/strict';
import { cp, readdir, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unpack } from '../../informer/npm/test/tarball.mjs';
import { findHeadless } from '../support/browser.mjs';
import { eventually } from '../support/eventually.mjs';
import { startEmbedded } from '../support/start.mjs';

const { chromium } = createRequire(new URL('../package.json', import.meta.url))('playwright-core');
const here = fileURLToPath(new URL('.', import.meta.url));
/** Folder of the installed bundlers. */
export const installed = join(here, 'node_modules');
export const PATIENCE = 120_000;
const PODS = 6;

let browser;
before(async () => (browser = await chromium.launch({ executablePath: findHeadless(), args: ['--no-sandbox'] })));
after(() => browser?.close());

/** Creates the project of a bundler, in a folder that is removed at the end. Resolves to the folder. */
export function project(bundler) {
  // The files of the bundler replace those of the page.
  return projectOf(...['page', bundler].map((name) => join(here, name)));
}

/** Creates a project from the files of these folders, with the package and everything that is installed here. */
export async function projectOf(...folders) {
  const { home, remove } = await unpack();
  after(remove);
  for (const folder of folders) await cp(folder, home, { recursive: true });
  for (const name of await readdir(installed)) await symlink(join(installed, name), join(home, 'node_modules', name));
  return home;
}

/** Puts a version of React into a project. */
export async function useReact(home, version) {
  for (const name of ['react', 'react-dom']) {
    await rm(join(home, 'node_modules', name), { recursive: true, force: true });
    // Not a link: react-dom finds react beside itself.
    await cp(join(installed, `${name}${version}`), join(home, 'node_modules', name), { recursive: true });
  }
}

/** Starts an apiserver with a few pods, which also serves the files of a folder at `/ui/`. */
export const startApiserver = (folder, args = []) =>
  startEmbedded([...(args.length > 0 ? args : ['--pods', `${PODS}`, '--churn', '0']), '--cors', ...(folder ? ['--www', folder] : [])]);

/** Opens a page. Resolves to `{ page, errors, close }`; `errors` are those of its console. */
export async function openPage(url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  return { page, errors, close: () => context.close() };
}

/** Opens the page and checks that it shows the pods, and a new one, without an error in the console. */
export async function showsPods(url, api) {
  const { page, errors, close } = await openPage(url);
  const items = page.locator('#pods li');
  await eventually('the pods, or an error', PATIENCE, async () => (await items.count()) >= PODS - 1 || errors.length > 0);
  assert.deepEqual(errors, []);
  const name = `aaa-${Math.random().toString(36).slice(2)}`;
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
  const created = await fetch(`${api}/api/v1/namespaces/default/pods`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  assert.ok(created.ok, await created.text());
  await items.filter({ hasText: name }).waitFor({ timeout: PATIENCE });
  assert.deepEqual(errors, []);
  await close();
}
