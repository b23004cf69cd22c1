// The demo, in Chromium: the dashboard on a simulated cluster, from a folder of static files without an apiserver.
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, launch } from '../support/harness.mjs';
import { launch as launchCommand } from '../launcher/launched.mjs';
import { build, serveFolder } from './site.mjs';

let folder;
let site;
let browser;
before(async () => {
  folder = await build();
  site = await serveFolder(folder);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const launcher = fileURLToPath(new URL('../../web/launcher/launch.mjs', import.meta.url));

const errors = [];
afterEach(() => assert.deepEqual(errors.splice(0), [], 'the page reported errors'));

/** Opens an address of the demo in a new profile. */
async function open(address, profile = {}) {
  const page = await (await browser.newContext(profile)).newPage();
  await page.exposeFunction('violated', (violation) => errors.push(violation));
  await page.addInitScript(() => addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => globalThis.violated(`${violatedDirective} ${blockedURI}`)));
  page.on('pageerror', (error) => errors.push(error.stack ?? `${error}`));
  await page.goto(new URL(address, site.url).href);
  return page;
}

const rows = (page) => page.locator('.canvas [role=row][data-key]:not([hidden])');
const button = (page, name) => page.locator('.demo-bar').getByRole('button', { name, exact: true });
const isLive = (page) => freshness(page, 'live').first().waitFor({ timeout: PATIENCE });

/** Sends a request through the package. Resolves to the decoded response. */
const request = (page, path) => page.evaluate(async (path) => (await (await globalThis.kubeInformer).client.request(path)).json(), path);

test('pods of the simulated cluster are live, and only files are requested', TEST, async () => {
  site.paths.length = 0;
  const page = await open('?demo#/v1/pods');
  await rows(page).first().waitFor({ timeout: PATIENCE });
  await isLive(page);
  const { metadata } = await request(page, '/api/v1/pods?limit=1');
  await eventually('changes of the cluster', PATIENCE, async () => (await request(page, '/api/v1/pods?limit=1')).metadata.resourceVersion !== metadata.resourceVersion);
  assert.deepEqual(site.paths.filter((path) => !/^GET \/([\w./-]+\.(js|css|svg|wasm|json))?$/.test(path)), []);
  assert.ok(site.paths.includes('GET /demo/cluster_bg.wasm'), site.paths.join(' '));
  await page.context().close();
});

test('a disconnected page says so, and is live again after Reconnect', TEST, async () => {
  const page = await open('?demo#/v1/pods');
  await isLive(page);
  await button(page, 'Disconnect').click();
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  assert.ok((await rows(page).count()) > 0, 'the rows stay');
  await button(page, 'Reconnect').click();
  await isLive(page);
  await button(page, 'Disconnect').waitFor();
  await page.context().close();
});

test('the apiserver restarts, and the page recovers', TEST, async () => {
  const page = await open('?demo#/v1/pods');
  await isLive(page);
  await button(page, 'Restart the apiserver').click();
  await page.locator('[data-freshness]:not([data-freshness=live])').first().waitFor({ timeout: PATIENCE });
  await isLive(page);
  await page.context().close();
});

test('a pod is deleted and its row goes, the log of another one is followed', TEST, async () => {
  const page = await open('?demo#/v1/pods?filter=status%3DRunning');
  await isLive(page);
  const key = await rows(page).first().getAttribute('data-key');
  const [namespace, name] = key.split('/');
  await page.evaluate(async ([namespace, name]) => (await globalThis.kubeInformer).client.delete({ resource: 'v1/pods', namespace, name }, { gracePeriodSeconds: 0 }), [namespace, name]);
  await eventually('the row has gone', PATIENCE, async () => (await page.locator(`.canvas [data-key="${key}"]:not([hidden])`).count()) === 0);
  await rows(page).first().click();
  await page.getByRole('tab', { name: 'Logs' }).click();
  await page.locator('.log-line').first().waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the bar fits into 380 pixels, and is accessible', TEST, async () => {
  const page = await open('?demo#/overview', { viewport: { width: 380, height: 800 }, bypassCSP: true });
  await isLive(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(overflow, 0);
  const { width, height } = await page.locator('.app').evaluate((app) => ({ width: app.clientWidth, height: app.getBoundingClientRect().bottom }));
  assert.deepEqual([width, Math.round(height)], [380, 800]);
  assert.deepEqual(await violations(page, { root: '.demo-bar' }), []);
  await page.context().close();
});

test('the launcher serves the demo without kubectl', TEST, async () => {
  const launched = launchCommand(process.execPath, [launcher, '--demo', '--no-open', '--port=0', `--page=${folder}`], { PATH: '' });
  const { url } = await launched.address();
  const page = await open(url);
  await page.goto(`${url}#/v1/pods`);
  await rows(page).first().waitFor({ timeout: PATIENCE });
  await page.context().close();
  assert.equal(await launched.stop(), 0, launched.output.error);
});

test('a page without the files of the demo says so', TEST, async () => {
  const without = await mkdtemp(join(tmpdir(), 'demo-'));
  await cp(folder, without, { recursive: true, filter: (file) => file !== join(folder, 'demo') });
  const other = await serveFolder(without);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${other.url}?demo`);
  await page.getByText('the demo could not be loaded').first().waitFor({ timeout: PATIENCE });
  await page.context().close();
  await other.close();
  await rm(without, { recursive: true });
});
