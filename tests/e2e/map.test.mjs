// Map: objects of a namespace or around an object as a graph and as a list, live, by keyboard and for screen readers.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, RECORDED, TEST, eventually, freshness, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const rbac = 'rbac.authorization.k8s.io';
const labels = { app: 'web' };
const list = (...items) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], list(...items));
const object = (namespace, apiVersion, kind, name, more = {}) => ({ apiVersion, kind, ...more, metadata: { name, namespace, ...more.metadata } });
const uid = async (namespace, kind, name) => JSON.parse(await stage.kubectl(['get', kind, name, '-n', namespace, '-o', 'json'])).metadata.uid;
const ownedBy = async (namespace, kind, name) => [{ apiVersion: 'apps/v1', kind, name, uid: await uid(namespace, kind, name), controller: true }];
const spec = { containers: [{ name: 'web', image: 'web:1' }], nodeName: 'map-node' };

/** Creates an ingress that leads through a service and a deployment to pods on a node. */
async function shop(namespace, pods) {
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const selector = { matchLabels: labels };
  const template = { metadata: { labels }, spec: { containers: spec.containers } };
  const path = (name) => ({ path: `/${name}`, pathType: 'Prefix', backend: { service: { name, port: { number: 80 } } } });
  await create(
    object(namespace, 'networking.k8s.io/v1', 'Ingress', 'entry', { spec: { rules: [{ host: 'a.example', http: { paths: [path('front'), path('missing')] } }] } }),
    object(namespace, 'v1', 'Service', 'front', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    object(namespace, 'apps/v1', 'Deployment', 'web', { spec: { replicas: pods, selector, template } }),
    object(namespace, 'apps/v1', 'StatefulSet', 'alone', { spec: { replicas: 0, serviceName: 'x', selector: { matchLabels: { app: 'x' } }, template: { ...template, metadata: { labels: { app: 'x' } } } } }),
  );
  await create(object(namespace, 'apps/v1', 'ReplicaSet', 'web-1', { metadata: { labels, ownerReferences: await ownedBy(namespace, 'Deployment', 'web') }, spec: { replicas: 0, selector, template } }));
  await grow(namespace, 0, pods);
}
const grow = async (namespace, from, to) => {
  const ownerReferences = await ownedBy(namespace, 'ReplicaSet', 'web-1');
  return create(...Array.from({ length: to - from }, (_, at) => object(namespace, 'v1', 'Pod', `web-1-${from + at}`, { metadata: { labels, ownerReferences }, spec })));
};

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'map-node' } });
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'map-empty' } });
  await shop('map-shop', 2);
  await shop('map-large', 60);
});

const part = (page) => page.locator('.map-part');
/** A placed box, found by its title, which it has at any scale. */
const box = (page, kind, name) => part(page).locator(`.map-box.placed:is([title="${kind} ${name}"], [title^="${kind} ${name} "])`);
const ready = (page) => page.locator('.map-part[data-layout=ready]').waitFor({ timeout: PATIENCE });
const focused = (page) => page.evaluate(() => document.activeElement.querySelector('.name')?.textContent);
const hash = (page) => page.evaluate(() => location.hash);
const form = (page, name) => page.getByRole('group', { name: 'Show the map as' }).getByRole('button', { name, exact: true });

async function open(address, profile) {
  const page = await stage.open(address, profile);
  await ready(page);
  return page;
}

test('an ingress leads to service, deployment, pod and node; a deleted pod goes; an object opens beside the map', options, async () => {
  const page = await open('#/map?namespace=map-shop');
  const across = [];
  for (const [kind, name] of [['Ingress', 'entry'], ['Service', 'front'], ['Deployment', 'web'], ['Pod', 'web-1-0'], ['Node', 'map-node']]) {
    await box(page, kind, name).waitFor({ timeout: PATIENCE });
    across.push((await box(page, kind, name).boundingBox()).x);
  }
  assert.deepEqual(across, across.toSorted((a, b) => a - b), 'the boxes are in this order from left to right');
  await settled('a service that does not exist', () => box(page, 'Service', 'missing').locator('.state').innerText(), '✖ Not found');
  assert.equal(await part(page).getByText('web-1', { exact: true }).count(), 0, 'the replica set is folded');
  await stage.kubectl(['delete', 'pod', 'web-1-1', '-n', 'map-shop', '--force', '--grace-period=0']);
  await settled('the pod is gone', () => box(page, 'Pod', 'web-1-1').count(), 0);
  await box(page, 'Deployment', 'web').click();
  await page.locator('.drawer h2', { hasText: 'web' }).waitFor({ timeout: PATIENCE });
  assert.equal(await hash(page), '#/map?namespace=map-shop&kind=apps%2Fv1%2Fdeployments&object=map-shop%2Fweb');
  assert.ok(await box(page, 'Node', 'map-node').isVisible(), 'the map stays open beside the object');
  await page.context().close();
});

test('many pods are one box, which counts up and is expanded by keyboard', options, async () => {
  const page = await open('#/map?namespace=map-large');
  const state = box(page, 'Pods', 'web').locator('.state');
  await settled('all pods', () => state.innerText(), '▲ 0 of 60 ready');
  const before = await box(page, 'Ingress', 'entry').boundingBox();
  await grow('map-large', 60, 62);
  await settled('two more', () => state.innerText(), '▲ 0 of 62 ready');
  assert.deepEqual(await box(page, 'Ingress', 'entry').boundingBox(), before, 'a change of state moves nothing');
  await box(page, 'Pods', 'web').focus();
  await page.keyboard.press('Enter');
  const pods = part(page).locator('.map-box.placed[title^="Pod "]');
  await settled('each pod', () => pods.count(), 62);
  // Only readable boxes have texts: none if the whole map is in view; after zooming in, the boxes in view.
  await page.getByRole('group', { name: 'Zoom' }).getByRole('button', { name: 'Fit' }).click();
  const written = () => pods.evaluateAll((all) => all.filter((pod) => pod.querySelector('.name')).length);
  await settled('texts of the whole map', written, 0);
  const isNear = () => part(page).locator('.map-sheet').evaluate((sheet) => new DOMMatrix(getComputedStyle(sheet).transform).a >= 0.9);
  while (!(await isNear())) await page.getByRole('button', { name: 'Zoom in' }).click();
  await eventually('texts in view', PATIENCE, () => page.evaluate(() => {
    const frame = document.querySelector('.map-frame').getBoundingClientRect();
    const isInView = ({ left, right, top, bottom }) => right > frame.left && left < frame.right && bottom > frame.top && top < frame.bottom;
    const inView = [...document.querySelectorAll('.map-box')].filter((box) => isInView(box.getBoundingClientRect()));
    return inView.length > 0 && inView.every((box) => box.querySelector('.name'));
  }));
  assert.ok((await written()) < 62, 'boxes out of view have no texts');
  await part(page).getByRole('button', { name: 'Fold pods' }).click();
  await box(page, 'Pods', 'web').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('arrow keys walk along the lines, and Enter opens the object', options, async () => {
  const page = await open('#/map?namespace=map-shop');
  await box(page, 'Ingress', 'entry').focus();
  for (const [key, name] of [['ArrowRight', 'front'], ['ArrowRight', 'web'], ['ArrowRight', 'web-1-0'], ['ArrowRight', 'map-node'], ['ArrowLeft', 'web-1-0'], ['ArrowLeft', 'web']]) {
    await page.keyboard.press(key);
    await settled(`${key} to ${name}`, () => focused(page), name);
  }
  await settled('its neighbours are marked', () => part(page).locator('.map-box.near .name').allInnerTexts().then((names) => names.toSorted().join()), 'front,web-1-0');
  const transform = () => part(page).locator('.map-sheet').evaluate((sheet) => sheet.style.transform);
  const before = await transform();
  await page.keyboard.press('+');
  await settled('nearer', async () => (await transform()) !== before, true);
  await page.keyboard.press('0');
  await page.keyboard.press('Enter');
  await page.locator('.drawer h2', { hasText: 'web' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a search marks objects, and the list has the same objects with their links', options, async () => {
  const page = await open('#/map?namespace=map-shop');
  await page.getByRole('searchbox', { name: 'Find an object on the map' }).fill('front');
  await settled('one match', () => part(page).locator('.map-box.match .name').allInnerTexts().then(String), 'front');
  const names = await part(page).locator('.map-box .name').allTextContents();
  await form(page, 'List').click();
  assert.deepEqual((await part(page).locator('tbody th').allInnerTexts()).toSorted(), names.toSorted());
  const row = part(page).getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'entry' }) });
  assert.deepEqual((await row.getByRole('listitem').allInnerTexts()).toSorted(), ['Service front', 'Service missing']);
  await row.getByRole('link', { name: 'Service front' }).click();
  await page.locator('.drawer h2', { hasText: 'front' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the pointer drags the map, and a drag that begins on a box does not open it', options, async () => {
  const page = await open('#/map?namespace=map-shop');
  const [at, before] = [() => box(page, 'Deployment', 'web').boundingBox(), await hash(page)];
  const from = await at();
  const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y + 20);
  await page.mouse.move(x - 60, y + 40);
  await page.mouse.up();
  await settled('the box has moved with the pointer', () => at().then((to) => [Math.round(to.x - from.x), Math.round(to.y - from.y)]), [-60, 40]);
  assert.equal(await hash(page), before);
  await box(page, 'Deployment', 'web').click();
  await page.locator('.drawer h2', { hasText: 'web' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('boxes move to their new places at once when the user prefers reduced motion', options, async () => {
  const durations = new Map();
  for (const reducedMotion of ['reduce', 'no-preference']) {
    const page = await open('#/map?namespace=map-shop', { reducedMotion });
    await page.getByRole('button', { name: 'ConfigMaps and Secrets' }).click();
    await create(object('map-shop', 'v1', 'Service', `new-${reducedMotion}`, { spec: { selector: { app: 'none' }, ports: [{ port: 80 }] } }));
    await box(page, 'Service', `new-${reducedMotion}`).waitFor({ timeout: PATIENCE });
    const moved = part(page).locator('.map-box.moves').first();
    await moved.waitFor({ timeout: PATIENCE });
    durations.set(reducedMotion, await moved.evaluate((element) => getComputedStyle(element).transitionDuration));
    await page.context().close();
  }
  assert.deepEqual([...durations.values()], ['0s', '0.2s']);
});

test('its informers are let go when it is left', options, async () => {
  const page = await open('#/map?namespace=map-shop');
  await eventually('kinds are watched', PATIENCE, async () => (await stage.openWatches()) > 2 + RECORDED + stage.kindWatches);
  await page.evaluate(() => (location.hash = '#/v1/pods'));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await eventually('pods, namespaces and recorded kinds', PATIENCE, async () => (await stage.openWatches()) <= 2 + RECORDED + stage.kindWatches);
  await page.context().close();
});

test('the Related tab leads to the map around an object', options, async () => {
  const page = await stage.open('#/v1/services?namespace=map-shop&object=map-shop%2Ffront&tab=related');
  await page.getByRole('link', { name: 'Map around this object' }).click({ timeout: PATIENCE });
  await ready(page);
  assert.equal(await hash(page), '#/map?namespace=map-shop&around=Service.%2Fmap-shop%2Ffront');
  await box(page, 'Ingress', 'entry').waitFor({ timeout: PATIENCE });
  assert.equal(await box(page, 'StatefulSet', 'alone').count(), 0);
  await page.getByRole('link', { name: 'Show all objects' }).click();
  await box(page, 'StatefulSet', 'alone').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('an empty namespace says so', options, async () => {
  const page = await stage.open('#/map?namespace=map-empty');
  await page.locator('.map').getByText('There are no objects to show.').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a kind that the user may not list is said, and the others are shown', options, async () => {
  const closed = await setStage({ args: ['--still'], user: 'jane' });
  try {
    const rules = [{ apiGroups: ['', 'apps'], resources: ['pods', 'deployments'], verbs: ['get', 'list', 'watch'] }];
    await closed.kubectl(['create', '--validate=false', '-f', '-'], list(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'reads', namespace: 'shop' }, rules },
      { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'reads', namespace: 'shop' }, subjects: [{ kind: 'User', name: 'jane', apiGroup: rbac }], roleRef: { apiGroup: rbac, kind: 'Role', name: 'reads' } },
      object('shop', 'v1', 'Pod', 'single', { spec: { containers: spec.containers } }),
    ));
    const page = await closed.open('#/map?namespace=shop');
    await page.locator('.map').getByText('You may not list services.').waitFor({ timeout: PATIENCE });
    await box(page, 'Pod', 'single').waitFor({ timeout: PATIENCE });
    await page.context().close();
  } finally {
    await closed.end();
  }
});

for (const colorScheme of ['light', 'dark']) {
  test(`it is accessible at any width, ${colorScheme}`, options, async () => {
    const page = await open('#/map?namespace=map-shop', { bypassCSP: true, colorScheme, viewport: { width: 1400, height: 900 } });
    for (const [width, shown] of [[380, 'List'], [1400, 'Graph'], [2560, 'Graph']]) {
      await page.setViewportSize({ width, height: 900 });
      await form(page, shown).click();
      assert.deepEqual(await violations(page, { root: '.map' }), [], `${width}`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/map-${colorScheme}-${width}.png` });
    }
    await page.context().close();
  });
}
