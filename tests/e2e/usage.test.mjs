// Usage: columns of CPU and memory of pods and nodes, from metrics.k8s.io while they are shown.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, cell, eventually, freshness, grid, setStage, settled } from '../support/harness.mjs';

const isReal = process.env.E2E_CLUSTER === 'kube';
const stage = await setStage({ args: ['--pods', '60', '--churn', '0', ...(isReal ? [] : ['--metrics'])] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const withMetrics = { ...options, skip: stage.unavailable || isReal };
const button = (page) => page.getByRole('button', { name: 'Columns', exact: true });
const panel = (page) => page.getByRole('dialog', { name: /^Columns of/ });
const header = (page, name) => page.locator(`.head [data-header="${name}"]`);
const explained = (page, name) => header(page, name).locator('button').getAttribute('title');
const metricsOf = async (path) => JSON.parse(await stage.kubectl(['get', '--raw', `/apis/metrics.k8s.io/v1beta1/${path}`])).items;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const milli = (cores) => (cores > 0 && cores < 1 ? `${Math.round(cores * 1000)}m` : `${Math.round(cores * 10) / 10}`);
const cores = (text) => Number(text.replace('n', '')) / 1e9;

/** Opens a page with the engine in the page, so that its requests are visible; `lists` collects those of metrics. */
async function open(hash, answer) {
  const context = await stage.browser.newContext({ viewport: { width: 1300, height: 700 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => stage.errors.push(`page: ${error.stack ?? error}`));
  const lists = [];
  page.on('request', (request) => request.url().includes('/apis/metrics.k8s.io/v1beta1/') && lists.push(request.url()));
  if (answer) await page.route(/\/apis\/metrics\.k8s\.io\/v1beta1\/\w/, answer);
  await page.goto(stage.url(`?worker=off${hash}`));
  await freshness(page, 'live').first().waitFor({ timeout: PATIENCE });
  await button(page).waitFor({ timeout: PATIENCE });
  return { page, lists };
}

test('usage of pods is chosen in the panel, shown with a bar, and not requested before', withMetrics, async () => {
  const { page, lists } = await open('#/v1/pods?namespace=kube-system');
  const objects = (url) => !url.includes('limit=1&') && !url.endsWith('limit=1');
  assert.deepEqual(lists.filter(objects), [], 'metrics are not requested before their columns are chosen');
  await button(page).click();
  const choice = panel(page).getByRole('checkbox', { name: /^CPU/ });
  await choice.click();
  await panel(page).getByRole('checkbox', { name: /^Memory/ }).click();
  await page.keyboard.press('Escape');
  const [first] = await metricsOf('namespaces/kube-system/pods');
  const key = `kube-system/${first.metadata.name}`;
  const used = cell(page, key, 'CPU').locator('.used');
  // The server computes the metrics for each request.
  const now = async () => milli(sum((await metricsOf(`namespaces/kube-system/pods`)).find(({ metadata }) => metadata.name === first.metadata.name).containers.map(({ usage }) => cores(usage.cpu))));
  await eventually('the usage of a pod', PATIENCE, async () => (await used.locator('.number').textContent()) === (await now()));
  const pod = JSON.parse(await stage.kubectl(['get', 'pod', first.metadata.name, '-n', 'kube-system', '-o', 'json']));
  const of = pod.spec.containers.every(({ resources }) => resources?.limits?.cpu) ? 'limit' : 'request';
  await eventually('it says of what it is a share', PATIENCE, async () => new RegExp(`^\\d+ % of the ${of} .*measured at \\d\\d:\\d\\d:\\d\\d over 15s$`).test(await used.getAttribute('title')));
  assert.notEqual(await used.locator('.gauge > span').evaluate((bar) => bar.style.width), '');
  await eventually('the header says how it is polled', PATIENCE, async () =>
    /^Usage from metrics\.k8s\.io, polled every 30 s, last at \d\d:\d\d:\d\d\. Not sortable/.test(await explained(page, 'CPU')));
  assert.equal(await header(page, 'CPU').getAttribute('data-measured'), 'yes');
  assert.match(await cell(page, key, 'Memory').locator('.number').textContent(), /^[\d.]+(Ki|Mi|Gi)$/);
  assert.equal(lists.filter(objects).filter((url) => !url.includes('/namespaces/kube-system/pods')).length, 0, 'only metrics of the chosen namespace are requested');

  // The rows cannot be sorted by this column.
  assert.equal(await header(page, 'CPU').locator('button').getAttribute('aria-disabled'), 'true');
  await header(page, 'CPU').locator('button').click({ force: true });
  assert.equal(await page.evaluate(() => location.hash), '#/v1/pods?namespace=kube-system');
  assert.deepEqual(await violations(page), []);

  // The columns are stored for the next visit.
  assert.equal(await page.evaluate(() => localStorage.getItem('kube-informer.columns.pods')), '*,CPU=metrics:cpu,Memory=metrics:memory');
  await button(page).click();
  await panel(page).getByRole('checkbox', { name: /^CPU/ }).click();
  await panel(page).getByRole('checkbox', { name: /^Memory/ }).click();
  await header(page, 'CPU').waitFor({ state: 'detached' });
  await panel(page).getByRole('checkbox', { name: /^CPU/ }).waitFor();
  await page.context().close();
});

test('rows that are scrolled into sight have their own usage', withMetrics, async () => {
  const { page } = await open('#/v1/pods?columns=name,CPU%3Dmetrics%3Acpu');
  const wrong = async () => {
    const expected = Object.fromEntries((await metricsOf('pods')).map(({ metadata, containers }) => [`${metadata.namespace}/${metadata.name}`, milli(sum(containers.map(({ usage }) => cores(usage.cpu))))]));
    return page.locator('.canvas [role=row][data-key]:not([hidden])').evaluateAll((rows, expected) =>
      rows.map((row) => [row.dataset.key, row.querySelector('.used:not([hidden]) .number')?.textContent]).filter(([key, shown]) => shown !== expected[key]), expected);
  };
  await settled('the first rows', wrong, []);
  await grid(page).evaluate((grid) => grid.scrollTo({ top: grid.scrollHeight }));
  await settled('the last rows', wrong, []);
  await page.context().close();
});

test('usage of nodes is a share of their capacity', withMetrics, async () => {
  const { page } = await open('#/v1/nodes?columns=name,CPU%3Dmetrics%3Acpu,Memory%3Dmetrics%3Amemory');
  const [node] = await metricsOf('nodes');
  const used = cell(page, node.metadata.name, 'CPU').locator('.used');
  const now = async () => cores((await metricsOf('nodes')).find(({ metadata }) => metadata.name === node.metadata.name).usage.cpu);
  await eventually('the usage', PATIENCE, async () => (await used.locator('.number').textContent()) === milli(await now()));
  const capacity = Number((await stage.kubectl(['get', 'node', node.metadata.name, '-o', 'jsonpath={.status.capacity.cpu}'])).trim());
  await eventually('its share', PATIENCE, async () => (await used.getAttribute('title')).startsWith(`${Math.round(((await now()) / capacity) * 100)} % of the capacity (${capacity}); `));
  await page.context().close();
});

test('a sample is marked as old when the server answers no more', withMetrics, async () => {
  let isBroken = false;
  const { page } = await open('#/v1/nodes?columns=name,CPU%3Dmetrics%3Acpu', (route) =>
    isBroken ? route.fulfill({ status: 503, json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'ServiceUnavailable', message: 'the server is down', code: 503 } }) : route.fallback());
  const used = page.locator('.canvas .used:not([hidden])').first();
  await used.waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.canvas .used.old').count(), 0);
  isBroken = true;
  await eventually('the samples are old', PATIENCE, async () => (await page.locator('.canvas .used:not([hidden]):not(.old)').count()) === 0);
  assert.match(await used.getAttribute('title'), /; old$/);
  await eventually('the header says why', PATIENCE, async () => /^Not live: these numbers are as of .*the server is down/.test(await explained(page, 'CPU')));
  assert.equal(await header(page, 'CPU').getAttribute('data-measured'), 'no');
  await page.context().close();
});

test('without the right to list the metrics the cells are empty, and the header says why', withMetrics, async () => {
  const { page } = await open('#/v1/nodes?columns=name,CPU%3Dmetrics%3Acpu', (route) =>
    route.fulfill({ status: 403, json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message: 'nodes.metrics.k8s.io is forbidden', code: 403 } }));
  await eventually('the header says why', PATIENCE, async () => (await explained(page, 'CPU'))?.startsWith('You may not list node metrics.'));
  assert.equal(await page.locator('.canvas .used:not([hidden])').count(), 0);
  await page.context().close();
});

test('a cluster without a metrics server says so, and is not asked', { ...options, skip: stage.unavailable || !isReal }, async () => {
  const { page, lists } = await open('#/v1/pods?columns=name,CPU%3Dmetrics%3Acpu');
  await eventually('the header says why', PATIENCE, async () => (await explained(page, 'CPU'))?.startsWith('Usage is unknown: the cluster does not serve metrics.k8s.io.'));
  assert.equal(await page.locator('.canvas .used:not([hidden])').count(), 0);
  assert.deepEqual(lists, []);
  await page.context().close();
});

test('other kinds have no usage', options, async () => {
  const { page } = await open('#/v1/configmaps?columns=name,CPU%3Dmetrics%3Acpu');
  await page.getByText('the usage of CPU and memory is measured for pods and nodes only').waitFor({ timeout: PATIENCE });
  await header(page, 'Name').waitFor();
  assert.equal(await header(page, 'CPU').count(), 0);
  await page.context().close();
});
