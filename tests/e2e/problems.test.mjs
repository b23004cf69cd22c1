// Problems: one line for each cause and owner, live, with their number in the navigation and in the title.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const namespaces = { rollout: 'wrong-rollout', live: 'live-problems', keys: 'keys-problems', odd: 'odd-problems', well: 'well', many: 'many-problems' };

let api;
/** Sends a request to the apiserver: for hundreds of objects, kubectl would take minutes. */
async function send(method, path, body) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(`${api}${path}`, { method, body: body && JSON.stringify(body), headers: { 'content-type': type } });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

const owner = (kind, name, apiVersion = 'apps/v1') => [{ apiVersion, kind, name, uid: `${name}-uid`, controller: true }];
const waiting = (image, reason, more = {}) => ({
  phase: 'Pending',
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  containerStatuses: [{ name: 'web', image, imageID: '', ready: false, started: false, restartCount: 3, state: { waiting: { reason } }, ...more }],
});
const crashed = (image) => waiting(image, 'CrashLoopBackOff', { lastState: { terminated: { exitCode: 3, reason: 'Error' } } });

/** Creates a pod with a status. */
async function pod(namespace, name, status, { image = 'web:1', metadata = {} } = {}) {
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { containers: [{ name: 'web', image }] } };
  await send('POST', `/api/v1/namespaces/${namespace}/pods`, body);
  if (status) await send('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, { status });
}
/** Creates a pod of a deployment. */
const member = (namespace, deployment, at, status, image) =>
  pod(namespace, `${deployment}-7d9c-${at}`, status, { image, metadata: { labels: { 'pod-template-hash': '7d9c' }, ownerReferences: owner('ReplicaSet', `${deployment}-7d9c`) } });

const each = async (count, make) => {
  for (let from = 0; from < count; from += 20) await Promise.all(Array.from({ length: Math.min(20, count - from) }, (_, at) => make(from + at)));
};

before(async () => {
  if (stage.unavailable) return;
  api = await stage.backdoor();
  for (const name of Object.values(namespaces)) await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await each(200, (at) => member(namespaces.rollout, 'web', at, waiting('web:2', at % 2 ? 'ErrImagePull' : 'ImagePullBackOff'), 'web:2'));
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:2' }] } };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 200, selector: { matchLabels: { app: 'web' } }, template } };
  await send('POST', `/apis/apps/v1/namespaces/${namespaces.rollout}/deployments`, deployment);
  const condition = { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'Deployment does not have minimum availability.', lastTransitionTime: '2026-01-01T00:00:00Z', lastUpdateTime: '2026-01-01T00:00:00Z' };
  await send('PATCH', `/apis/apps/v1/namespaces/${namespaces.rollout}/deployments/web/status`, { status: { replicas: 200, unavailableReplicas: 200, conditions: [condition] } });
});

const line = (page, name) => page.locator('.problem-list .line').filter({ has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }) });
const rows = (page) => page.locator('.problem-list [data-row]');
const count = (page) => page.locator('.kinds a', { hasText: 'Problems' }).locator('.number');

async function open(namespace, profile) {
  const page = await stage.open(`#/problems${namespace ? `?namespace=${namespace}` : ''}`, profile);
  await judged(page);
  return page;
}
/** Waits until each kind has been examined, or cannot be. */
const judged = (page) => page.locator('.problems .verdict:not([aria-busy])').waitFor({ timeout: PATIENCE });

test('one failing image of 200 pods is one line with 200', options, async () => {
  const page = await open(namespaces.rollout);
  await settled('one line', () => page.locator('.problem-list .line').count(), 1);
  const web = line(page, 'web');
  await settled('all pods', () => web.locator('.count').innerText(), '200');
  assert.equal(await web.locator('.kind').innerText(), 'Deployment');
  assert.equal(await web.locator('.namespace').innerText(), namespaces.rollout);
  assert.match(await web.locator('.why').innerText(), /^Container web cannot start, because image web:2 cannot be pulled\.\s+None of 200 pods is available\. Deployment does not have minimum availability\.$/);
  assert.match(await web.locator('.since').innerText(), /^\d+d$/, 'the time is that of the oldest pod');
  await page.getByText(/^Examined \d+ objects of \d+ kinds at \d\d:\d\d:\d\d\.$/).waitFor();
  await web.click();
  await settled('the deployment, ten pods and a link to the others', () => rows(page).count(), 13);
  assert.equal(await rows(page).nth(1).innerText().then((text) => text.trim()), 'Deployment web');
  await rows(page).nth(12).getByText('190 more').click();
  await settled('the table of all', () => grid(page).getAttribute('data-total'), '200');
  assert.equal(await page.locator('.refusal').textContent(), '');
  await page.goBack();
  await settled('it is still expanded', () => rows(page).count(), 13);
  await page.context().close();
});

test('a problem appears and disappears live, and so does its number in the navigation and in the title', options, async () => {
  const page = await stage.open(`#/v1/pods?namespace=${namespaces.live}`);
  await grid(page).waitFor({ timeout: PATIENCE });
  assert.equal(await count(page).count(), 0, 'nothing is examined before the page is opened');
  await page.evaluate(() => (location.hash = location.hash.replace('v1/pods', 'problems')));
  await judged(page);
  await page.getByText('No problems found.').waitFor({ timeout: PATIENCE });
  await settled('none', () => count(page).innerText(), '0');
  assert.equal(await page.title(), `Problems · ${namespaces.live} · kube-informer`);
  await page.goBack();
  await grid(page).waitFor({ timeout: PATIENCE });
  await member(namespaces.live, 'api', 'a', crashed('api:1'));
  await pod(namespaces.live, 'alone', waiting('alone:1', 'InvalidImageName'), { image: 'alone:1' });
  await settled('two, while the table is shown', () => count(page).innerText(), '2');
  await settled('the title', () => page.title(), `(2) Pods · ${namespaces.live} · kube-informer`);
  await page.goForward();
  assert.match(await line(page, 'api').locator('.why').innerText(), /^Container web crashes repeatedly: its last run exited with code 3/);
  await member(namespaces.live, 'api', 'b', crashed('api:1'));
  await settled('the same of another pod', () => line(page, 'api').locator('.count').innerText(), '2');
  // While the focus is in the list, no line moves.
  await line(page, 'alone').focus();
  const places = await rows(page).evaluateAll((rows) => rows.map((row) => row.dataset.row));
  await send('DELETE', `/api/v1/namespaces/${namespaces.live}/pods/alone?gracePeriodSeconds=0`);
  await settled('resolved', () => line(page, 'alone').locator('.severity').innerText(), 'Resolved');
  assert.deepEqual(await rows(page).evaluateAll((rows) => rows.map((row) => row.dataset.row)), places);
  await settled('one less', () => count(page).innerText(), '1');
  await page.locator('.namespace .field').focus();
  await settled('it leaves with the focus', () => line(page, 'alone').count(), 0);
  for (const name of ['api-7d9c-a', 'api-7d9c-b']) await send('DELETE', `/api/v1/namespaces/${namespaces.live}/pods/${name}?gracePeriodSeconds=0`);
  await page.getByText('No problems found.').waitFor({ timeout: PATIENCE });
  await settled('no number', () => page.title(), `Problems · ${namespaces.live} · kube-informer`);
  await page.context().close();
});

test('only the chosen namespace is examined', options, async () => {
  const page = await open(namespaces.well);
  await page.getByText('No problems found.').waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.problems .scope').innerText(), `Namespace ${namespaces.well}`);
  await page.evaluate((name) => (location.hash = `#/problems?namespace=${name}`), namespaces.rollout);
  await settled('another namespace', () => line(page, 'web').count(), 1);
  await settled('its number', () => count(page).innerText(), '1');
  await page.context().close();
});

test('it is reached, read and left by keyboard', options, async () => {
  await member(namespaces.keys, 'api', 'a', crashed('api:1'));
  await pod(namespaces.keys, 'alone', waiting('alone:1', 'InvalidImageName'), { image: 'alone:1' });
  const page = await stage.open(`#/v1/pods?namespace=${namespaces.keys}`);
  await page.getByRole('button', { name: 'Create from YAML' }).waitFor({ timeout: PATIENCE });
  await grid(page).focus();
  await page.keyboard.press('!');
  await judged(page);
  assert.equal(await page.evaluate(() => location.hash), `#/problems?namespace=${namespaces.keys}`);
  await eventually('the page has the focus', PATIENCE, () => page.evaluate(() => document.activeElement.matches('.problems')));
  assert.deepEqual(await page.locator('.kinds [aria-current=page]').allTextContents(), ['Problems 2']);
  const has = (name) => settled(`the focus is on ${name}`, () => page.evaluate(() => document.activeElement.querySelector('.name, a')?.textContent), name);
  await settled('two lines', () => rows(page).count(), 2);
  await page.keyboard.press('Tab');
  await has('api');
  await page.keyboard.press('ArrowDown');
  await has('alone');
  await page.keyboard.press('Enter');
  await settled('expanded', () => line(page, 'alone').getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('ArrowLeft');
  await settled('collapsed', () => line(page, 'alone').getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await settled('the deployment and a pod', () => rows(page).count(), 4);
  await page.keyboard.press('ArrowDown');
  await has('Deployment api');
  await page.keyboard.press('ArrowLeft');
  await has('api');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await has(`Pod ${namespaces.keys}/api-7d9c-a`);
  await page.keyboard.press('Enter');
  await page.locator('.drawer h2', { hasText: 'api-7d9c-a' }).waitFor({ timeout: PATIENCE });
  assert.match(await page.evaluate(() => location.hash), /^#\/v1\/pods\?.*object=.*&full=1$/);
  await page.goBack();
  await has(`Pod ${namespaces.keys}/api-7d9c-a`);
  await page.keyboard.press('/');
  await page.keyboard.type('web');
  await grid(page).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`it is accessible and fits any width, also with odd text, ${colorScheme}`, options, async () => {
    const name = `${'a'.repeat(240)}-${colorScheme}`.slice(-253);
    await pod(namespaces.odd, name, waiting('odd:1', `Create\u202eContainerError`));
    await send('PATCH', `/api/v1/namespaces/${namespaces.odd}/pods/${name}/status`, { status: { phase: 'Failed', reason: `Odd-${colorScheme}`, message: `<b>\u202e${'x'.repeat(400)}` } });
    // The page's policy would block axe's script.
    const page = await open(namespaces.odd, { bypassCSP: true, colorScheme, viewport: { width: 1280, height: 900 } });
    await line(page, name).click();
    await settled('its pod', () => page.locator('.problem-list .member a').count(), 1);
    assert.match(await line(page, name).locator('.why').innerText(), /: <b>\\u202exxx/);
    for (const width of [380, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = () => page.evaluate(() => [document.documentElement, document.querySelector('.problems'), ...document.querySelectorAll('.problem-list, .problem-list [role=row]')].filter((element) => element.scrollWidth > element.clientWidth).length);
      await settled(`nothing scrolls sideways at ${width}`, wide, 0);
      assert.deepEqual(await violations(page, { root: '.problems' }), [], `${width}`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/problems-${colorScheme}-${width}.png` });
    }
    await page.context().close();
  });
}

test('if more objects may be unwell than are examined, the page says how many', options, async () => {
  // These pods wait for a node, which is no problem yet.
  await each(510, (at) => pod(namespaces.many, `waiting-${at}`));
  const page = await open(namespaces.many);
  await page.getByText('Of 510 pods that may be unhealthy, only 500 were examined.').waitFor({ timeout: PATIENCE });
  await settled('the number is a least one', () => count(page).innerText(), '0+');
  await page.context().close();
});

test('what a user may not list is said, and the rest works', options, async () => {
  const rbac = 'rbac.authorization.k8s.io';
  const closed = await setStage({ args: ['--still'], user: 'jane' });
  try {
    const make = (...items) => closed.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const rules = [{ apiGroups: ['', 'apps'], resources: ['pods', 'deployments'], verbs: ['get', 'list', 'watch'] }];
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
    await make(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'reads', namespace: 'shop' }, rules },
      { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'reads', namespace: 'shop' }, subjects, roleRef: { apiGroup: rbac, kind: 'Role', name: 'reads' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'broken', namespace: 'shop' }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    );
    await closed.kubectl(['patch', 'pod', 'broken', '-n', 'shop', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status: crashed('web:1') })]);
    const page = await closed.open('#/problems?namespace=shop');
    for (const kind of ['nodes', 'jobs', 'persistentvolumeclaims']) await page.getByText(`You may not list ${kind}.`).waitFor({ timeout: PATIENCE });
    assert.equal(await page.getByText('You may not list pods.').count(), 0);
    await settled('the pod', () => line(page, 'broken').count(), 1);
    await settled('its number, at least', () => count(page).innerText(), '1+');
    await page.evaluate(() => (location.hash = '#/problems'));
    await page.getByText('You may not list pods.').waitFor({ timeout: PATIENCE });
    await page.getByText('Nothing could be examined.').waitFor({ timeout: PATIENCE });
    assert.deepEqual(closed.errors, [], 'the page reported errors');
  } finally {
    await closed.end();
  }
});
