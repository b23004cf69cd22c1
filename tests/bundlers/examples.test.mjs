// The examples of the package: each folder is built with Vite as a user would, and opened in Chromium beside the embedded apiserver.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.mjs';
import { run } from '../support/processes.mjs';
import { PATIENCE, installed, openPage, projectOf, startApiserver, useReact } from './project.mjs';

const folder = fileURLToPath(new URL('../../informer/npm/examples', import.meta.url));
const examples = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
const timeout = 600_000;

/** Builds an example and opens it; `work` gets the page and the apiserver's URL. */
async function withExample(name, args, work) {
  const home = await projectOf(join(folder, name));
  await useReact(home, 19);
  await run(process.execPath, [join(installed, 'vite/bin/vite.js'), 'build', home, '--logLevel', 'error']);
  const api = await startApiserver(join(home, 'dist'), args);
  try {
    const { page, errors, close } = await openPage(`${api.url}/ui/`);
    await work(page, api.url);
    assert.deepEqual(errors, []);
    await close();
  } finally {
    await api.stop();
  }
}

async function send(method, url, body, type = 'application/json') {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }), headers: { 'content-type': type } });
  assert.ok(response.ok, `${method} ${url}: ${await response.clone().text()}`);
  return response.json();
}

const pod = (name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
const eventuallyIs = (locator, text) => locator.filter({ hasText: text }).first().waitFor({ timeout: PATIENCE });

test('each folder is a project with a name, and the table names each', () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const name of examples) {
    assert.equal(JSON.parse(readFileSync(join(folder, name, 'package.json'))).name, name);
    assert.ok(readme.includes(`| \`${name}\` |`), name);
  }
});

test('a table is at most 80 lines', () => {
  for (const file of ['table/main.js', 'react-table/main.jsx', 'svelte-table/Pods.svelte']) {
    assert.ok(readFileSync(join(folder, file), 'utf8').split('\n').length <= 81, file);
  }
});

for (const name of ['table', 'react-table', 'svelte-table']) {
  describe(name, { timeout }, () => {
    test('it shows the rows in sight, filters, sorts and follows the cluster', () =>
      withExample(name, ['--pods', '300', '--churn', '0'], async (page, api) => {
        const rows = page.locator('tbody tr:has(td)');
        await eventuallyIs(page.locator('output'), /^live: 30\d of 30\d$/);
        assert.equal(await rows.count(), 40, 'a window, not all');
        const first = await rows.first().innerText();
        // By scrolling, other rows come.
        await page.locator('.rows').evaluate((element) => (element.scrollTop = 3600));
        await eventually('rows further below', PATIENCE, async () => (await rows.count()) > 0 && (await rows.first().innerText()) !== first);
        await page.locator('.rows').evaluate((element) => (element.scrollTop = 0));

        await send('POST', `${api}/api/v1/namespaces/default/pods`, pod('aaa-new'));
        await eventuallyIs(rows.first(), 'aaa-new');
        await page.locator('th', { hasText: 'name' }).first().click();
        await eventually('the last name first', PATIENCE, async () => !(await rows.first().innerText()).includes('aaa-new'));
        await page.getByLabel('Filter').fill('aaa-');
        await eventuallyIs(page.locator('output'), /^live: 1 of 30\d$/);
        await page.getByLabel('Filter').fill('nope>1');
        await eventuallyIs(page.getByRole('alert'), /nope/);
        await page.getByLabel('Filter').fill('aaa-');
        await send('DELETE', `${api}/api/v1/namespaces/default/pods/aaa-new?gracePeriodSeconds=0`);
        await eventuallyIs(page.locator('output'), /^live: 0 of 30\d$/);
      }));
  });
}

test('counters are exact and live', { timeout }, () =>
  withExample('counters', ['--pods', '200', '--churn', '0'], async (page, api) => {
    const heading = page.getByRole('heading', { name: 'Pods by phase' });
    const { items } = await send('GET', `${api}/api/v1/pods`);
    await eventuallyIs(heading, `Pods by phase: ${items.length}`);
    const running = items.filter(({ status }) => status.phase === 'Running').length;
    await eventuallyIs(page.locator('section').first().locator('div'), `Running: ${running}`);
    await send('POST', `${api}/api/v1/namespaces/default/pods`, pod('counted'));
    await eventuallyIs(heading, `Pods by phase: ${items.length + 1}`);
    const restarts = items.flatMap(({ status }) => status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
    await eventuallyIs(page.getByRole('heading', { name: 'Restarts' }), new RegExp(`: ${restarts}( |$)`));
  }));

test('the controller makes what a custom resource wants, and restores it', { timeout }, async () => {
  const definition = JSON.parse(readFileSync(join(folder, 'controller/website.json'), 'utf8'));
  const home = await projectOf(join(folder, 'controller'));
  await run(process.execPath, [join(installed, 'vite/bin/vite.js'), 'build', home, '--logLevel', 'error']);
  const api = await startApiserver(join(home, 'dist'));
  try {
    await send('POST', `${api.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`, definition);
    const websites = `${api.url}/apis/example.com/v1/namespaces/default/websites`;
    const website = { apiVersion: 'example.com/v1', kind: 'Website', metadata: { name: 'home' }, spec: { title: 'Welcome' } };
    await eventually('the resource is served', PATIENCE, async () => (await fetch(websites)).ok);
    await send('POST', websites, website);
    const { page, errors, close } = await openPage(`${api.url}/ui/`);
    await eventuallyIs(page.locator('pre'), 'synced');
    const map = `${api.url}/api/v1/namespaces/default/configmaps/home`;
    const content = async () => {
      const response = await fetch(map);
      return response.ok ? (await response.json()).data['index.html'] : undefined;
    };
    await eventually('its page', PATIENCE, async () => (await content()) === '<h1>Welcome</h1>');
    const { metadata } = await send('GET', map);
    assert.equal(metadata.ownerReferences[0].kind, 'Website');
    await send('PATCH', map, { data: { 'index.html': 'broken' } }, 'application/merge-patch+json');
    await eventually('it is restored after a change', PATIENCE, async () => (await content()) === '<h1>Welcome</h1>');
    await send('DELETE', map);
    await eventually('it is restored after a deletion', PATIENCE, async () => (await content()) === '<h1>Welcome</h1>');
    await send('PATCH', `${websites}/home`, { spec: { title: 'Moved' } }, 'application/merge-patch+json');
    await eventually('it follows its Website', PATIENCE, async () => (await content()) === '<h1>Moved</h1>');
    assert.deepEqual(errors, []);
    await close();
  } finally {
    await api.stop();
  }
});
