// Kinds that are added and removed while the page is open: custom resource definitions are watched.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const group = 'kinds.example.dev';

const create = (manifest) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(manifest));
const entry = (page, label) => page.locator('.navigation a', { hasText: new RegExp(`^${label}$`) });
const definition = (plural, kind) => ({
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${group}` },
  spec: {
    group, scope: 'Namespaced', names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }],
  },
});
const served = (name, kind) =>
  eventually(`${name} can be created`, PATIENCE, () =>
    create({ apiVersion: `${group}/v1`, kind, metadata: { name, namespace: 'default' } }).then(() => true, () => false));

test('a kind appears in the menu seconds after its definition is created, and disappears with it', options, async () => {
  await stage.kubectl(['create', 'namespace', 'default']).catch(() => {}); // it may exist already
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await entry(page, 'Pods').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of pods and of namespaces; watches() adds those of the kinds
  assert.equal(await entry(page, 'Widgets').count(), 0);

  await create(definition('widgets', 'Widget'));
  // Without the watch, discovery is requested once a minute.
  await entry(page, 'Widgets').waitFor({ timeout: PATIENCE });
  await served('one', 'Widget');
  await entry(page, 'Widgets').click();
  await row(page, 'default/one').waitFor({ timeout: PATIENCE });

  await stage.kubectl(['delete', 'crd', `widgets.${group}`]);
  const empty = page.locator('.empty');
  await empty.filter({ hasText: `The server has no Widgets (${group}/v1)` }).waitFor({ timeout: PATIENCE });
  await eventually('it is no longer in the menu', PATIENCE, async () => (await entry(page, 'Widgets').count()) === 0);
  await page.locator('.freshness .sentence', { hasText: /gone/ }).waitFor({ timeout: PATIENCE });

  await create(definition('widgets', 'Widget'));
  await served('two', 'Widget');
  await row(page, 'default/two').waitFor({ timeout: PATIENCE });
  await eventually('nothing is said to be gone', PATIENCE, async () => (await empty.count()) === 0);
  await page.context().close();
});

test('a kind that appears leaves a list that is scrolled where it is', options, async () => {
  const page = await stage.open('#/v1/pods', { viewport: { width: 1100, height: 500 } });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await entry(page, 'Pods').waitFor({ timeout: PATIENCE });
  await stage.watches(2);
  const top = () => entry(page, 'ConfigMaps').evaluate((entry) => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(entry.getBoundingClientRect().y)))));
  await entry(page, 'ConfigMaps').evaluate((entry) => entry.scrollIntoView({ block: 'start' }));
  const before = await top();
  await create(definition('sprockets', 'Sprocket'));
  await entry(page, 'Sprockets').waitFor({ state: 'attached', timeout: PATIENCE });
  assert.ok(Math.abs((await top()) - before) <= 1, `it moved by ${(await top()) - before} px`);
  await page.context().close();
});

test('a link to an unknown kind shows a message', options, async () => {
  const page = await stage.open(`#/${group}/v1/gadgets`);
  await page.locator('.empty', { hasText: `The server has no gadgets (${group}/v1)` }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a missing namespace is named as missing, and its rows appear once it is created', options, async () => {
  const page = await stage.open('#/v1/configmaps?namespace=not-yet');
  const empty = page.locator('.empty');
  await empty.filter({ hasText: 'There is no namespace not-yet' }).waitFor({ timeout: PATIENCE });
  await stage.kubectl(['create', 'namespace', 'not-yet']);
  await stage.kubectl(['create', 'configmap', 'first', '--namespace=not-yet']);
  await row(page, 'not-yet/first').waitFor({ timeout: PATIENCE });
  assert.equal(await empty.count(), 0);
  await page.context().close();
});

test('a hidden page watches no definitions', options, async () => {
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of pods and of namespaces; watches() adds those of the kinds
  const look = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, hidden);
  await look(true);
  await stage.watches(2, { kinds: false });
  await create(definition('unseen', 'Unseen'));
  await look(false);
  await entry(page, 'Unseen').waitFor({ timeout: PATIENCE });
  await stage.watches(2);
  await page.context().close();
});
