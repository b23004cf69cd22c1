// React, from version 18 on, under StrictMode: the hooks of `kube-informer/react` in a table of pods, opened in Chromium beside the embedded apiserver.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.mjs';
import { run } from '../support/processes.mjs';
import { PATIENCE, installed, openPage, project, startApiserver, useReact } from './project.mjs';

const eventuallyIs = (locator, text) => locator.filter({ hasText: text }).first().waitFor({ timeout: PATIENCE });

for (const version of [18, 19]) {
  describe(`React ${version}`, { timeout: 600_000 }, () => {
    /**
     * Builds the fixture and opens it on an apiserver of its own; `work` gets the page, the apiserver's URL and the errors of the console.
     * In the development build, StrictMode renders twice and mounts each component twice.
     */
    async function withPage(mode, args, work) {
      const home = await project('react');
      await useReact(home, version);
      await run(process.execPath, [join(installed, 'vite7/bin/vite.js'), 'build', home, '--mode', mode, '--logLevel', 'error'], { env: { NODE_ENV: mode } });
      const api = await startApiserver(join(home, 'dist'), args);
      try {
        const { page, errors, close } = await openPage(`${api.url}/ui/`);
        await work(page, api.url, errors);
        await close();
      } finally {
        await api.stop();
      }
    }
    const rows = (page) => page.locator('tbody tr');
    const send = async (method, url, body, type = 'application/json') => {
      const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }), headers: { 'content-type': type } });
      assert.ok(response.ok, await response.text());
    };
    const pod = (name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });

    test('rows are live, follow the filter, and one object is followed to its end', () =>
      withPage('development', [], async (page, api, errors) => {
        await eventuallyIs(page.locator('output'), /^live: /);
        const pods = `${api}/api/v1/namespaces/default/pods`;
        await send('POST', pods, pod('aaa-first'));
        await eventuallyIs(rows(page), 'aaa-first');
        await page.getByLabel('Filter').fill('aaa-');
        await eventuallyIs(page.locator('output'), /^live: 1 of /);
        assert.equal(await rows(page).count(), 1);
        await rows(page).first().click();
        await page.locator('pre').waitFor({ timeout: PATIENCE });
        assert.match(await page.locator('pre').innerText(), /^[0-9a-f-]{36}$/);
        await send('DELETE', `${pods}/aaa-first?gracePeriodSeconds=0`);
        await eventuallyIs(page.locator('pre'), 'default/aaa-first is gone');
        await eventuallyIs(page.locator('output'), /^live: 0 of /);
        // A mistake keeps the rows, and is said.
        await page.getByLabel('Filter').fill('phase=Running nope>1');
        await page.getByRole('alert').waitFor({ timeout: PATIENCE });
        await page.getByLabel('Filter').fill('');
        await page.getByRole('alert').waitFor({ state: 'detached', timeout: PATIENCE });
        assert.deepEqual(errors, []);
      }));

    test('routes that come and go list nothing again, and leave the watch of the resource in use', () =>
      withPage('development', [], async (page, api, errors) => {
        await eventuallyIs(page.locator('output'), /^live: /);
        for (let round = 0; round < 10; round += 1) {
          await page.getByRole('button', { name: 'v1/nodes' }).click();
          await eventuallyIs(page.locator('output'), /^live: /);
          await page.getByRole('button', { name: 'v1/pods' }).click();
          await eventuallyIs(page.locator('output'), /^live: /);
        }
        assert.equal(await page.locator('output').getAttribute('data-lists'), '1');
        // What is unmounted is released: its watch closes after ten seconds.
        await page.getByRole('button', { name: 'v1/nodes' }).click();
        const openWatches = async () => (await (await fetch(`${api}/admin/faults`)).json()).openWatches;
        await eventually('the watch of the nodes alone', PATIENCE, async () => (await openWatches()) === 1);
        await page.getByRole('button', { name: 'v1/podz' }).click();
        await page.getByRole('alert').waitFor({ timeout: PATIENCE });
        assert.deepEqual(errors.filter((text) => !/404/.test(text)), []);
      }));

    test('a factory that cannot connect, and an invalid resource, are said', () =>
      withPage('development', [], async (page) => {
        await page.goto(`${page.url().split('?')[0]}?api=ftp://nowhere`);
        await eventuallyIs(page.getByRole('alert'), 'ftp');
        await page.goto(`${page.url().split('?')[0]}?resource=pods`);
        await eventuallyIs(page.getByRole('alert'), 'pods');
      }));

    test('headers are those of the last render, and a new function does not connect anew', () =>
      withPage('development', [], async (page, api, errors) => {
        await page.goto(`${page.url().split('?')[0]}?token`);
        await eventuallyIs(page.locator('output'), /^live: /);
        const sent = async () => {
          const [request] = await Promise.all([page.waitForRequest(/\/version/), page.evaluate('factory.client.request("/version").then(() => 0)')]);
          return request.headers()['x-token'];
        };
        assert.equal(await sent(), 'first');
        await page.evaluate(() => {
          window.before = window.factory;
          window.setToken('second');
        });
        await eventually('the next render', PATIENCE, async () => (await sent()) === 'second');
        assert.equal(await page.evaluate('before === factory'), true);
        assert.deepEqual(errors, []);
      }));

    test('at a thousand changes a second, rows and status are rendered once in a frame', (t) =>
      withPage('production', ['--pods', '200', '--churn', '1000'], async (page) => {
        await eventuallyIs(page.locator('output'), /^live: /);
        const { frames, renders } = await page.evaluate(async () => {
          const before = window.renders;
          for (let frame = 0; frame < 120; frame += 1) await new Promise(requestAnimationFrame);
          return { frames: 120, renders: window.renders - before };
        });
        // The rows and the status are two sources of renders.
        assert.ok(renders > 0 && renders <= 2 * frames, `${renders} renders in ${frames} frames`);
        t.diagnostic(`${renders} renders in ${frames} frames`);
      }));
  });
}
