// Rights to shells: known when the tab opens, before a shell is opened.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';
import { openTab } from '../support/terminal.mjs';

// The proxy allows shells: the server decides.
const stage = await setStage({ args: ['--still'], user: 'jane', proxy: ['--reject-paths=^$'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const rbac = 'rbac.authorization.k8s.io';
const create = (manifest) => stage.kubectl(['create', '-f', '-'], JSON.stringify(manifest));

/** Gives jane these rights in the namespace `default`. */
async function allow(name, verbs, resource) {
  const metadata = { name, namespace: 'default' };
  const [, subresource] = resource.split('/');
  await create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [{ apiGroups: [''], resources: [resource], verbs }] });
  await create({ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, subjects: [{ kind: 'User', name: 'jane', apiGroup: rbac }], roleRef: { apiGroup: rbac, kind: 'Role', name } });
  await eventually(`jane may ${verbs[0]} ${resource}`, PATIENCE, () => stage.kubectl(['auth', 'can-i', verbs[0], 'pods', ...(subresource ? [`--subresource=${subresource}`] : []), '-n', 'default', '--as=jane']).then(() => true, () => false));
}

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['run', 'guest', '-n', 'default', '--image=pause', '--restart=Never']);
  await allow('reads', ['get', 'list', 'watch'], 'pods');
});

const open = (page) => page.getByRole('button', { name: 'Open', exact: true });
const isDisabled = (page, is) => eventually(`aria-disabled is ${is}`, PATIENCE, async () => (await open(page).getAttribute('aria-disabled')) === `${is}`);

test('without the right, Open is greyed with the reason, and does nothing', options, async () => {
  const page = await openTab(stage, 'guest', {}, '&namespace=default');
  const reason = page.locator('.shell .outcome', { hasText: 'You may not create pods/exec' });
  await reason.waitFor({ timeout: PATIENCE });
  await isDisabled(page, true);
  assert.match(await page.evaluate(() => document.getElementById(document.querySelector('.shell-tools .primary').getAttribute('aria-describedby')).textContent), /You may not create pods\/exec/);
  await open(page).dispatchEvent('click');
  assert.equal(await page.locator('.terminal-frame').count(), 0);
  await page.getByLabel('Process').selectOption({ label: 'main process (attach)' });
  await page.locator('.shell .outcome', { hasText: 'You may not create pods/attach' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('each process has its own right', options, async () => {
  await allow('attaches', ['create'], 'pods/attach');
  const page = await openTab(stage, 'guest', {}, '&namespace=default');
  await page.locator('.shell .outcome', { hasText: 'You may not create pods/exec' }).waitFor({ timeout: PATIENCE });
  await page.getByLabel('Process').selectOption({ label: 'main process (attach)' });
  await isDisabled(page, false);
  await page.locator('.shell .outcome').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});
