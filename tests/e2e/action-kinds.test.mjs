// Scale, restart and roll back of each kind that has them, also of custom kinds; each seen by kubectl afterwards.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { act, actOnMarked, closes, dialog, ends, mark, press } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'by-kind';
const { create, get, all, object, begin } = objectsIn(stage, ns);
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template = (image) => ({ metadata: { labels }, spec: { containers: [{ name: 'main', image }] } });
const REPLICATED = [['apps/v1', 'StatefulSet', 'statefulsets'], ['apps/v1', 'ReplicaSet', 'replicasets'], ['v1', 'ReplicationController', 'replicationcontrollers']];
const WITH_REVISIONS = [['StatefulSet', 'statefulsets', { serviceName: 'web', podManagementPolicy: 'OrderedReady' }], ['DaemonSet', 'daemonsets', { updateStrategy: { type: 'OnDelete' } }]];
const group = 'scaled.example.com';

/** A revision as its controller stores it: a patch that replaces the template. */
const revision = (kind, owner, number, of) => object('apps/v1', 'ControllerRevision', `${kind.toLowerCase()}-${owner.name}-${number}`, {
  metadata: { labels, ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner.name, uid: owner.uid, controller: true }] },
  revision: number,
  data: { spec: { template: { ...of, $patch: 'replace' } } },
});

before(async () => {
  if (stage.unavailable) return;
  await begin();
  const spec = (kind) => ({ replicas: 2, selector: kind === 'ReplicationController' ? labels : selector, template: template('web:3'), ...(kind === 'StatefulSet' && { serviceName: 'web' }) });
  await create(...REPLICATED.map(([version, kind]) => object(version, kind, 'scaled', { spec: spec(kind) })));
  for (const [kind, resource, more] of WITH_REVISIONS) {
    await create(object('apps/v1', kind, 'rolled', { spec: { selector, template: template('web:3'), ...more } }));
    const { metadata, spec } = await get(resource, 'rolled');
    // Revisions are ordered by number, not by name.
    await create(revision(kind, metadata, 9, template('web:1')), revision(kind, metadata, 10, template('web:2')), revision(kind, metadata, 11, spec.template));
    await create(revision(kind, { name: 'other', uid: '00000000-0000-0000-0000-000000000001' }, 8, template('other:1')));
  }
  const path = (name) => ({ type: 'object', properties: { [name]: { type: 'object', properties: { size: { type: 'integer' } } }, selector: { type: 'string' } } });
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: path('pool'), status: path('pool') } } };
  const scale = { specReplicasPath: '.spec.pool.size', statusReplicasPath: '.status.pool.size', labelSelectorPath: '.status.selector' };
  const definition = (plural, kind, subresources) => ({
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { kind, plural }, versions: [{ name: 'v1', served: true, storage: true, schema, subresources }] },
  });
  await create(definition('farms', 'Farm', { status: {}, scale }), definition('huts', 'Hut', { status: {} }));
  await stage.kubectl(['wait', '--for=condition=Established', `crd/farms.${group}`, `crd/huts.${group}`, '--timeout=120s']);
  const farm = (name, pool) => object(`${group}/v1`, 'Farm', name, { spec: pool ? { pool } : {} });
  const all = [farm('north', { size: 3 }), farm('south', { size: 5 }), farm('empty'), object(`${group}/v1`, 'Hut', 'small', { spec: { pool: { size: 1 } } })];
  for (const one of all) {
    await eventually('the kind is served', PATIENCE, () => create(one).then(() => true, (error) => (/no matches|not find/.test(error.message) ? false : Promise.reject(error))));
  }
});

const open = (resource, name) => stage.open(`#/${resource}?object=${ns}%2F${name}`);

for (const [version, kind, resource] of REPLICATED) {
  test(`a ${kind} is scaled`, options, async () => {
    const page = await open(`${version}/${resource}`, 'scaled');
    await act(page, 'Scale');
    await dialog(page).getByLabel('Replicas (now 2)').fill('4');
    await press(page, 'Scale');
    await closes(page);
    assert.equal((await get(resource, 'scaled')).spec.replicas, 4);
    await page.context().close();
  });
}

for (const [kind, resource] of WITH_REVISIONS) {
  test(`a ${kind} is restarted`, options, async () => {
    const page = await open(`apps/v1/${resource}`, 'rolled');
    await act(page, 'Restart');
    await press(page, 'Restart');
    await closes(page);
    const { spec } = await get(resource, 'rolled');
    assert.match(spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt'], /^\d{4}-/);
    await page.context().close();
  });
}

for (const [kind, resource] of WITH_REVISIONS) {
  test(`a ${kind} is rolled back to one of its revisions, and what changes is shown`, options, async () => {
    await stage.kubectl(['patch', resource, 'rolled', '-n', ns, '--type=json', '-p', JSON.stringify([{ op: 'remove', path: '/spec/template/metadata/annotations' }])]);
    const page = await open(`apps/v1/${resource}`, 'rolled');
    await act(page, 'RollBack');
    await dialog(page).getByLabel('Revision 10: web:2').waitFor({ timeout: PATIENCE });
    const offered = await dialog(page).locator('fieldset label').allInnerTexts();
    assert.deepEqual(offered.map((text) => text.trim()), ['Revision 10: web:2', 'Revision 9: web:1'], 'the current revision is not offered');
    await dialog(page).getByText(kind === 'StatefulSet' ? 'The pods are replaced in order' : 'The update strategy is OnDelete').waitFor();
    await dialog(page).getByLabel('Revision 9: web:1').check();
    const changes = page.locator('.comparison .cm-content');
    await eventually('the change of the image', PATIENCE, async () => /web:3[^]*web:1/.test(await changes.innerText()));
    assert.doesNotMatch(await changes.innerText(), /\$patch/);
    await press(page, 'Roll back');
    await closes(page);
    const { spec } = await get(resource, 'rolled');
    assert.deepEqual([spec.template.spec.containers[0].image, spec.template.$patch, spec.template.metadata.labels], ['web:1', undefined, labels]);
    assert.match(await stage.kubectl(['rollout', 'history', resource, 'rolled', '-n', ns, '--revision=9']), /web:1/);
    await page.context().close();
  });
}

test('a custom object is scaled where its definition says', options, async () => {
  const page = await open(`${group}/v1/farms`, 'north');
  await act(page, 'Scale');
  const box = dialog(page).getByLabel('Replicas (now 3)');
  await box.waitFor({ timeout: PATIENCE });
  assert.equal(await box.inputValue(), '3');
  await box.fill('7');
  // Another client scales first.
  await stage.kubectl(['scale', `farms.${group}/north`, '--replicas=6', '-n', ns]);
  await dialog(page).getByLabel('Replicas (now 6)').waitFor({ timeout: PATIENCE });
  await press(page, 'Scale');
  await closes(page);
  assert.deepEqual((await get(`farms.${group}`, 'north')).spec, { pool: { size: 7 } });
  await page.context().close();
});

test('a custom object without a number of replicas gets one', options, async () => {
  const page = await open(`${group}/v1/farms`, 'empty');
  await act(page, 'Scale');
  await dialog(page).getByText('The present number cannot be read: ').waitFor({ timeout: PATIENCE });
  await dialog(page).getByLabel('Replicas', { exact: true }).fill('2');
  await press(page, 'Scale');
  await closes(page);
  assert.deepEqual((await get(`farms.${group}`, 'empty')).spec, { pool: { size: 2 } });
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/500/.test(error)));
  await page.context().close();
});

test('several custom objects are scaled', options, async () => {
  const page = await stage.open(`#/${group}/v1/farms?namespace=${ns}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await mark(page, `${ns}/north`, `${ns}/south`);
  await actOnMarked(page, 'Scale');
  await dialog(page).getByLabel(/Replicas \(now 5( to \d)?\)/).fill('0');
  await dialog(page).getByText('With 0 replicas its controller ends all of them.').waitFor();
  await press(page, 'Scale');
  await ends(page, 'Complete: 2 of 2 done.');
  const sizes = Object.fromEntries((await all(`farms.${group}`)).map(({ metadata, spec }) => [metadata.name, spec.pool?.size]));
  assert.deepEqual([sizes.north, sizes.south], [0, 0]);
  await page.context().close();
});

test('a custom kind without the subresource is not scaled', options, async () => {
  const page = await open(`${group}/v1/huts`, 'small');
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await page.locator('.drawer [role=menuitem][data-action=Edit]').waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.drawer [role=menuitem][data-action=Scale]').count(), 0);
  await page.context().close();
});
