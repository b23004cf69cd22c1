// The hooks of `kube-informer/react` that suspend, in React 18 and 19 under StrictMode, opened in Chromium beside the embedded apiserver.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test as testOf } from 'node:test';
import { eventually } from '../support/eventually.mjs';
import { run } from '../support/processes.mjs';
import { PATIENCE, installed, openPage, project, startApiserver, useReact } from './project.mjs';

const pod = (name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
const forbidden = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message: 'pods is forbidden', code: 403 };
const ofPods = /\/pods\?/;

/** Builds the fixture with a version of React. The development build has StrictMode. Resolves to the folder. */
async function built(version) {
  const home = await project('react');
  await useReact(home, version);
  await run(process.execPath, [join(installed, 'vite7/bin/vite.js'), 'build', home, '--mode', 'development', '--logLevel', 'error'], { env: { NODE_ENV: 'development' } });
  return join(home, 'dist');
}

const builds = await Promise.all([18, 19].map(async (version) => [version, await built(version)]));

describe('hooks that suspend', { concurrency: 3 }, () => {
  for (const [version, dist] of builds) {
    const test = (name, body) => testOf(`React ${version}: ${name}`, { timeout: 600_000 }, body);

    /** Opens the fixture on an apiserver of its own. `prepare` gets the page before it loads. */
    async function withPage(work, { parameters = '', prepare = () => {} } = {}) {
      const api = await startApiserver(dist);
      try {
        const { page, errors, close } = await openPage('about:blank');
        await prepare(page);
        await page.goto(`${api.url}/ui/suspense.html${parameters}`);
        await work(page, api.url, errors);
        await close();
      } finally {
        await api.stop();
      }
    }
    const list = (page, id = 'first') => page.locator(`#${id} output`);
    const shown = (page) => page.evaluate('shown');
    const is = (locator, text) => locator.filter({ hasText: text }).waitFor({ timeout: PATIENCE });
    const create = async (api, name) => {
      const response = await fetch(`${api}/api/v1/namespaces/default/pods`, { method: 'POST', body: JSON.stringify(pod(name)), headers: { 'content-type': 'application/json' } });
      assert.ok(response.ok, await response.text());
    };

    test('a component that waits for long gets its rows, and one that is discarded before leaves nothing', () => {
      const held = { pods: [], nodes: [] };
      const informers = async (page) => Object.keys(await page.evaluate('factory.status().informers'));
      return withPage(async (page, api, errors) => {
        await eventually('a list that gets no response', PATIENCE, () => held.pods.length > 0);
        await page.evaluate('set({ brief: "v1/nodes" })');
        await eventually('another one', PATIENCE, () => held.nodes.length > 0);
        await page.evaluate('set({ brief: null })');
        assert.deepEqual(await informers(page), ['v1/pods', 'v1/nodes']);
        const renders = await page.evaluate('renders');
        await eventually('no informer of the discarded component', PATIENCE, async () => (await informers(page)).join() === 'v1/pods');
        assert.ok((await page.evaluate('renders')) > renders, 'the component that waits has been rendered again');
        assert.equal(held.pods.length, 1, 'one list');
        held.pods[0]();
        await is(list(page), /^v1\/pods: [1-9]/);
        assert.deepEqual(errors, []);
      }, {
        prepare: (page) =>
          page.route(/\/api\/v1\/(pods|nodes)\?/, (route) => {
            const url = route.request().url();
            return /watch=/.test(url) ? route.continue() : held[/pods|nodes/.exec(url)[0]].push(() => route.continue());
          }),
      });
    });

    test('the fallback is shown until there are rows, which are live; a filter does not bring it back', () =>
      withPage(async (page, api, errors) => {
        await is(list(page), /^v1\/pods: [1-9]/);
        const states = await shown(page);
        assert.equal(states[0], 'fallback');
        assert.deepEqual(states.filter((text) => text.startsWith('v1/pods: 0')), []);
        await page.evaluate('shown.length = 0');
        await create(api, 'aaa-first');
        await is(page.locator('li'), 'aaa-first');
        await page.evaluate('set({ filter: "aaa-" })');
        await is(list(page), 'v1/pods: 1 of 1');
        await page.evaluate('set({ filter: "nope>1" })');
        await is(page.locator('#first [role=alert]'), 'nope');
        await page.evaluate('set({ filter: "" })');
        await is(list(page), /: ([2-9]|\d\d) of/);
        assert.ok(!(await shown(page)).includes('fallback'));
        // Unmounted and mounted again: no list.
        await page.evaluate('set({ isThere: false })');
        await list(page).waitFor({ state: 'detached' });
        await page.evaluate('set({ isThere: true })');
        await is(list(page), /^v1\/pods: [1-9]/);
        assert.equal(await page.locator('#first').getAttribute('data-lists'), '1');
        assert.deepEqual(errors, []);
      }, { parameters: '?shared' }));

    test('in a transition the old rows stay until the new ones are there, and otherwise the fallback is shown', () =>
      withPage(async (page, api, errors) => {
        await is(list(page), /^v1\/pods: [1-9]/);
        await page.evaluate('shown.length = 0; transit({ resource: "v1/nodes" })');
        await page.locator('main[aria-busy=true] #first').waitFor({ timeout: PATIENCE });
        await is(list(page), /^v1\/nodes: [1-9]/);
        assert.deepEqual((await shown(page)).filter((text) => !/^v1\/(pods|nodes): [1-9]/.test(text)), []);
        await page.evaluate('set({ resource: "v1/namespaces" })');
        await is(list(page), /^v1\/namespaces: [1-9]/);
        assert.ok((await shown(page)).includes('fallback'));
        // Other columns are another view.
        await page.evaluate('shown.length = 0; set({ columns: { name: "{.metadata.uid}" } })');
        await page.locator('li').filter({ hasText: /^[0-9a-f-]{36}$/ }).first().waitFor({ timeout: PATIENCE });
        assert.deepEqual(Object.keys(await page.evaluate('factory.status().informers')), ['v1/namespaces']);
        assert.deepEqual(errors, []);
      }, {
        // Lists that take a while.
        prepare: (page) => page.route(/\/api\/v1\/(nodes|namespaces)\?/, (route) => setTimeout(() => route.continue(), 500)),
      }));

    test('two components with equal arguments do not share a filter', () =>
      withPage(async (page, api, errors) => {
        await create(api, 'aaa-first');
        await page.evaluate('set({ isThere: false, twice: true })');
        await page.evaluate('set({ isThere: true })');
        await is(list(page, 'second'), /: [2-9] of/);
        await page.evaluate('set({ filter: "aaa-" })');
        await is(list(page), 'v1/pods: 1 of 1');
        await create(api, 'bbb-second');
        await is(page.locator('#second li'), 'bbb-second');
        assert.match(await list(page, 'second').innerText(), /: [3-9] of/);
        assert.equal(await list(page).innerText(), 'v1/pods: 1 of 1');
        assert.deepEqual(errors, []);
      }));

    test('one object is read and followed, and null if it does not exist', () =>
      withPage(async (page, api, errors) => {
        await create(api, 'aaa-first');
        await page.evaluate('set({ object: "default/aaa-first" })');
        await is(page.locator('pre'), /^[0-9a-f-]{36}$/);
        await fetch(`${api}/api/v1/namespaces/default/pods/aaa-first?gracePeriodSeconds=0`, { method: 'DELETE' });
        await is(page.locator('pre'), 'default/aaa-first is gone');
        await page.evaluate('set({ object: "default/nope" })');
        await is(page.locator('pre'), 'default/nope is gone');
        assert.deepEqual(errors, []);
      }));

    test('a refusal of the server reaches the error boundary, and a reset tries again', () => {
      let isAllowed = false;
      const answer = (route) => (isAllowed ? route.continue() : route.fulfill({ status: 403, json: forbidden }));
      /** Resets the boundary until it shows something else: soon after an error React may still repeat the failed render. */
      const resetUntil = (page, code, what, check) =>
        eventually(what, PATIENCE, async () => {
          await page.locator(`[data-code=${code}] button`).click({ timeout: PATIENCE });
          return check();
        });
      return withPage(async (page) => {
        const alert = page.locator('[data-code=forbidden]');
        await is(alert, 'pods is forbidden');
        await page.evaluate('shown.length = 0');
        await resetUntil(page, 'forbidden', 'the fallback', async () => (await shown(page)).includes('fallback'));
        await is(alert, 'pods is forbidden');
        isAllowed = true;
        await resetUntil(page, 'forbidden', 'the rows', async () => (await alert.count()) === 0);
        await is(list(page), /^v1\/pods: [1-9]/);
        await page.evaluate('set({ resource: "v1/podz" })');
        await page.locator('[data-code=not-found]').waitFor({ timeout: PATIENCE });
        await page.evaluate('set({ resource: "pods" })');
        await page.locator('[data-code=not-found] button').click();
        await page.locator('[data-code=bad-request]').waitFor({ timeout: PATIENCE });
      }, { prepare: (page) => page.route(ofPods, answer) });
    });
  }
});
