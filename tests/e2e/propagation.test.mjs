// Propagation policy of a deletion, chosen in the dialog: its effect on the dependents.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { act, actOnMarked, closes, dialog, mark, press } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

// On the real apiserver no garbage collector runs, so the finalizer that is meant for it stays.
const isKube = process.env.E2E_CLUSTER === 'kube';
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'propagation';
const { create, get, object, begin } = objectsIn(stage, ns);
/** The object's metadata, or null if it is gone. */
const metadataOf = (kind, name) => get(kind, name).then(({ metadata }) => metadata, (error) => (/not found/.test(error.message) ? null : Promise.reject(error)));

/** The first change of a deployment after a version. */
async function nextChange(name, resourceVersion) {
  const query = new URLSearchParams({ watch: true, resourceVersion, fieldSelector: `metadata.name=${name}` });
  const response = await fetch(stage.url(`../apis/apps/v1/namespaces/${ns}/deployments?${query}`), { signal: AbortSignal.timeout(PATIENCE) });
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) if ((text += chunk).includes('\n')) break;
  return JSON.parse(text.slice(0, text.indexOf('\n')));
}

before(async () => {
  if (!stage.unavailable) await begin();
});

/** Creates a deployment with a ReplicaSet, and opens the dialog of its deletion with this choice. */
async function choose(name, choice) {
  const spec = { replicas: 0, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'web' }] } } };
  await create(object('apps/v1', 'Deployment', name, { spec }));
  const { uid, resourceVersion } = (await get('deployment', name)).metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }];
  await create(object('apps/v1', 'ReplicaSet', `${name}-set`, { metadata: { ownerReferences, labels: { app: name } }, spec }));
  const page = await stage.open(`#/apps/v1/deployments?object=${ns}%2F${name}`);
  await act(page, 'Delete');
  await dialog(page).locator('.goes', { hasText: `${name}-set` }).waitFor({ timeout: PATIENCE });
  const group = dialog(page).getByRole('group', { name: 'Dependents' });
  assert.ok(await group.getByLabel('Deleted afterwards (background)').isChecked());
  await group.getByLabel(choice).check();
  await press(page, 'Delete');
  await closes(page);
  await page.context().close();
  return nextChange(name, resourceVersion);
}

test('with orphan the dependents stay', options, async () => {
  const { type, object } = await choose('orphaned', 'Stays (orphan)');
  assert.deepEqual([type, object.metadata.finalizers], isKube ? ['MODIFIED', ['orphan']] : ['DELETED', undefined]);
  const { deletionTimestamp, ownerReferences = [] } = (await get('replicaset', 'orphaned-set')).metadata;
  assert.equal(deletionTimestamp, undefined);
  assert.equal(ownerReferences.length, isKube ? 1 : 0);
});

test('with foreground the object waits for its dependents', options, async () => {
  const { type, object } = await choose('waits', 'Deleted first (foreground)');
  assert.deepEqual([type, object.metadata.finalizers], ['MODIFIED', ['foregroundDeletion']]);
  assert.ok(object.metadata.deletionTimestamp);
  if (!isKube) assert.deepEqual([await metadataOf('deployment', 'waits'), await metadataOf('replicaset', 'waits-set')], [null, null]);
});

test('with background the object is gone at once', options, async () => {
  const { type, object } = await choose('leaves', 'Deleted afterwards (background)');
  assert.deepEqual([type, object.metadata.finalizers], ['DELETED', undefined]);
  assert.equal(await metadataOf('deployment', 'leaves'), null);
});

test('what a custom object owns is searched, the searched kinds are named, and the policy is offered', options, async () => {
  const group = 'owners.example.com';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await create({
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `farms.${group}` },
    spec: { group, scope: 'Namespaced', names: { kind: 'Farm', plural: 'farms' }, versions: [{ name: 'v1', served: true, storage: true, schema }] },
  });
  await stage.kubectl(['wait', '--for=condition=Established', `crd/farms.${group}`, '--timeout=120s']);
  const farm = (name, metadata) => object(`${group}/v1`, 'Farm', name, { metadata });
  await eventually('the kind is served', PATIENCE, () => create(farm('parent')).then(() => true, (error) => (/no matches|not find/.test(error.message) ? false : Promise.reject(error))));
  const ownedBy = (kind, { metadata: { name, uid } }) => ({ ownerReferences: [{ apiVersion: kind === 'Farm' ? `${group}/v1` : 'v1', kind, name, uid, controller: true }] });
  await create(farm('child', ownedBy('Farm', await get(`farms.${group}`, 'parent'))));
  await create(object('v1', 'ConfigMap', 'of-child', { metadata: ownedBy('Farm', await get(`farms.${group}`, 'child')) }), object('v1', 'ConfigMap', 'unowned'));
  const page = await stage.open(`#/${group}/v1/farms?object=${ns}%2Fparent`);
  await act(page, 'Delete');
  const goes = dialog(page).locator('.goes');
  await goes.filter({ hasText: 'This object has dependents: configmap of-child, farm child. Searched: ConfigMaps, ' }).waitFor({ timeout: PATIENCE });
  assert.match(await goes.innerText(), /Searched: .*Deployments, .*Farms.*Secrets/i);
  await dialog(page).getByRole('group', { name: 'Dependents' }).getByLabel('Deleted afterwards (background)').check();
  await press(page, 'Delete');
  await closes(page);
  await eventually('it is gone', PATIENCE, async () => (await metadataOf(`farms.${group}`, 'parent')) === null);
  if (!isKube) await eventually('what it owned is gone, too', PATIENCE, async () => (await metadataOf('configmap', 'of-child')) === null);
  await page.context().close();
});

test('an object whose dependents are not known can be orphaned from them, too', options, async () => {
  const { metadata: { name, uid } } = await create(object('v1', 'ConfigMap', 'alone')).then(() => get('configmap', 'alone'));
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
  await create(object('v1', 'Secret', 'of-alone', { metadata: { ownerReferences } }));
  const page = await stage.open(`#/v1/configmaps?object=${ns}%2Falone`);
  await act(page, 'Delete');
  assert.equal(await dialog(page).locator('.goes').count(), 0);
  await dialog(page).getByRole('group', { name: 'Dependents' }).getByLabel('Stays (orphan)').check();
  await press(page, 'Delete');
  await closes(page);
  assert.equal((await get('secret', 'of-alone')).metadata.deletionTimestamp, undefined);
  assert.deepEqual((await metadataOf('configmap', 'alone'))?.finalizers ?? null, isKube ? ['orphan'] : null);
  await page.context().close();
});

test('the dialog names what uses the object, and the dependents of a service', options, async () => {
  const container = { name: 'main', image: 'web', envFrom: [{ configMapRef: { name: 'settings' } }] };
  const selector = { matchLabels: { app: 'user' } };
  const template = { metadata: { labels: { app: 'user' } }, spec: { containers: [container] } };
  await create(object('v1', 'ConfigMap', 'settings'), object('v1', 'ConfigMap', 'unused'), object('apps/v1', 'Deployment', 'user', { spec: { replicas: 0, selector, template } }));
  await create(object('v1', 'Service', 'front', { spec: { selector: { app: 'user' }, ports: [{ port: 80 }] } }));
  const { uid } = (await get('service', 'front')).metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'front', uid, controller: true }];
  await create(object('discovery.k8s.io/v1', 'EndpointSlice', 'front-a', { metadata: { ownerReferences, labels: { 'kubernetes.io/service-name': 'front' } }, addressType: 'IPv4', endpoints: [] }));
  const used = async (kind, name) => {
    const page = await stage.open(`#/v1/${kind}?object=${ns}%2F${name}`);
    await act(page, 'Delete');
    return page;
  };
  const of = async (name, says) => {
    const page = await used('configmaps', name);
    await dialog(page).locator('.used', { hasText: says }).waitFor({ timeout: PATIENCE });
    await page.context().close();
  };
  await of('settings', 'Used by: deployment user.');
  await of('unused', 'No object was found that uses it.');
  const page = await used('services', 'front');
  await dialog(page).locator('.goes', { hasText: 'This object has dependents: endpointslice front-a' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the dialog names what uses any of several objects, once', options, async () => {
  const uses = (...names) => names.map((name) => ({ configMapRef: { name } }));
  const deployment = (name, ...names) => {
    const spec = { replicas: 0, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'web', envFrom: uses(...names) }] } } };
    return object('apps/v1', 'Deployment', name, { spec });
  };
  const names = ['many-a', 'many-b', 'many-c'];
  await create(...names.map((name) => object('v1', 'ConfigMap', name)), deployment('user-1', 'many-a', 'many-b'), deployment('user-2', 'many-b'));
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await mark(page, ...names.map((name) => `${ns}/${name}`));
  await actOnMarked(page, 'Delete');
  const used = dialog(page).locator('.used');
  await eventually('both users are named', PATIENCE, async () => /^Used by: (deployment user-1, deployment user-2|deployment user-2, deployment user-1)\.$/.test(await used.innerText()));
  await page.context().close();
});
