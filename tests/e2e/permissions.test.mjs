// Users with restricted permissions.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import { mark } from '../support/actions.mjs';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'], user: 'jane' });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const create = (manifest) => stage.kubectl(['create', '-f', '-'], JSON.stringify(manifest));
const rbac = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];

/** Gives jane the right to read a resource, in a namespace or everywhere. */
async function allow(resource, namespace) {
  const kind = namespace ? 'Role' : 'ClusterRole';
  const metadata = { name: `reads-${resource}`, namespace };
  await create({ apiVersion: `${rbac}/v1`, kind, metadata, rules: [{ apiGroups: [''], resources: [resource], verbs: read }] });
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
  const roleRef = { apiGroup: rbac, kind, name: metadata.name };
  await create({ apiVersion: `${rbac}/v1`, kind: `${kind}Binding`, metadata, subjects, roleRef });
  await mayDo('list', resource, namespace);
}

/** Waits until the server allows jane to do it: a real apiserver learns of new roles by watches. */
async function mayDo(verb, resource, namespace, name) {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { verb, resource, namespace, name, version: 'v1' } } };
  await eventually(`jane may ${verb} ${resource}`, PATIENCE, async () => {
    const url = stage.url('../apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(review), headers: { 'content-type': 'application/json' } });
    const text = await response.text();
    assert.ok(response.ok, `${response.status} ${text}`);
    return JSON.parse(text).status.allowed;
  });
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

test('a user who may not list all namespaces sees the permitted ones, live', options, async () => {
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  for (const namespace of ['shop', 'bank']) await row(page, `${namespace}/early`).waitFor();
  await page.getByText('2 objects in 2 namespaces').first().waitFor();
  await run('late', 'bank');
  await row(page, 'bank/late').waitFor({ timeout: PATIENCE });
  assert.equal(await row(page, 'mill/early').count(), 0);
  // A permitted namespace alone, then one that is not permitted.
  await page.evaluate(() => (location.hash = '#/v1/pods?namespace=bank'));
  await row(page, 'shop/early').waitFor({ state: 'hidden' });
  await row(page, 'bank/late').waitFor();
  await page.evaluate(() => (location.hash = '#/v1/pods?namespace=mill'));
  await freshness(page, 'forbidden').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('of several chosen namespaces the permitted ones are shown, and the others are named', options, async () => {
  const page = await stage.open('#/v1/pods?namespace=bank,shop');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  for (const namespace of ['shop', 'bank']) await row(page, `${namespace}/early`).waitFor({ timeout: PATIENCE });
  const says = page.locator('.tally .in-force');
  assert.equal(await says.innerText(), '');
  await page.evaluate(() => (location.hash = '#/v1/pods?namespace=bank,mill'));
  await row(page, 'shop/early').waitFor({ state: 'hidden', timeout: PATIENCE });
  await row(page, 'bank/early').waitFor({ timeout: PATIENCE });
  await says.filter({ hasText: 'You may not list Pods in mill.' }).waitFor({ timeout: PATIENCE });
  // Neither namespace may be listed. The page advises to choose one, because one alone could be permitted.
  await page.evaluate(() => (location.hash = '#/v1/secrets?namespace=bank,mill'));
  await page.locator('.empty').getByText('Several namespaces together need the right to list all of them. Choose one namespace.').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a kind that may be listed nowhere is shown as forbidden', options, async () => {
  const page = await stage.open('#/v1/secrets');
  await freshness(page, 'forbidden').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the palette finds what may be listed, and says which kinds may not', options, async () => {
  const page = await stage.open('#/v1/services');
  await page.locator('.navigation a', { hasText: 'Deployments' }).waitFor({ state: 'attached', timeout: PATIENCE });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Find a kind, a namespace/ }).fill('early');
  for (const key of ['bank/early', 'shop/early']) await page.locator('#palette-list [role=option]', { hasText: key }).waitFor({ timeout: PATIENCE });
  const progress = page.locator('.palette-progress');
  await progress.locator('summary', { hasText: 'not allowed: ' }).waitFor({ timeout: PATIENCE });
  await progress.locator('summary').click();
  await progress.locator('dt:text-is("Not allowed") + dd', { hasText: 'Secrets' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

const item = (page, action) => page.locator(`.drawer [role=menuitem][data-action=${action}]`);

test('forbidden actions are greyed out, with the reason', options, async () => {
  const page = await stage.open('#/v1/pods?namespace=shop&object=shop%2Fearly');
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await item(page, 'Delete').getByText('You may not delete v1/pods.').waitFor({ timeout: PATIENCE });
  await item(page, 'Evict').getByText('You may not create v1/pods/eviction.').waitFor({ timeout: PATIENCE });
  assert.equal(await item(page, 'Delete').getAttribute('aria-disabled'), 'true');
  await item(page, 'Delete').click({ force: true });
  await page.keyboard.press('d');
  assert.equal(await page.locator('dialog.action').count(), 0, 'no dialog opens');
  await page.context().close();
});

test('an action that is allowed for some of the marked rows fails for the others, by name', options, async () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['delete'] }];
  const metadata = { name: 'deletes-pods', namespace: 'bank' };
  await create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
  const roleRef = { apiGroup: rbac, kind: 'Role', name: metadata.name };
  await create({ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, subjects: [{ kind: 'User', name: 'jane', apiGroup: rbac }], roleRef });
  await mayDo('delete', 'pods', 'bank');
  const page = await stage.open('#/v1/pods');
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  for (const key of ['bank/early', 'shop/early']) await row(page, key).click({ modifiers: ['Control'], timeout: PATIENCE });
  await page.keyboard.press('a');
  await page.locator('.marks [data-action=Delete]').click({ timeout: PATIENCE });
  await page.locator('dialog.action').getByLabel('Force').check();
  await page.locator('dialog.action footer').getByRole('button', { name: 'Delete' }).click();
  await page.locator('dialog.action .outcome', { hasText: 'Not complete: 1 of 2 done, 1 failed.' }).waitFor({ timeout: PATIENCE });
  assert.match(await page.locator('dialog.action [data-subject="shop/early"]').innerText(), /Not allowed \(403\)/);
  await page.context().close();
});

test('a right to one object by its name is enough for the action on several', options, async () => {
  await allow('configmaps', 'bank');
  const metadata = { name: 'deletes-b', namespace: 'bank' };
  await create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['b'], verbs: ['delete'] }] });
  const roleRef = { apiGroup: rbac, kind: 'Role', name: metadata.name };
  await create({ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, subjects: [{ kind: 'User', name: 'jane', apiGroup: rbac }], roleRef });
  for (const name of ['a', 'b']) await stage.kubectl(['create', 'configmap', name, '-n', 'bank']);
  await mayDo('delete', 'configmaps', 'bank', 'b');
  const page = await stage.open('#/v1/configmaps?namespace=bank');
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await mark(page, 'bank/a', 'bank/b');
  await page.keyboard.press('a');
  // The rights of all actions are reviewed together; this one is denied for both objects.
  await page.locator('.marks [data-action=Labels]').getByText('You may not patch v1/configmaps.').waitFor({ timeout: PATIENCE });
  await page.locator('.marks [data-action=Delete]').click({ timeout: PATIENCE });
  await page.locator('dialog.action footer').getByRole('button', { name: 'Delete' }).click({ timeout: PATIENCE });
  await page.locator('dialog.action .outcome', { hasText: 'Not complete: 1 of 2 done, 1 failed.' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a log that the user may not read says so, with the words of the server', options, async () => {
  const page = await stage.open('#/v1/pods?namespace=shop&object=shop%2Fearly&tab=logs');
  await page.locator('.drawer').getByText(/User "jane" cannot get resource "pods\/log"/).first().waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.log-line').count(), 0);
  await page.context().close();
  // The browser reports the rejected handshake on the console.
  const own = stage.errors.splice(0).filter((error) => !/\/log\?[^]*Unexpected response code: 403/.test(error));
  assert.deepEqual(own, []);
});

test('READONLY=1: actions are greyed, and the proxy rejects writes', options, async () => {
  // The pattern that web/serve.sh passes to kubectl proxy.
  const serve = await readFile(new URL('../../web/serve.sh', import.meta.url), 'utf8');
  const [, rule] = /--reject-methods '([^']+)'/.exec(serve);
  const closed = await setStage({ args: ['--still'], proxy: [`--reject-methods=${rule}`] });
  try {
    await closed.kubectl(['create', 'configmap', 'settings', '-n', 'default']);
    const page = await closed.open('#/v1/configmaps?object=default%2Fsettings');
    await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
    for (const action of ['Edit', 'Labels', 'Delete']) {
      await item(page, action).getByText('Read only: the proxy rejects writes (READONLY=1, --read-only).').waitFor({ timeout: PATIENCE });
      assert.equal(await item(page, action).getAttribute('aria-disabled'), 'true');
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.locator('dialog.action').getByText('Read only: the proxy rejects writes (READONLY=1, --read-only).').waitFor({ timeout: PATIENCE });
    await page.locator('dialog.action .cm-editor').waitFor({ state: 'detached', timeout: PATIENCE });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await fetch(closed.url('../api/v1/namespaces/default/configmaps/settings'), { method });
      assert.equal(status, 403, method);
    }
    await closed.kubectl(['get', 'configmap', 'settings', '-n', 'default']);
    assert.deepEqual(closed.errors, [], 'the page reported errors');
  } finally {
    await closed.end();
  }
});
