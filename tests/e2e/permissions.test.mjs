// Users with restricted permissions.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'], user: 'jane' });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const create = (manifest) => stage.kubectl(['create', '-f', '-'], JSON.stringify(manifest));
const rbac = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];

/** Lets jane read a resource, in a namespace or everywhere. */
async function allow(resource, namespace) {
  const kind = namespace ? 'Role' : 'ClusterRole';
  const metadata = { name: `reads-${resource}`, namespace };
  await create({ apiVersion: `${rbac}/v1`, kind, metadata, rules: [{ apiGroups: [''], resources: [resource], verbs: read }] });
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
  const roleRef = { apiGroup: rbac, kind, name: metadata.name };
  await create({ apiVersion: `${rbac}/v1`, kind: `${kind}Binding`, metadata, subjects, roleRef });
}

const run = (pod, namespace) => stage.kubectl(['run', pod, '-n', namespace, '--image=pause', '--restart=Never']);

before(async () => {
  if (stage.unavailable) return;
  await allow('namespaces');
  for (const name of ['shop', 'bank', 'mill']) {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await run('early', name);
  }
  await allow('pods', 'shop');
  await allow('pods', 'bank');
});

test('who may not list all namespaces sees those that they may list, live', options, async () => {
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  for (const namespace of ['shop', 'bank']) await row(page, `${namespace}/early`).waitFor();
  await page.getByText('2 objects in 2 namespaces').first().waitFor();
  await run('late', 'bank');
  await row(page, 'bank/late').waitFor({ timeout: PATIENCE });
  assert.equal(await row(page, 'mill/early').count(), 0);
  // One of them by itself, and one that is none of them.
  await page.evaluate(() => (location.hash = '#/v1/pods?namespace=bank'));
  await row(page, 'shop/early').waitFor({ state: 'detached' }).catch(() => row(page, 'shop/early').waitFor({ state: 'hidden' }));
  await row(page, 'bank/late').waitFor();
  await page.evaluate(() => (location.hash = '#/v1/pods?namespace=mill'));
  await freshness(page, 'forbidden').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('what may be listed nowhere is forbidden, and says so', options, async () => {
  const page = await stage.open('#/v1/secrets');
  await freshness(page, 'forbidden').waitFor({ timeout: PATIENCE });
  await page.context().close();
});
