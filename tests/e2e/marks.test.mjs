// Marked rows: how rows are marked, and actions on all of them.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, grid, row, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'marks';
const create = (...items) => stage.kubectl(['create', '-f', '-'], items.map((item) => JSON.stringify(item)).join('\n'));
const get = async (...args) => JSON.parse(await stage.kubectl(['get', ...args, '-n', ns, '-o', 'json']));
const all = async (kind, read) => Object.fromEntries((await get(kind)).items.filter(({ metadata }) => !metadata.name.startsWith('kube-')).map((item) => [item.metadata.name, read(item)]));
const settings = (name, labels = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ns, labels }, data: {} });
const pod = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } };
const deployment = (name, replicas) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: ns }, spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: pod } });
const job = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job' }] } } } };
const cron = (name, suspend) => ({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace: ns }, spec: { schedule: '0 0 1 1 *', suspend, jobTemplate: job } });

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  await create(...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => settings(name, { team: 'shop', own: name })));
  await create(...['here', 'there'].map((name) => ({ ...pod, apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: ns } })));
  await create(deployment('one', 1), deployment('two', 2), cron('runs', false), cron('rests', true));
});

async function open(kind, profile, search = '') {
  const page = await stage.open(`${search}#/${kind}?namespace=${ns}`, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  return page;
}

const key = (name) => `${ns}/${name}`;
const marked = (page) => page.locator('.canvas [role=row][aria-selected=true]:not([hidden])').evaluateAll((rows) => rows.map((row) => row.dataset.key.split('/')[1]).sort().join(' '));
const areMarked = (page, names) => eventually(`marked: ${names}`, PATIENCE, async () => (await marked(page)) === names);
const says = (page, text) => page.locator('.marks .number', { hasText: text }).waitFor({ timeout: PATIENCE });
const mark = async (page, ...names) => {
  for (const name of names) await row(page, key(name)).click({ modifiers: ['Control'], timeout: PATIENCE });
  await areMarked(page, names.toSorted().join(' '));
  // Rows can be marked before the code of the bar and of its keys has loaded.
  await page.locator('.marks').waitFor({ timeout: PATIENCE });
};
const dialog = (page) => page.locator('dialog.action');
const press = (page, name) => dialog(page).locator('footer').getByRole('button', { name, exact: true }).click({ timeout: PATIENCE });
async function act(page, action) {
  await page.keyboard.press('a');
  await page.locator(`.marks [role=menuitem][data-action=${action}]`).click({ timeout: PATIENCE });
  await dialog(page).waitFor({ timeout: PATIENCE });
}
const ends = (page, text) => dialog(page).locator('.outcome', { hasText: text }).waitFor({ timeout: PATIENCE });

test('rows are marked by keys alone', options, async () => {
  const page = await open('v1/configmaps');
  await page.keyboard.press('/');
  await page.keyboard.type('own');
  await page.keyboard.press('Escape');
  await page.evaluate((hash) => (location.hash = hash), `#/v1/configmaps?namespace=${ns}&filter=label%3Dteam%3Dshop`);
  await row(page, key('h')).waitFor({ timeout: PATIENCE });
  await eventually('eight rows', PATIENCE, async () => (await grid(page).getAttribute('data-total')) === '8');
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await areMarked(page, 'a');
  await says(page, '1 row marked');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await areMarked(page, 'a b c');
  await page.keyboard.press(' ');
  await areMarked(page, 'a b');
  for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+ ');
  await areMarked(page, 'a b c d e f');
  assert.equal(await page.locator('.table [role=status]', { hasText: '6 rows marked' }).count(), 1, 'the count is announced');
  await page.keyboard.press('Escape');
  await areMarked(page, '');
  await page.keyboard.press('Control+a');
  await says(page, '8 rows marked');
  await page.keyboard.press('a');
  await page.locator('.marks [role=menuitem][data-action=Labels]').waitFor({ timeout: PATIENCE });
  await eventually('the focus is in the menu', PATIENCE, () => page.evaluate(() => document.activeElement.getAttribute('role') === 'menuitem'));
  await page.keyboard.press('Escape');
  await says(page, '8 rows marked');
  await page.locator('.marks [role=menu]').waitFor({ state: 'hidden', timeout: PATIENCE }); // Escape closes the menu first
  await page.context().close();
});

test('the pointer marks by the place before a row, with Ctrl and with Shift, and opens otherwise', options, async () => {
  const page = await open('v1/configmaps');
  await row(page, key('b')).click({ position: { x: 16, y: 14 }, timeout: PATIENCE });
  await areMarked(page, 'b');
  await row(page, key('d')).click({ modifiers: ['Shift'] });
  await areMarked(page, 'b c d');
  await row(page, key('c')).click({ modifiers: ['Control'] });
  await areMarked(page, 'b d');
  assert.equal(await page.locator('.drawer').count(), 0);
  await row(page, key('a')).click();
  await page.locator('.drawer').waitFor({ timeout: PATIENCE });
  assert.equal(await row(page, key('a')).getAttribute('aria-current'), 'true');
  await areMarked(page, 'b d');
  await page.locator('.marks').getByRole('button', { name: 'Clear' }).click();
  await areMarked(page, '');
  await page.context().close();
});

test('marks follow their objects when rows are sorted and filtered, and leave with them', options, async () => {
  await create(settings('leaves'), settings('stays'));
  const page = await open('v1/configmaps');
  await mark(page, 'leaves', 'stays');
  await page.evaluate((hash) => (location.hash = hash), `#/v1/configmaps?namespace=${ns}&sort=name-desc&filter=stays`);
  await row(page, key('leaves')).waitFor({ state: 'hidden', timeout: PATIENCE });
  await areMarked(page, 'stays');
  await says(page, '2 rows marked');
  await page.evaluate((hash) => (location.hash = hash), `#/v1/configmaps?namespace=${ns}&sort=name-desc`);
  await areMarked(page, 'leaves stays');
  // A new object with the name of a marked one is not marked.
  await stage.kubectl(['delete', 'configmap', 'leaves', '-n', ns]);
  await create(settings('leaves'));
  await says(page, '1 row marked');
  await row(page, key('leaves')).waitFor({ timeout: PATIENCE });
  await areMarked(page, 'stays');
  await stage.kubectl(['delete', 'configmap', 'leaves', 'stays', '-n', ns]);
  await areMarked(page, '');
  await page.context().close();
});

test('several deployments are scaled and restarted at once', options, async () => {
  const page = await open('apps/v1/deployments');
  await mark(page, 'one', 'two');
  await act(page, 'Scale');
  await dialog(page).getByText('Replicas (now 1 to 2)').waitFor({ timeout: PATIENCE });
  await dialog(page).getByRole('spinbutton').fill('4');
  await press(page, 'Scale');
  await ends(page, 'Complete: 2 of 2 done.');
  assert.deepEqual(await all('deployments', ({ spec }) => spec.replicas), { one: 4, two: 4 });
  await press(page, 'Close');
  await act(page, 'Restart');
  await press(page, 'Restart');
  await ends(page, 'Complete: 2 of 2 done.');
  const restarted = await all('deployments', ({ spec }) => !!spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt']);
  assert.deepEqual(restarted, { one: true, two: true });
  await page.context().close();
});

test('an action that applies to some objects shows their number, and does not change the others', options, async () => {
  const page = await open('batch/v1/cronjobs');
  await mark(page, 'rests', 'runs');
  await page.keyboard.press('a');
  await page.locator('.marks [data-action=Unsuspend]', { hasText: '(1 of 2)' }).waitFor({ timeout: PATIENCE });
  await page.locator('.marks [data-action=Suspend]', { hasText: '(1 of 2)' }).click();
  await dialog(page).getByRole('heading', { name: 'Suspend: CronJob runs' }).waitFor({ timeout: PATIENCE });
  await press(page, 'Suspend');
  await dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
  assert.deepEqual(await all('cronjobs', ({ spec }) => spec.suspend), { rests: true, runs: true });
  await page.context().close();
});

test('labels of several objects: common ones, partial ones, and removal', options, async () => {
  const page = await open('v1/configmaps');
  await mark(page, 'a', 'b');
  await act(page, 'Labels');
  const labels = page.getByLabel('Labels', { exact: true });
  assert.equal(await labels.inputValue(), 'team=shop\n');
  await dialog(page).getByText('Missing on some objects, or with different values: own').waitFor();
  await labels.fill('team=bank\nown-\n');
  await press(page, 'Save');
  await ends(page, 'Complete: 2 of 2 done.');
  const { a, b, c } = await all('configmaps', ({ metadata }) => metadata.labels);
  assert.deepEqual([a, b, c], [{ team: 'bank' }, { team: 'bank' }, { team: 'shop', own: 'c' }]);
  await page.context().close();
});

test('a failure is shown with its object and its reason, and tried again', options, async () => {
  // With the engine in the page, its requests can be intercepted.
  const page = await open('v1/configmaps', {}, '?worker=off');
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422, message: 'the policy keeps <b>c</b>' };
  await page.route(/\/configmaps\/c(\?|$)/, (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify(status) }) : route.continue());
  await mark(page, 'c', 'd', 'e');
  await act(page, 'Labels');
  await page.getByLabel('Annotations', { exact: true }).fill('seen=yes');
  await press(page, 'Save');
  await ends(page, 'Not complete: 2 of 3 done, 1 failed.');
  assert.match(await dialog(page).locator(`[data-subject="${key('c')}"]`).innerText(), /rejects the object as invalid \(422\): the policy keeps <b>c<\/b>/);
  await page.unroute(/\/configmaps\/c(\?|$)/);
  await press(page, 'Try again (1)');
  await ends(page, 'Complete: 3 of 3 done.');
  const seen = await all('configmaps', ({ metadata }) => metadata.annotations?.seen);
  assert.deepEqual([seen.c, seen.d, seen.e, seen.f], ['yes', 'yes', 'yes', undefined]);
  await page.context().close();
});

test('at most four requests are in flight, and a stop sends no more', options, async () => {
  const page = await open('v1/configmaps', {}, '?worker=off');
  let [held, sent] = [[], 0];
  await page.route(/\/configmaps\/\w(\?|$)/, (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    sent += 1;
    return held ? held.push(route) : route.continue();
  });
  await mark(page, 'a', 'b', 'c', 'd', 'e', 'f');
  await act(page, 'Labels');
  await page.getByLabel('Annotations', { exact: true }).fill('round=two');
  await press(page, 'Save');
  // The package may queue some of them for a connection.
  await eventually('requests', PATIENCE, () => held.length > 0);
  await ends(page, 'Running: 0 of 6 done.');
  const states = (text) => dialog(page).getByRole('cell', { name: text, exact: true }).count();
  await settled('sending and queued', async () => [await states('sending …'), await states('queued')], [4, 2]);
  assert.equal(await dialog(page).locator('[data-tone=ok]').count(), 0, 'no row is done before the watch confirms it');
  for (const close of await dialog(page).getByRole('button', { name: 'Close', exact: true }).all()) assert.ok(await close.isDisabled(), 'a running dialog cannot be closed');
  for (let at = 0; at < 2; at++) await page.keyboard.press('Escape');
  assert.equal(await marked(page), 'a b c d e f', 'keys do not reach the table');
  await press(page, 'Stop');
  await eventually('two are stopped', PATIENCE, async () => (await states('not sent: stopped')) === 2);
  const first = held;
  held = null;
  for (const route of first) await route.continue();
  await ends(page, 'Stopped: 4 of 6 done, 2 not sent.');
  assert.equal(sent, 4, 'no further request was sent');
  await page.unroute(/\/configmaps\/\w(\?|$)/);
  await press(page, 'Try again (2)');
  await ends(page, 'Complete: 6 of 6 done.');
  await page.context().close();
});

test('more rows than are requested at once take one action', options, async () => {
  const namespace = 'many';
  const names = Array.from({ length: 60 }, (_, at) => `row-${at}`);
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { own: name } } })));
  const page = await stage.open(`#/v1/configmaps?namespace=${namespace}&filter=row-`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.locator('.marks').waitFor({ state: 'attached', timeout: PATIENCE });
  await settled('the filter is applied', () => grid(page).getAttribute('data-total'), '60');
  await grid(page).focus();
  await page.keyboard.press('Control+a');
  await says(page, '60 rows marked');
  await act(page, 'Labels');
  assert.equal(await page.getByText(/^Missing on some objects, or with different values: own$/).count(), 1, 'the values of all marked objects are loaded');
  await page.getByLabel('Annotations', { exact: true }).fill('seen=yes');
  await press(page, 'Save');
  await ends(page, 'Complete: 60 of 60 done.');
  const { items } = JSON.parse(await stage.kubectl(['get', 'configmaps', '-n', namespace, '-o', 'json']));
  assert.equal(items.filter(({ metadata }) => metadata.annotations?.seen === 'yes').length, 60);
  await page.context().close();
});

test('a filter that is rejected marks nothing and says so', options, async () => {
  const page = await open('v1/configmaps');
  await row(page, key('a')).waitFor({ timeout: PATIENCE });
  await page.evaluate((hash) => (location.hash = hash), `#/v1/configmaps?namespace=${ns}&filter=${encodeURIComponent('name=(')}`);
  await page.locator('.filter [aria-invalid=true], [aria-invalid=true]').first().waitFor({ timeout: PATIENCE });
  await grid(page).focus();
  await page.keyboard.press('Control+a');
  await says(page, 'The filter is invalid. Correct it, then mark again.');
  await page.keyboard.press('Escape');
  await page.locator('.marks[hidden]').waitFor({ state: 'attached', timeout: PATIENCE });
  await page.context().close();
});

test('an action ends its waiting when another kind is shown', options, async () => {
  const page = await open('v1/configmaps', {}, '?worker=off');
  // The second request is sent beside the first, or is queued for its connection.
  const held = [];
  let isLeft = false;
  await page.route(/\/configmaps\/[ab](\?|$)/, (route) => (route.request().method() === 'PATCH' && !isLeft ? held.push(route) : route.continue()));
  await mark(page, 'a', 'b');
  await act(page, 'Labels');
  await page.getByLabel('Annotations', { exact: true }).fill('left=yes');
  await press(page, 'Save');
  await eventually('one is sent', PATIENCE, () => held.length > 0);
  await page.evaluate((hash) => (location.hash = hash), `#/v1/services?namespace=${ns}`);
  await page.locator('.marks[hidden]').waitFor({ state: 'attached', timeout: PATIENCE });
  isLeft = true;
  await Promise.all(held.map((route) => route.continue()));
  // The watch of the left kind stays open for a moment, and may confirm a change before its response arrives.
  await ends(page, /^(Accepted: [01] of 2 done, [12] not confirmed by the watch|Complete: 2 of 2 done)\.$/);
  await press(page, 'Close');
  await page.context().close();
});

test('in a protected context the name is typed, and for several objects the context', options, async () => {
  const context = await stage.browser.newContext();
  await context.route('**/context.json', (route) => route.fulfill({ json: { context: 'prod-eu', protected: true } }));
  const page = await context.newPage();
  await page.goto(stage.url(`#/v1/configmaps?namespace=${ns}`));
  await page.getByText('protected: prod-eu').waitFor({ timeout: PATIENCE });
  const remove = dialog(page).locator('footer').getByRole('button', { name: 'Delete' });
  const confirm = async (label, wrong, right) => {
    await dialog(page).getByText('The context prod-eu is protected.').waitFor({ timeout: PATIENCE });
    assert.ok(await remove.isDisabled());
    await dialog(page).getByLabel(label).fill(wrong);
    assert.ok(await remove.isDisabled());
    await dialog(page).getByLabel(label).fill(right);
    await remove.click();
  };
  await mark(page, 'g', 'h');
  await act(page, 'Delete');
  await confirm('Type prod-eu to confirm', '2', 'prod-eu');
  await ends(page, 'Complete: 2 of 2 done.');
  await press(page, 'Close');
  await areMarked(page, '');
  await row(page, key('f')).click();
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await page.locator('.drawer [data-action=Delete]').click({ timeout: PATIENCE });
  await confirm('Type the name to confirm', 'g', 'f');
  await dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
  const left = Object.keys(await all('configmaps', () => 1));
  assert.deepEqual(left, ['a', 'b', 'c', 'd', 'e']);
  await context.close();
});

test('the protection is that of the proxy that listens now', options, async () => {
  const context = await stage.browser.newContext();
  let [file, held] = [{ context: 'dev', protected: false }, null];
  await context.route('**/context.json', (route) => (held ? held.push(route) : route.fulfill({ json: file })));
  const page = await context.newPage();
  await page.goto(stage.url(`#/v1/configmaps?namespace=${ns}`));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await mark(page, 'a', 'b');
  assert.equal(await page.getByText('protected:').count(), 0);
  // Another dashboard may have taken over the port, so nothing is deleted until the file was read again.
  [file, held] = [{ context: 'prod', protected: true }, []];
  await act(page, 'Delete');
  await eventually('the file is read again', PATIENCE, () => held.length > 0);
  const remove = dialog(page).locator('footer').getByRole('button', { name: 'Delete' });
  assert.ok(await remove.isDisabled(), 'the button is disabled until the file was read');
  for (const route of held) await route.fulfill({ json: file });
  held = null;
  await dialog(page).getByText('Type prod to confirm').waitFor({ timeout: PATIENCE });
  assert.ok(await remove.isDisabled());
  await page.getByText('protected: prod').waitFor({ timeout: PATIENCE });
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached', timeout: PATIENCE });
  // The header shows the protection, too.
  file = { context: 'live', protected: true };
  await stage.killProxy();
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  await stage.startProxy();
  await page.getByText('protected: live').waitFor({ timeout: PATIENCE });
  // Chromium reports the refused connections on the console.
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/net::ERR/.test(error)));
  await context.close();
});

test('in a small window rows are marked by touch, and nothing is wrong for axe', options, async () => {
  const page = await open('v1/configmaps', { viewport: { width: 380, height: 700 }, hasTouch: true, bypassCSP: true });
  await row(page, key('a')).tap({ position: { x: 16, y: 24 }, timeout: PATIENCE });
  await row(page, key('b')).tap({ position: { x: 16, y: 24 } });
  await areMarked(page, 'a b');
  await page.locator('.marks').getByRole('button', { name: 'Actions' }).tap();
  const item = page.locator('.marks [role=menuitem][data-action=Delete]');
  await item.waitFor({ timeout: PATIENCE });
  // The menu is placed in the frame after it is shown.
  const isWithin = async () => {
    const { x, y, width } = await page.locator('.marks [role=menu]').boundingBox();
    return x >= 0 && x + width <= 380 && y >= 0;
  };
  await eventually('the menu is in the window', PATIENCE, isWithin);
  const check = async (what) => assert.deepEqual(await violations(page), [], what);
  await check('with the menu');
  await item.tap();
  await dialog(page).waitFor({ timeout: PATIENCE });
  await check('with the dialog');
  const wide = await dialog(page).boundingBox();
  assert.ok(wide.x >= 0 && wide.x + wide.width <= 380, `the dialog is in the window: ${JSON.stringify(wide)}`);
  await page.context().close();
});

test('the marks outlive a look at the overview', options, async () => {
  // The address of the overview is one of pods. From another kind it leads to another table, which has other marks.
  const page = await open('v1/pods');
  await mark(page, 'here', 'there');
  await page.keyboard.press('o');
  await page.locator('.overview .card').first().waitFor({ timeout: PATIENCE });
  await page.goBack();
  await row(page, key('here')).waitFor({ timeout: PATIENCE });
  await areMarked(page, 'here there');
  await says(page, '2 rows marked');
  await page.context().close();
});
