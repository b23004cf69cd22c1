// Vite, from version 5 on, without a configuration: its dev server and what it builds, opened in Chromium beside the embedded apiserver.
import assert from 'node:assert/strict';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { unpack } from '../../informer/npm/test/tarball.mjs';
import { findHeadless } from '../support/browser.mjs';
import { eventually } from '../support/eventually.mjs';
import { run, serve } from '../support/processes.mjs';
import { startEmbedded } from '../support/start.mjs';

const { chromium } = createRequire(new URL('../package.json', import.meta.url))('playwright-core');
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const PATIENCE = 120_000;
const versions = (await readdir(join(here, 'node_modules'))).filter((name) => /^vite\d+$/.test(name)).sort();

let browser;
before(async () => (browser = await chromium.launch({ executablePath: findHeadless(), args: ['--no-sandbox'] })));
after(() => browser?.close());

/** Copies the fixture into a folder of its own, with the package from the tarball. */
async function project(version) {
  const { home, remove } = await unpack();
  after(remove);
  await cp(join(here, 'vite'), home, { recursive: true });
  await symlink(join(here, 'node_modules', version), join(home, 'node_modules/vite'));
  const vite = join(home, 'node_modules/vite/bin/vite.js');
  return { home, vite };
}

/** Opens the page and checks that it shows the pods, and a new one, without an error in the console. */
async function showsPods(url, api) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  const items = page.locator('#pods li');
  await eventually('the pods, or an error', PATIENCE, async () => (await items.count()) >= 5 || errors.length > 0);
  assert.deepEqual(errors, []);
  const name = `aaa-${Math.random().toString(36).slice(2)}`;
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
  const created = await fetch(`${api}/api/v1/namespaces/default/pods`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  assert.ok(created.ok, await created.text());
  await items.filter({ hasText: name }).waitFor({ timeout: PATIENCE });
  assert.deepEqual(errors, []);
  await context.close();
}

for (const version of versions) {
  describe(version, { timeout: 600_000 }, () => {
    test('a dev server', async () => {
      const { home, vite } = await project(version);
      const api = await startEmbedded(['--pods', '6', '--churn', '0', '--cors']);
      const dev = await serve(process.execPath, [vite, '--host', '127.0.0.1', '--port', '0', '--clearScreen', 'false'], { cwd: home, ready: /(http:\/\/127\.0\.0\.1:\d+)\//, env: { NO_COLOR: '1' } });
      try {
        await showsPods(`${dev.match[1]}/?api=${api.url}`, api.url);
      } finally {
        await dev.stop();
        await api.stop();
      }
    });

    test('what it builds', async () => {
      const { home, vite } = await project(version);
      await mkdir(join(home, 'dist'), { recursive: true });
      await run(process.execPath, [vite, 'build', home, '--base', './', '--logLevel', 'error']);
      const api = await startEmbedded(['--pods', '6', '--churn', '0', '--www', join(home, 'dist')]);
      try {
        await showsPods(`${api.url}/ui/`, api.url);
      } finally {
        await api.stop();
      }
    });
  });
}

test('all versions are there', () => assert.deepEqual(versions, ['vite5', 'vite6', 'vite7', 'vite8']));
