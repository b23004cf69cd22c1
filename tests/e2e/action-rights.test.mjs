// Rights for all requests of an action and for creating, and the resources that the server serves: an impossible action is greyed or
// not offered.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { dialog } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'], user: 'jane' });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'rights';
const { create, object, begin } = objectsIn(stage, ns);
const rbac = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];
const rule = (apiGroup, resources, verbs) => ({ apiGroups: [apiGroup], resources, verbs });

/** Gives jane rights, in the namespace or everywhere, and waits until the server has them. */
async function allow(name, rules, isEverywhere = false) {
  const kind = isEverywhere ? 'ClusterRole' : 'Role';
  const metadata = { name, ...(!isEverywhere && { namespace: ns }) };
  await create({ apiVersion: `${rbac}/v1`, kind, metadata, rules });
  await create({ apiVersion: `${rbac}/v1`, kind: `${kind}Binding`, metadata, subjects: [{ kind: 'User', name: 'jane', apiGroup: rbac }], roleRef: { apiGroup: rbac, kind, name } });
  for (const { apiGroups: [group], resources, verbs } of rules) {
    for (const [at, verb] of verbs.entries()) {
      const [resource, subresource] = resources[at % resources.length].split('/');
      const resourceAttributes = { verb, group, resource, subresource, version: 'v1', ...(!isEverywhere && { namespace: ns }) };
      const body = JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } });
      await eventually(`jane may ${verb} ${resource}`, PATIENCE, async () => {
        const response = await fetch(stage.url('../apis/authorization.k8s.io/v1/selfsubjectaccessreviews'), { method: 'POST', body, headers: { 'content-type': 'application/json' } });
        return (await response.json()).status.allowed;
      });
    }
  }
}

before(async () => {
  if (stage.unavailable) return;
  await begin();
  const labels = { app: 'web' };
  const spec = { containers: [{ name: 'main', image: 'pause' }] };
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'rack' } });
  await create(object('v1', 'Pod', 'web', { spec }), object('v1', 'ConfigMap', 'settings'));
  await create(object('apps/v1', 'StatefulSet', 'web', { spec: { serviceName: 'web', selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } }));
  await allow('sees-nodes', [rule('', ['nodes', 'namespaces'], read), rule('', ['nodes'], ['patch']), rule('', ['pods/eviction'], ['create'])], true);
  await allow('sees-workloads', [
    rule('', ['pods', 'configmaps'], read), rule('', ['pods/ephemeralcontainers'], ['patch']), rule('', ['configmaps'], ['create', 'patch', 'delete']),
    rule('apps', ['statefulsets'], [...read, 'patch']),
  ]);
});

const item = (page, action) => page.locator(`.drawer [role=menuitem][data-action=${action}]`);
async function menu(hash) {
  const page = await stage.open(hash);
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  return page;
}

for (const [action, hash, other, says, name, rules, isEverywhere] of [
  ['Drain', '#/v1/nodes?object=rack', 'Cordon', 'You may not list v1/pods.', 'sees-pods', [rule('', ['pods'], ['list', 'get'])], true],
  ['RollBack', `#/apps/v1/statefulsets?namespace=${ns}&object=${ns}%2Fweb`, 'Restart', 'You may not list apps/v1/controllerrevisions.', 'sees-revisions', [rule('apps', ['controllerrevisions'], ['list'])]],
  ['Debug', `#/v1/pods?namespace=${ns}&object=${ns}%2Fweb`, 'Edit', 'You may not create v1/pods/attach.', 'attaches', [rule('', ['pods/attach'], ['create'])]],
]) {
  test(`${action} needs the rights for what its dialog reads, too`, options, async () => {
    const page = await menu(hash);
    await item(page, action).getByText(says).waitFor({ timeout: PATIENCE });
    assert.equal(await item(page, action).getAttribute('aria-disabled'), 'true');
    if (other !== 'Edit') assert.equal(await item(page, other).getAttribute('aria-disabled'), null);
    await page.context().close();
    await allow(name, rules, isEverywhere);
    const allowed = await menu(hash);
    // The rights of all actions are reviewed together: once one is known, all are known.
    await item(allowed, 'Delete').getByText('You may not delete').waitFor({ timeout: PATIENCE });
    await item(allowed, action).click({ timeout: PATIENCE });
    await dialog(allowed).waitFor({ timeout: PATIENCE });
    await allowed.context().close();
  });
}

test('creating is greyed where the kind and the namespace of the page say so', options, async () => {
  const page = await stage.open(`#/v1/pods?namespace=${ns}`);
  const button = page.getByRole('button', { name: 'Create from YAML' });
  const isGreyed = (wanted) => eventually(`it is ${wanted ? '' : 'not '}greyed`, PATIENCE, async () => (await button.getAttribute('aria-disabled')) === (wanted ? 'true' : null));
  await isGreyed(true);
  assert.match(await button.getAttribute('title'), /^You may not create v1\/pods\./);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('c');
  await dialog(page).getByRole('alert').filter({ hasText: 'You may not create v1/pods.' }).waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.cm-editor').count(), 0);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
  await page.evaluate((ns) => (location.hash = `#/v1/configmaps?namespace=${ns}`), ns);
  await isGreyed(false);
  await page.evaluate(() => (location.hash = '#/v1/nodes'));
  await isGreyed(true);
  // Without a namespace in the address, it is unknown in which one an object is created, so the button is enabled.
  await page.evaluate(() => (location.hash = '#/v1/pods'));
  await isGreyed(false);
  await page.context().close();
});

test('an action that the server does not serve is not offered', options, async () => {
  const context = await stage.browser.newContext();
  // A discovery response without the verbs of writes makes the kind read-only, as metrics are.
  await context.route(/\/api\?/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const { resources } = json.items[0].versions[0];
    resources.find(({ resource }) => resource === 'configmaps').verbs = ['get', 'list', 'watch', 'delete'];
    // The content-length of the original response does not fit.
    await route.fulfill({ contentType: response.headers()['content-type'], body: JSON.stringify(json) });
  });
  const page = await context.newPage();
  await page.goto(stage.url(`?worker=off#/v1/configmaps?namespace=${ns}&object=${ns}%2Fsettings`));
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  const offered = () => page.locator('.drawer [role=menuitem]').evaluateAll((items) => items.map(({ dataset }) => dataset.action));
  await eventually('only Delete is offered', PATIENCE, async () => (await offered()).join() === 'Delete');
  await eventually('creating is greyed', PATIENCE, async () => (await page.getByRole('button', { name: 'Create from YAML' }).getAttribute('title'))?.startsWith('The server creates no v1/configmaps.'));
  await context.close();
});
