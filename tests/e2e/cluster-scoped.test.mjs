// Cluster-scoped kinds, opened by a link or a reload: no column, sort key or values of a namespace. The user may not read
// definitions of custom resources, so that only discovery has the scope of a custom one.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'], user: 'jane' });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const group = 'scope.example.dev';
const rbac = 'rbac.authorization.k8s.io';
const create = (manifest) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(manifest));
const headers = (page) => page.locator('[role=columnheader]').evaluateAll((all) => all.map((one) => one.dataset.header));

const definition = (plural, kind) => ({
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${group}` },
  spec: {
    group, scope: 'Cluster', names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }],
  },
});

before(async () => {
  if (stage.unavailable) return;
  const resources = { '': ['nodes', 'persistentvolumes', 'namespaces', 'pods'], [group]: ['gauges', 'meters'] };
  const rules = Object.entries(resources).map(([group, resources]) => ({ apiGroups: [group], resources, verbs: ['get', 'list', 'watch'] }));
  await create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'reads-scope' }, rules });
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
  await create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'reads-scope' }, subjects, roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'reads-scope' } });
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'scope-1' } });
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } };
  await create({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'scope-1' }, spec });
  await create(definition('gauges', 'Gauge'));
  await eventually('the kind is served', PATIENCE, () =>
    create({ apiVersion: `${group}/v1`, kind: 'Gauge', metadata: { name: 'scope-1' } }).then(() => true, () => false));
});

for (const resource of ['v1/nodes', 'v1/persistentvolumes', `${group}/v1/gauges`]) {
  test(`${resource} have no column of a namespace`, options, async () => {
    const page = await stage.open(`#/${resource}`);
    for (const time of ['opened by a link', 'reloaded']) {
      await row(page, 'scope-1').waitFor({ timeout: PATIENCE });
      // The scope of a custom kind is known after the response of discovery.
      await page.locator('.navigation a').first().waitFor({ timeout: PATIENCE });
      await eventually(`no column, ${time}`, PATIENCE, async () => !(await headers(page)).includes('Namespace'));
      assert.equal((await headers(page))[0], 'Name', time);
      assert.equal(await page.locator('[role=columnheader][data-header=Name]').getAttribute('aria-sort'), 'ascending', time);
      assert.equal(await page.locator('.facet[aria-label=Namespace]').count(), 0, time);
      if (time !== 'reloaded') await page.reload();
    }
    await page.context().close();
  });
}

test('a user who may not list definitions sees a new kind nevertheless', options, async () => {
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.navigation a').first().waitFor({ timeout: PATIENCE });
  await create(definition('meters', 'Meter'));
  await page.locator('.navigation a', { hasText: /^Meters$/ }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});
