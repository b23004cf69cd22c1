// Related objects as a picture: which nodes and lines there are, where they are, live, by keyboard and for screen readers.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'pictures';
const labels = { app: 'shop' };
const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const object = (apiVersion, kind, name, { metadata, ...more } = {}) => ({ apiVersion, kind, metadata: { name, namespace: ns, ...metadata }, ...more });
const uid = async (kind, name) => JSON.parse(await stage.kubectl(['get', kind, name, '-n', ns, '-o', 'json'])).metadata.uid;
const ownedBy = async (kind, name, apiVersion = 'apps/v1') => ({ ownerReferences: [{ apiVersion, kind, name, uid: await uid(kind, name), controller: true }] });
const report = (name, status) =>
  stage.kubectl(['patch', 'pod', name, '-n', ns, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
const remove = (kind, name) => stage.kubectl(['delete', kind, name, '-n', ns, '--force', '--grace-period=0']);
const spec = (more) => ({ containers: [{ name: 'web', image: 'shop:2' }], ...more });
const HOSTILE = 'first\u202e<img src=x onerror=alert(1)>';

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'machine-a' } }, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'machine-b' } });
  const template = { metadata: { labels }, spec: spec() };
  const selector = { matchLabels: labels };
  await create(object('apps/v1', 'Deployment', 'shop', { spec: { replicas: 2, selector, template } }));
  const metadata = { labels, ...(await ownedBy('Deployment', 'shop')) };
  const set = (name) => object('apps/v1', 'ReplicaSet', name, { metadata, spec: { replicas: 0, selector, template } });
  await create(set('shop-old'), set('shop-new'));
  const owned = { labels, ...(await ownedBy('ReplicaSet', 'shop-new')) };
  const volumes = [{ name: 'settings', configMap: { name: 'settings' } }, { name: 'keys', secret: { secretName: 'keys' } }];
  await create(
    object('v1', 'ConfigMap', 'settings', { data: { a: 'b' } }),
    object('v1', 'Service', 'shop', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    object('v1', 'Pod', 'shop-new-1', { metadata: owned, spec: spec({ volumes, nodeName: 'machine-a' }) }),
    object('v1', 'Pod', 'shop-new-2', { metadata: owned, spec: spec({ nodeName: 'machine-a' }) }),
    ...Array.from({ length: 20 }, (_, at) => object('v1', 'Pod', `many-${String(at).padStart(2, '0')}`, { spec: spec({ nodeName: 'machine-b' }) })),
  );
  await report('shop-new-1', { phase: 'Running' });
  await report('many-15', { phase: 'Failed', reason: 'Evicted' });
});

const tab = (page) => page.getByRole('tab', { name: 'Related', exact: true });
const form = (page, name) => page.getByRole('group', { name: 'Show related objects as' }).getByRole('button', { name, exact: true });
const picture = (page) => page.getByRole('group', { name: 'Picture of the related objects' });
const node = (page, name) => picture(page).locator('.node.placed').filter({ has: page.getByText(name, { exact: true }) });
const box = async (page, name) => node(page, name).boundingBox();
/** Waits until all related objects have been read: the kinds of the cluster, then the objects of some of them. */
const isRead = async (page) => {
  await page.locator('.kinds a').first().waitFor({ state: 'attached', timeout: PATIENCE });
  await page.locator('.summary .reading').waitFor({ state: 'detached', timeout: PATIENCE });
};
const hash = (page) => page.evaluate(() => location.hash);

/** Waits until each element of the picture has its place, and stays there for some frames: each new size of a node changes places. */
const atRest = (page) =>
  picture(page).evaluate(async (picture) => {
    const late = performance.now() + 100_000;
    for (let [frames, before] = [0, '']; frames < 10; ) {
      await new Promise(requestAnimationFrame);
      const all = [...picture.querySelectorAll('[data-node]')];
      const now = all.map((element) => `${element.dataset.node} ${element.classList.contains('placed')} ${JSON.stringify(element.getBoundingClientRect())}`).join();
      frames = now === before && all.every(({ classList }) => classList.contains('placed')) ? frames + 1 : 0;
      before = now;
      if (performance.now() > late) throw new Error(`the picture is not at rest: ${now}`);
    }
  });

/** Opens the tab of an object, as a picture. */
async function open(resource, key, profile) {
  const page = await stage.open(`#/${resource}?object=${encodeURIComponent(key)}&tab=related`, profile);
  await form(page, 'Picture').click({ timeout: PATIENCE });
  await picture(page).locator('.own.placed').waitFor({ timeout: PATIENCE });
  await isRead(page);
  await atRest(page);
  return page;
}
const wide = { viewport: { width: 2560, height: 1300 } };

test('a pod has its owners above, its service before and its node and volumes after itself', options, async () => {
  const page = await open('v1/pods', `${ns}/shop-new-1`, wide);
  await node(page, 'shop-new').waitFor({ timeout: PATIENCE });
  for (const name of ['machine-a', 'settings', 'keys']) await node(page, name).waitFor({ timeout: PATIENCE });
  const own = await page.locator('.own').boundingBox();
  const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
  const above = picture(page).getByRole('list', { name: 'Owned by', exact: true });
  assert.equal(await above.getByRole('link', { name: 'shop-new' }).count(), 1);
  assert.ok((await box(page, 'shop-new')).y + 30 < own.y, 'the owner is above the object');
  const owner = picture(page).getByRole('list', { name: 'ReplicaSet shop-new: Owned by' }).getByRole('listitem');
  assert.ok((await owner.boundingBox()).y < (await box(page, 'shop-new')).y, 'the owner of the owner is above the owner');
  for (const name of ['machine-a', 'settings', 'keys']) assert.ok(middle(await box(page, name))[0] > own.x + own.width, name);
  const service = picture(page).getByRole('list', { name: 'Selected by' }).getByRole('listitem');
  assert.ok(middle(await service.boundingBox())[0] < own.x, 'the service is on the left of the object');
  assert.match(await node(page, 'settings').textContent(), /ConfigMap.*volume settings/);
  assert.deepEqual(await picture(page).locator('.relation.placed').allTextContents(), ['Owned by', 'Owned by', 'Selected by', 'Runs on', 'Uses']);
  assert.equal(await picture(page).locator('path').count(), 5 + (await picture(page).getByRole('listitem').count()));
  assert.equal(await page.locator('.own .state').textContent(), 'Running');
  assert.equal(await page.locator('.own .state').getAttribute('data-tone'), 'ok');
  await page.context().close();
});

test('a deployment has its pods below the ReplicaSet that owns them, each once, with the words of the list', options, async () => {
  const page = await open('apps/v1/deployments', `${ns}/shop`, wide);
  const pods = picture(page).getByRole('list', { name: 'ReplicaSet shop-new: Owns' });
  await pods.getByRole('link', { name: 'shop-new-2' }).waitFor({ timeout: PATIENCE });
  assert.equal(await pods.getByRole('listitem').count(), 2);
  assert.ok((await box(page, 'shop-new-1')).y > (await box(page, 'shop-new')).y + 30);
  assert.equal((await box(page, 'shop-new')).y, (await box(page, 'shop-old')).y);
  const states = async (of) => of.evaluateAll((items) => items.map((item) => [item.querySelector('.to').textContent, item.querySelector('.state').textContent, item.querySelector('.state').dataset.tone ?? ''].join(' | ')).sort());
  const drawn = await states(picture(page).getByRole('listitem'));
  await form(page, 'List').click();
  const listed = page.locator('.drawer [data-relation] li');
  await listed.first().waitFor({ timeout: PATIENCE });
  assert.deepEqual(drawn, await states(listed));
  await page.context().close();
});

test('a deployment shows the service that selects its pods', options, async () => {
  const page = await stage.open(`#/apps/v1/deployments?object=${ns}%2Fshop&tab=related`);
  await tab(page).click({ timeout: PATIENCE });
  await form(page, 'List').click({ timeout: PATIENCE });
  await page.locator('.related').getByRole('link', { name: 'shop', exact: true }).first().waitFor({ timeout: PATIENCE });
  await page.getByRole('list', { name: 'Selected by' }).getByText('Service', { exact: true }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a node shows the events of its kubelet, which names it in place of its uid', options, async () => {
  const involvedObject = { apiVersion: 'v1', kind: 'Node', name: 'machine-a', uid: 'machine-a' };
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  await create({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'machine-a.1', namespace: 'default' }, involvedObject, type: 'Warning', reason: 'EvictionThresholdMet', message: 'Attempting to reclaim memory', firstTimestamp: at, lastTimestamp: at, count: 1, source: { component: 'kubelet' } });
  const page = await stage.open('#/v1/nodes?object=machine-a&tab=related');
  await tab(page).click({ timeout: PATIENCE });
  await page.getByRole('list', { name: 'Events' }).getByText('Attempting to reclaim memory').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a link opens its object, the choice of the picture stays, Back returns, and the focus goes on', options, async () => {
  const page = await open('v1/pods', `${ns}/shop-new-1`);
  await node(page, 'shop-new').waitFor({ timeout: PATIENCE });
  await node(page, 'shop-new').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.locator('.drawer h2', { hasText: /^shop-new$/ }).waitFor({ timeout: PATIENCE });
  assert.match(await hash(page), /^#\/apps\/v1\/replicasets\?/);
  await eventually('the focus is on the tabs', PATIENCE, () => page.evaluate(() => document.activeElement.matches('.drawer [role=tab]')));
  await tab(page).click();
  await picture(page).locator('.own.placed').waitFor({ timeout: PATIENCE });
  await page.goBack();
  await page.goBack();
  await page.locator('.drawer h2', { hasText: 'shop-new-1' }).waitFor({ timeout: PATIENCE });
  await picture(page).locator('.own.placed').waitFor({ timeout: PATIENCE });
  await page.reload();
  await picture(page).locator('.own.placed').waitFor({ timeout: PATIENCE });
  assert.equal(await form(page, 'Picture').getAttribute('aria-pressed'), 'true');
  await form(page, 'List').click();
  await page.reload();
  await page.getByRole('list', { name: 'Owned by' }).waitFor({ timeout: PATIENCE });
  assert.equal(await picture(page).count(), 0);
  await page.context().close();
});

test('many pods of a node are one node, which leads to them in the list', options, async () => {
  const page = await open('v1/nodes', 'machine-b');
  const many = picture(page).getByRole('button', { name: '17 more pods' });
  await many.waitFor({ timeout: PATIENCE });
  assert.equal(await picture(page).getByRole('list', { name: 'Runs', exact: true }).getByRole('link').count(), 3);
  await picture(page).locator('.node', { has: page.getByRole('button', { name: '17 more pods' }) }).getByText('1 with errors').waitFor({ timeout: PATIENCE });
  await many.focus();
  await page.keyboard.press('Enter');
  const runs = page.getByRole('list', { name: 'Runs', exact: true });
  await runs.getByRole('link', { name: 'many-15' }).waitFor({ timeout: PATIENCE });
  assert.equal(await runs.getByRole('link').count(), 20);
  await eventually('the focus is on the heading', PATIENCE, () => page.evaluate(() => /^Runs/.test(document.activeElement.textContent) && document.activeElement.matches('h3')));
  await page.reload();
  await many.waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('it is live: what did not change stays the same element at the same place', options, async () => {
  const page = await open('v1/nodes', 'machine-b', wide);
  await picture(page).getByRole('button', { name: '17 more pods' }).waitFor({ timeout: PATIENCE });
  await picture(page).locator('.node').evaluateAll((nodes) => nodes.forEach((node) => (node.isTheSame = true)));
  await node(page, 'many-01').getByRole('link').focus();
  const places = () => picture(page).locator('.node').evaluateAll((nodes) => nodes.map((node) => [node.dataset.node, node.isTheSame, node.style.transform]));
  const before = await places();
  await create(object('v1', 'Pod', 'many-99', { spec: spec({ nodeName: 'machine-b' }) }));
  await picture(page).getByRole('button', { name: '18 more pods' }).waitFor({ timeout: PATIENCE });
  assert.deepEqual(await places(), before);
  // A node that gets a state becomes larger: other nodes may move, but stay the same elements.
  await report('many-00', { phase: 'Succeeded' });
  await node(page, 'many-00').getByText('Succeeded').waitFor({ timeout: PATIENCE });
  assert.deepEqual((await places()).map(([id, isTheSame]) => [id, isTheSame]), before.map(([id, isTheSame]) => [id, isTheSame]));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'many-01');
  await remove('pod', 'many-99');
  await picture(page).getByRole('button', { name: '17 more pods' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('an object that is new or gone comes and goes with its line', options, async () => {
  const page = await open('v1/configmaps', `${ns}/settings`, wide);
  await node(page, 'shop-new-1').waitFor({ timeout: PATIENCE });
  const own = await page.locator('.own').boundingBox();
  const volumes = [{ name: 'v', configMap: { name: 'settings' } }];
  await create(object('v1', 'Pod', 'newcomer', { spec: spec({ volumes }) }));
  await node(page, 'newcomer').waitFor({ timeout: PATIENCE });
  const path = picture(page).locator('path');
  await eventually('its line', PATIENCE, async () => (await path.count()) === 3);
  // In the frame after a change, the picture is scrolled so that the object stays at its place.
  await settled('the object stays where it was', async () => (await page.locator('.own').boundingBox()).x, own.x);
  await remove('pod', 'newcomer');
  await node(page, 'newcomer').waitFor({ state: 'detached', timeout: PATIENCE });
  await eventually('no line', PATIENCE, async () => (await path.count()) === 2);
  await page.context().close();
});

test('Tab goes through the nodes in reading order, and what is focused is in sight', options, async () => {
  const page = await open('v1/pods', `${ns}/shop-new-1`, { viewport: { width: 380, height: 760 } });
  await node(page, 'keys').waitFor({ timeout: PATIENCE });
  const links = await picture(page).getByRole('link').allTextContents();
  assert.ok(links.length >= 5, `${links}`);
  await form(page, 'Picture').focus();
  for (const name of links) {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), name);
    const [seen, room] = [await page.locator(':focus').evaluate((link) => link.closest('.node').getBoundingClientRect().toJSON()), await picture(page).boundingBox()];
    assert.ok(seen.left + seen.width / 2 > room.x && seen.left + seen.width / 2 < room.x + room.width, `${name} is in sight`);
  }
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 380, 'only the picture scrolls');
  await page.context().close();
});

test('a picture that could not be loaded says so, and is loaded by Retry', options, async () => {
  const page = await stage.open(`#/v1/pods?object=${encodeURIComponent(`${ns}/shop-new-1`)}&tab=related`);
  // The file exists only after the press. A change of a related object also requests it again: if it existed earlier, it could be loaded
  // before the press.
  const isPressed = () => page.evaluate(() => globalThis.isPressed);
  await page.route(/\/parts\/picture\.js/, async (route) => ((await isPressed()) ? route.continue() : route.fulfill({ status: 404, body: 'not found' })));
  await form(page, 'Picture').click({ timeout: PATIENCE });
  const alert = page.locator('.drawer').getByRole('alert').filter({ hasText: /could not be loaded.*Check the connection and retry/ });
  const retry = alert.getByRole('button', { name: 'Retry' });
  await retry.waitFor({ timeout: PATIENCE });
  assert.equal(await picture(page).locator('.placed').count(), 0);
  await retry.evaluate((button) => button.addEventListener('click', () => (globalThis.isPressed = true), { capture: true }));
  await retry.click();
  await node(page, 'shop-new').waitFor({ timeout: PATIENCE });
  await alert.waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('hostile text stays text', options, async () => {
  const metadata = { ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Thing', name: HOSTILE, uid: 'none' }] };
  await create(object('v1', 'ConfigMap', 'hostile', { metadata }));
  const page = await open('v1/configmaps', `${ns}/hostile`);
  const owner = picture(page).getByRole('list', { name: 'Owned by', exact: true }).getByRole('listitem');
  await owner.waitFor({ timeout: PATIENCE });
  assert.match(await owner.textContent(), /first\\u202e<img src=x onerror=alert\(1\)>/);
  assert.equal(await page.locator('.drawer img').count(), 0);
  await page.context().close();
});

for (const [what, profile] of Object.entries({
  'light and small': { viewport: { width: 380, height: 760 }, colorScheme: 'light' },
  dark: { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' },
  'forced colours': { viewport: { width: 2560, height: 1300 }, forcedColors: 'active' },
})) {
  test(`nothing is wrong for axe, ${what}, and a screen reader gets each node once`, options, async () => {
    const page = await open('apps/v1/deployments', `${ns}/shop`, profile);
    await node(page, 'shop-new-2').waitFor({ timeout: PATIENCE });
    assert.deepEqual(await violations(page), []);
    const read = await picture(page).ariaSnapshot();
    for (const name of ['shop-new', 'shop-old', 'shop-new-1', 'shop-new-2']) assert.equal(read.split(`link "${name}"`).length, 2, `${name} in ${read}`);
    assert.equal(read.match(/\bOwns\b/g).length, 2, read);
    await page.context().close();
  });
}
