// Kinds of an aggregated API: another server serves them behind the real apiserver, and an APIService says so.
//
// The embedded apiserver does not aggregate.
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { after, afterEach, test } from 'node:test';
import { createCertificate } from '../support/certificate.mjs';
import { PATIENCE, TEST, eventually, freshness, grid, row, setStage } from '../support/harness.mjs';

const isKube = process.env.E2E_CLUSTER === 'kube';
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const group = 'things.example.dev';
const entry = (page, label) => page.locator('.navigation a', { hasText: new RegExp(`^${label}$`) });
const create = (manifest) => stage.kubectl(['create', '-f', '-'], JSON.stringify(manifest));

/** Starts the server of the kind Thing, with one object and a watch without events. Resolves to `{ port, stop }`. */
async function serveThings() {
  const metadata = { name: 'one', namespace: 'default', uid: '5c1ae0a6-9a67-4c0e-8f5f-3e2f1b6a0001', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  const things = { kind: 'ThingList', apiVersion: `${group}/v1`, metadata: { resourceVersion: '7' }, items: [{ kind: 'Thing', apiVersion: `${group}/v1`, metadata }] };
  const kinds = {
    kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`,
    resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list', 'watch'] }],
  };
  const server = createServer(await createCertificate(), ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'https://things');
    const body = { [`/apis/${group}/v1`]: kinds, [`/apis/${group}/v1/things`]: things }[pathname];
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    if (searchParams.get('watch')) response.flushHeaders();
    else response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const stop = () =>
    new Promise((stopped) => {
      server.close(stopped);
      server.closeAllConnections();
    });
  return { port: server.address().port, stop };
}

test('kinds of an API service appear, are unavailable while it is, and disappear with it', { ...TEST, skip: stage.unavailable || !isKube }, async () => {
  const page = await stage.open('#/v1/configmaps');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await entry(page, 'Pods').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of config maps and of namespaces; watches() adds those of the kinds

  const things = await serveThings();
  // kube-apiserver forwards to the external name, an address of this machine.
  await create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'things', namespace: 'default' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } });
  const service = { namespace: 'default', name: 'things', port: things.port };
  await create({
    apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: `v1.${group}` },
    spec: { group, version: 'v1', service, insecureSkipTLSVerify: true, groupPriorityMinimum: 100, versionPriority: 10 },
  });
  // Without the watch of API services, discovery is requested once a minute.
  await entry(page, 'Things').waitFor({ timeout: PATIENCE });
  await entry(page, 'Things').click();
  await row(page, 'default/one').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // It can only be read, so no action is served.
  await grid(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('e');
  await page.locator('.drawer [role=menu]', { hasText: 'No action applies to it.' }).waitFor({ timeout: PATIENCE });
  for (const closed of ['.drawer [role=menu]', '.drawer']) {
    await page.keyboard.press('Escape');
    await page.locator(closed).waitFor({ state: 'hidden', timeout: PATIENCE });
  }

  await things.stop();
  await eventually('the list is no longer live', PATIENCE, async () => (await freshness(page, 'live').count()) === 0);
  await row(page, 'default/one').waitFor({ timeout: PATIENCE }); // the last known state

  await stage.kubectl(['delete', 'apiservice', `v1.${group}`]);
  await page.getByText('The server no longer has this kind. These are its last known rows.').first().waitFor({ timeout: PATIENCE });
  await eventually('it is no longer in the menu', PATIENCE, async () => (await entry(page, 'Things').count()) === 0);
  await page.context().close();
});
