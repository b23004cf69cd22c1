// Overview: its numbers are kubectl's, change live, and lead to the table with exactly these objects.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { isDeepStrictEqual } from 'node:util';
import { PATIENCE, RECORDED, TEST, eventually, grid, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '200', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'overviews';

const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const warning = (name, reason) => ({
  apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: ns }, type: 'Warning', reason, message: 'for the test',
  involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: 'ended' }, source: { component: 'test' },
  firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:00Z',
});
const labels = { app: 'set' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'pause' }] } };
const workload = (kind, name, status, spec) => ({ apiVersion: 'apps/v1', kind, metadata: { name, namespace: ns }, spec: { selector: { matchLabels: labels }, template, ...spec }, status });
const patchStatus = (kind, name, status, namespace = ns) =>
  stage.kubectl(['patch', kind, name, '-n', namespace, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  // A real apiserver accepts an overhead only from a RuntimeClass, which the embedded one does not serve.
  const overhead = process.env.E2E_CLUSTER === 'kube' ? {} : { overhead: { cpu: '200m', memory: '120Mi' } };
  const resources = { requests: { cpu: '100', memory: '1Ti' }, limits: { cpu: '200', memory: '2Ti' } };
  await create(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'ended', namespace: ns }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause', resources }] } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'with-sidecar', namespace: ns }, spec: {
      nodeName: 'figures',
      initContainers: [
        { name: 's', image: 'pause', restartPolicy: 'Always', resources: { requests: { cpu: '250m', memory: '64Mi' } } },
        { name: 'i', image: 'pause', resources: { requests: { cpu: '9' }, limits: { cpu: '10' } } },
      ],
      containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '500m' } } }],
    } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'with-overhead', namespace: ns }, spec: {
      nodeName: 'figures', ...overhead,
      containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } } }],
    } },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'figures' }, status: { capacity: { cpu: '16', memory: '64Gi', pods: '110' } } },
    workload('StatefulSet', 'none', undefined, { replicas: 0, serviceName: 'none' }),
    workload('DaemonSet', 'half'), workload('DaemonSet', 'nowhere'),
    warning('one', 'Overview"Test\\'), warning('two', 'Overview"Test\\'), warning('three', 'Others'),
  );
  await patchStatus('node', 'figures', { conditions: [{ type: 'MemoryPressure', status: 'True' }, { type: 'DiskPressure', status: 'False' }, { type: 'Ready', status: 'True' }] });
  await patchStatus('pod', 'ended', { phase: 'Failed', reason: 'Evicted' });
  await patchStatus('daemonset', 'half', { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 2, numberMisscheduled: 0 });
});

const card = (page, name) => page.locator(`[data-card=overview-${name}]`);
const entry = (page, name, label) => card(page, name).locator('.rows a').filter({ has: page.locator('.label', { hasText: new RegExp(`^${label}$`) }) });
const entries = (page, name) =>
  card(page, name).locator('.rows a').evaluateAll((rows) => Object.fromEntries(rows.map((row) => [row.querySelector('.label').textContent, Number(row.querySelector('.number').textContent.replaceAll(',', ''))])));

async function open(hash = '#/overview', profile) {
  const page = await stage.open(hash, profile);
  await loaded(page);
  return page;
}

/** Waits until each block shows its numbers, or why it has none. */
const loaded = async (page) => {
  await page.locator('.overview .block').first().waitFor({ timeout: PATIENCE });
  await eventually('all cards are loaded', PATIENCE, async () => (await page.locator('.overview .block:not(:has(.rows, table, .note))').count()) === 0);
};

/** Rows of kubectl's table as arrays of words. */
const table = async (kind, scope = ['-A']) =>
  (await stage.kubectl(['get', kind, ...scope, '--no-headers'])).trim().split('\n').filter(Boolean).map((line) => line.trim().split(/\s+/));
const items = async (kind) => JSON.parse(await stage.kubectl(['get', kind, '-A', '-o', 'json'])).items;
const counted = (values) => values.reduce((counts, value) => ({ ...counts, [value]: (counts[value] ?? 0) + 1 }), {});

const SCALES = { m: 1e-3, k: 1e3, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
const quantity = (text = '0') => {
  const [, digits, suffix] = /^([\d.]+)(\D*)$/.exec(text);
  return Number(digits) * (SCALES[suffix] ?? 1);
};
/** Requests and limits of all nodes, as `kubectl describe node` sums them. */
async function requestsOfNodes() {
  const text = await stage.kubectl(['describe', 'nodes']);
  const found = { cpu: { requests: 0, limits: 0 }, memory: { requests: 0, limits: 0 } };
  for (const [, resource, requests, limits] of text.matchAll(/^ {2}(cpu|memory) +(\S+) \([^)]*\) +(\S+) \([^)]*\)$/gm)) {
    found[resource].requests += quantity(requests);
    found[resource].limits += quantity(limits);
  }
  return found;
}
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The text of an amount, as in web/src/overview/amounts.rs. */
const short = (number) => (number < 9.995 ? String(Number(number.toFixed(2))) : number < 99.95 ? String(Number(number.toFixed(1))) : Math.round(number).toLocaleString('en-US'));
const memory = (bytes) => {
  let unit = 0;
  for (; bytes >= 1023.5; unit += 1) bytes /= 1024;
  return `${short(bytes)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}`;
};

/** Waits until both sides agree. Both are read each time, because the cluster may still change. */
async function agree(what, read, expect) {
  let [actual, expected] = [];
  const same = async () => isDeepStrictEqual((actual = await read()), (expected = await expect()));
  await eventually(what, PATIENCE, same).catch(({ message }) => assert.deepEqual(actual, expected, message));
}

test('the numbers are those of kubectl', options, async () => {
  const page = await open();
  // Restarts may be several words: "3 (5m ago)".
  const restarts = (pods) => pods.map((words) => Number(words[4])).filter(Boolean);
  await agree('pods', () => entries(page, 'pods'), async () => {
    const pods = await table('pods');
    return { 'All pods': pods.length, ...counted(pods.map((words) => words[3])), 'With restarts': restarts(pods).length };
  });
  const all = async () => (await entry(page, 'pods', 'With restarts').innerText()).match(/(\S+) restarts?$/)?.[1];
  await agree('restarts', all, async () => sum(restarts(await table('pods'))).toLocaleString('en-US'));
  const conditions = { 'Memory pressure': 1, 'Disk pressure': 0, 'PID pressure': 0, 'Network unavailable': 0 };
  await agree('nodes', () => entries(page, 'nodes'), async () => {
    const nodes = await table('nodes', []);
    return { 'All nodes': nodes.length, ...counted(nodes.map((words) => words[1])), ...conditions };
  });

  const ready = (rows) => {
    const states = rows.map(([, , text]) => text.split('/').map(Number)).map(([is, wanted]) => (wanted === 0 ? 'Scaled to 0' : is < wanted ? 'Not ready' : 'Ready'));
    return { 'Not ready': 0, Ready: 0, 'Scaled to 0': 0, ...counted(states) };
  };
  const states = (title) =>
    card(page, 'workloads').locator('.workload').filter({ has: page.locator('h3', { hasText: title }) }).locator('.rows a')
      .evaluateAll((rows) => Object.fromEntries(rows.map((row) => [row.querySelector('.label').textContent, Number(row.querySelector('.number').textContent)])));
  await agree('deployments', () => states('Deployments'), async () => ready(await table('deployments')));
  await agree('stateful sets', () => states('Stateful sets'), async () => ready(await table('statefulsets')));
  const set = ([, , desired, , is]) => (desired === '0' ? 'On no node' : Number(is) < Number(desired) ? 'Not ready' : 'Ready');
  await agree('daemon sets', () => states('Daemon sets'), async () => ({ 'Not ready': 0, Ready: 0, 'On no node': 0, ...counted((await table('daemonsets')).map(set)) }));
  await agree('jobs', () => states('Jobs'), async () => counted((await table('jobs')).map((words) => words[2])));

  const reasons = async () => {
    const { 'All warnings': all, 'Overview"Test\\': some } = await entries(page, 'warnings');
    return [all, some];
  };
  await agree('warnings', reasons, async () => [(await items('events')).filter(({ type }) => type === 'Warning').length, 2]);
  await page.context().close();
});

test('requests and limits are summed beside the capacity; pods that have ended do not count', options, async () => {
  const page = await open();
  const running = async () => (await items('pods')).filter(({ status }) => !['Succeeded', 'Failed'].includes(status?.phase));
  const expect = async () => {
    const [pods, nodes, described] = [await running(), (await items('nodes')).map(({ status }) => status.capacity), await requestsOfNodes()];
    // kubectl describes no pods without a node, so the test adds those that it created.
    const unassigned = pods.filter(({ spec }) => !spec.nodeName);
    assert.ok(unassigned.every(({ spec }) => !spec.initContainers && !spec.overhead), 'for these pods the sum of the containers is correct');
    const of = (what, resource) => described[resource][what] + sum(unassigned.flatMap(({ spec }) => spec.containers.map(({ resources }) => quantity(resources?.[what]?.[resource]))));
    const row = (name, format, resource) => [name, format(sum(nodes.map((capacity) => quantity(capacity[resource])))), format(of('requests', resource)), format(of('limits', resource))];
    return [row('CPU (cores)', short, 'cpu'), row('Memory', memory, 'memory'), ['Pods', short(sum(nodes.map(({ pods }) => Number(pods)))), short(pods.length), '']];
  };
  const read = () =>
    card(page, 'capacity').locator('tbody tr').evaluateAll((rows) => rows.map((row) => [row.querySelector('th').textContent, ...[...row.querySelectorAll('td')].map((cell) => cell.querySelector('a')?.textContent ?? '')]));
  await agree('capacity and requests', read, expect);

  const top = async (by) => Object.values(counted((await running()).map(by).filter(Boolean))).toSorted((a, b) => b - a).slice(0, 10);
  const numbers = async (name) => Object.values(await entries(page, name)).toSorted((a, b) => b - a);
  await agree('namespaces', () => numbers('namespaces'), () => top(({ metadata }) => metadata.namespace));
  await agree('nodes', () => numbers('top-nodes'), () => top(({ spec }) => spec.nodeName));
  await page.context().close();
});

/** Goes to a link and waits until its table has exactly this many rows. */
async function follows(page, href, number) {
  const go = (hash) => page.evaluate((hash) => (location.hash = hash), hash);
  const total = () => grid(page).getAttribute('data-total');
  // First a table without rows, so that no earlier number is mistaken for the new one.
  await go('#/v1/namespaces?filter=no-such-namespace');
  await settled('no row', total, '0');
  await go(href);
  const [, resource] = /^#\/([^?]*)/.exec(href);
  await eventually(`the table of ${resource}`, PATIENCE, async () => (await page.locator('h1').textContent()).toLowerCase() === resource.split('/').at(-1));
  await eventually(`the table of ${href} is complete`, PATIENCE, async () => (await grid(page).getAttribute('aria-busy')) === null);
  await settled(href, total, String(number));
  assert.equal(await page.locator('.refusal').textContent(), '', href);
}

for (const hash of ['#/overview', `#/overview?namespace=${ns}`]) {
  test(`each number of ${hash} leads to a table with exactly that many rows`, options, async () => {
    const page = await open(hash);
    const links = await page.locator('.overview .rows a').evaluateAll((rows) =>
      rows.map((row) => ({ href: row.getAttribute('href'), number: Number(row.querySelector('.number').textContent.replaceAll(',', '')) })));
    const { href, textContent } = await card(page, 'capacity').locator('tbody tr').last().locator('td a').last().evaluate((link) => ({ href: link.getAttribute('href'), textContent: link.textContent }));
    links.push({ href, number: Number(textContent.replaceAll(',', '')) });
    assert.ok(links.length > 10, `${links.length} links`);
    for (const { href, number } of links) {
      assert.ok(href, 'each number is a link');
      await follows(page, href, number);
    }
    await page.context().close();
  });
}

test('the numbers change live, and rows keep their elements', options, async () => {
  const page = await open();
  const before = await entries(page, 'pods');
  const first = await entry(page, 'pods', 'All pods').elementHandle();
  await stage.kubectl(['run', 'late', '-n', ns, '--image=pause', '--restart=Never']);
  await eventually('one more pod', PATIENCE, async () => (await entries(page, 'pods'))['All pods'] === before['All pods'] + 1);
  assert.ok(await first.evaluate((row) => row.isConnected), 'the row is the same');
  const [[node]] = await table('nodes', []);
  await stage.kubectl(['cordon', node]);
  await eventually('a cordoned node', PATIENCE, async () => (await entries(page, 'nodes'))['Ready,SchedulingDisabled'] >= 1);
  const warnings = (await entries(page, 'warnings'))['All warnings'];
  await create(warning('four', 'Late'));
  await eventually('a warning', PATIENCE, async () => (await entries(page, 'warnings'))['All warnings'] === warnings + 1);
  await stage.kubectl(['uncordon', node]);
  await stage.kubectl(['delete', 'pod', 'late', '-n', ns, '--wait=false', '--grace-period=0', '--force']);
  await eventually('one pod less', PATIENCE, async () => (await entries(page, 'pods'))['All pods'] === before['All pods']);
  await page.context().close();
});

test('a number is not shown before it is known, and is marked while it is old', options, async () => {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  let arrive;
  const there = new Promise((resolve) => (arrive = resolve));
  await page.route(/\/api\/v1\/nodes\?/, async (route) => {
    await there;
    await route.continue();
  });
  // With the engine in the page, the test can hold its requests.
  await page.goto(stage.url('?worker=off#/overview'));
  await entry(page, 'pods', 'All pods').waitFor({ timeout: PATIENCE });
  await card(page, 'nodes').getByText('Loading …').waitFor({ timeout: PATIENCE });
  await card(page, 'capacity').locator('td', { hasText: '–' }).first().waitFor({ timeout: PATIENCE });
  assert.equal(await card(page, 'nodes').locator('.rows').count(), 0);
  arrive();
  await entry(page, 'nodes', 'All nodes').waitFor({ timeout: PATIENCE });
  await stage.killProxy();
  const old = card(page, 'pods').locator('.block[data-trust=old]');
  await old.getByText(/^Not live: these numbers are as of \d\d:\d\d:\d\d\./).waitFor({ timeout: PATIENCE });
  await entry(page, 'pods', 'All pods').waitFor();
  await stage.startProxy();
  await card(page, 'pods').locator('.block[data-trust=ok]').waitFor({ timeout: PATIENCE });
  await context.close();
  stage.errors.splice(0);
});

test('the filter of daemon sets that are not ready follows them', options, async () => {
  // Without a controller, because it would set the status.
  const still = await setStage({ args: ['--still'] });
  try {
    const make = (...items) => still.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const status = (desired, ready) => ({ desiredNumberScheduled: desired, currentNumberScheduled: desired, numberReady: ready, numberMisscheduled: 0 });
    const patch = (...numbers) => still.kubectl(['patch', 'daemonset', 'half', '-n', ns, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status: status(...numbers) })]);
    await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }, workload('DaemonSet', 'half'), workload('DaemonSet', 'nowhere'));
    await patch(3, 2);
    const page = await still.open('#/overview');
    const notReady = card(page, 'workloads').locator('.workload').filter({ has: page.locator('h3', { hasText: 'Daemon sets' }) }).locator('.rows a').first();
    await notReady.locator('.number', { hasText: '1' }).waitFor({ timeout: PATIENCE });
    await notReady.click();
    const total = () => grid(page).getAttribute('data-total');
    await settled('its table', total, '1');
    // With another number of ready pods, still not all are ready.
    await patch(5, 1);
    await eventually('the change is shown', PATIENCE, async () => /half\s+5\s+5\s+1/.test(await grid(page).innerText()));
    assert.equal(await total(), '1');
    await patch(5, 5);
    await settled('all its pods are ready', total, '0');
    await patch(3, 2);
    await settled('one is missing', total, '1');
    assert.deepEqual(still.errors, [], 'the page reported errors');
  } finally {
    await still.end();
  }
});

test('warnings and restarts are charted by the minute, as text, and lead to the table', options, async () => {
  const at = new Date(Date.now() - 5 * 60_000);
  const minute = Math.floor(at / 60_000) * 60;
  const label = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(minute * 1000);
  await create(...['m1', 'm2'].map((name) => ({ ...warning(name, 'Late'), firstTimestamp: at.toISOString().slice(0, 19) + 'Z', lastTimestamp: at.toISOString().slice(0, 19) + 'Z' })));
  const page = await open(`#/overview?namespace=${ns}`);
  const chart = card(page, 'warnings-chart');
  await chart.locator('figcaption', { hasText: /^\d+ warnings in the last hour, at most \d+ in a minute \(\d\d:\d\d\)$/ }).waitFor({ timeout: PATIENCE });
  await chart.locator('canvas').waitFor({ timeout: PATIENCE });
  await chart.locator('summary').click();
  const row = chart.locator('tbody tr').filter({ has: page.locator('th', { hasText: label }) });
  await row.waitFor({ timeout: PATIENCE });
  const [href, number] = await row.locator('a').evaluate((link) => [link.getAttribute('href'), link.textContent]);
  assert.ok(href.includes(encodeURIComponent(`minute=${minute}`)), href);
  await follows(page, href, Number(number));
  await page.evaluate((hash) => (location.hash = hash), `#/overview?namespace=${ns}`);
  await card(page, 'restarts-chart').locator('figcaption', { hasText: 'in the last hour' }).waitFor({ timeout: PATIENCE });
  // The chart is live: another warning in the same minute is counted.
  await create({ ...warning('m3', 'Late'), lastTimestamp: at.toISOString().slice(0, 19) + 'Z' });
  await chart.locator('summary').click();
  await settled('one more warning', () => row.locator('a').textContent(), String(Number(number) + 1));
  await page.context().close();
});

test('a cluster without metrics says so, and is not asked for them', options, async () => {
  const page = await open();
  await card(page, 'capacity').getByText('Usage is unknown: the cluster does not serve metrics.k8s.io.').waitFor({ timeout: PATIENCE });
  assert.equal(await card(page, 'capacity').locator('thead th').count(), 4);
  await page.context().close();
});

test('usage is shown beside what is requested where metrics are served', { ...TEST, skip: stage.unavailable || process.env.E2E_CLUSTER === 'kube' }, async () => {
  const served = await setStage({ args: ['--pods', '60', '--churn', '0', '--metrics'] });
  try {
    const page = await served.open('#/overview');
    const used = () => card(page, 'capacity').locator('tbody tr').evaluateAll((rows) => rows.slice(0, 2).map((row) => row.querySelectorAll('td')[3]?.querySelector('a')?.textContent));
    const raw = async (path) => JSON.parse(await served.kubectl(['get', '--raw', `/apis/metrics.k8s.io/v1beta1/${path}`])).items;
    const cores = (text) => Number(text.replace('n', '')) / 1e9;
    const nodes = await raw('nodes');
    await settled('usage of the nodes', used, [short(sum(nodes.map(({ usage }) => cores(usage.cpu)))), memory(sum(nodes.map(({ usage }) => quantity(usage.memory))))]);
    await card(page, 'capacity').locator('.fresh[data-freshness=polling]').waitFor({ timeout: PATIENCE });
    await page.evaluate(() => (location.hash = '#/overview?namespace=kube-system'));
    const containers = (await raw('namespaces/kube-system/pods')).flatMap(({ containers }) => containers);
    await settled('usage of the pods of a namespace', used, [short(sum(containers.map(({ usage }) => cores(usage.cpu)))), memory(sum(containers.map(({ usage }) => quantity(usage.memory))))]);
    const href = await card(page, 'capacity').locator('tbody tr').first().locator('td').last().locator('a').getAttribute('href');
    assert.equal(href, '#/metrics.k8s.io/v1beta1/pods?namespace=kube-system');
    assert.deepEqual(served.errors, [], 'the page reported errors');
  } finally {
    await served.end();
  }
});

test('a choice of a namespace lists nothing again', options, async () => {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  const lists = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    // Lists with limit=1 are the counts of the navigation.
    const isList = !searchParams.has('watch') && searchParams.get('limit') !== '1';
    if (/\/(pods|nodes|events|deployments|statefulsets|daemonsets|jobs)$/.test(pathname) && isList) lists.push(pathname);
  });
  // With the engine in the page, the test can see its requests.
  await page.goto(stage.url('?worker=off#/overview'));
  await loaded(page);
  await eventually('all are live', PATIENCE, async () => (await page.locator('.overview .fresh:not([data-freshness=live])').count()) === 0);
  const all = (await entries(page, 'pods'))['All pods'];
  const before = lists.length;
  assert.ok(before >= 7, `${before} lists`);
  const own = (await items('pods')).filter(({ metadata }) => metadata.namespace === ns).length;
  for (const [hash, pods] of [[`#/overview?namespace=${ns}`, own], ['#/overview', all], ['#/overview?namespace=default', undefined], [`#/overview?namespace=${ns}`, own]]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    if (pods !== undefined) await eventually(`${pods} pods in ${hash}`, PATIENCE, async () => (await entries(page, 'pods'))['All pods'] === pods);
    await eventually('nodes are those of the cluster', PATIENCE, async () => (await entries(page, 'nodes'))['All nodes'] > 0);
  }
  assert.deepEqual(lists.slice(before), [], 'nothing is listed again');
  await context.close();
});

test('code that could not be loaded is loaded later', options, async () => {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  let isAway = true;
  await page.route(/\/aggregate[^/]*\.js$/, (route) => (isAway ? route.abort() : route.continue()));
  await page.goto(stage.url('#/overview'));
  await card(page, 'pods').getByText('This part of the dashboard could not be loaded.').waitFor({ timeout: PATIENCE });
  isAway = false;
  // The page retries by itself when the informer becomes live, which may be before the press.
  await eventually('the numbers', PATIENCE, async () => {
    if (await entry(page, 'pods', 'All pods').count()) return true;
    await card(page, 'pods').getByRole('button', { name: 'Retry' }).evaluateAll((buttons) => buttons[0]?.click());
    return false;
  });
  await context.close();
  // The browser reports the request that the test aborted.
  stage.errors.splice(0);
});

test('its informers are let go when it is left', options, async () => {
  const page = await stage.open('#/overview');
  await loaded(page);
  await eventually('kinds are watched', PATIENCE, async () => (await stage.openWatches()) > 2 + RECORDED + stage.kindWatches);
  await page.evaluate(() => (location.hash = '#/v1/pods'));
  // The watches of pods and namespaces stay, and those of some recorded kinds. Those of the definitions of kinds have yielded their
  // connections, or are open again.
  await eventually('pods, namespaces and recorded kinds', PATIENCE, async () => (await stage.openWatches()) <= 2 + RECORDED + stage.kindWatches);
  await page.context().close();
});

test('it is reached and read by keyboard', options, async () => {
  const page = await stage.open('#/v1/pods?filter=web');
  await page.getByRole('button', { name: 'Create from YAML' }).waitFor({ timeout: PATIENCE });
  await grid(page).focus();
  await page.keyboard.press('o');
  await loaded(page);
  assert.equal(await page.evaluate(() => location.hash), '#/overview');
  await eventually('the overview has the focus', PATIENCE, () => page.evaluate(() => document.activeElement.matches('.overview')));
  assert.equal(await page.title(), 'Overview · kube-informer');
  await settled('the current kind', () => page.locator('.kinds [aria-current=page]').allTextContents(), ['Overview']);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.querySelector('.label')?.textContent), 'All pods');
  await page.keyboard.press('Enter');
  await grid(page).waitFor({ timeout: PATIENCE });
  assert.equal(await page.evaluate(() => location.hash), '#/v1/pods');
  await eventually('the table has the focus', PATIENCE, () => page.evaluate(() => document.activeElement.matches('.grid')));
  await page.keyboard.press(':');
  await page.keyboard.type('overv');
  await page.keyboard.press('Enter');
  await loaded(page);
  await page.keyboard.press('/');
  await page.keyboard.type('web');
  await grid(page).waitFor({ timeout: PATIENCE });
  await page.goBack();
  await loaded(page);
  await page.context().close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`it is accessible and fits any width, ${colorScheme}`, options, async () => {
    // The page's policy would block axe's script.
    const page = await open('#/overview', { bypassCSP: true, colorScheme, viewport: { width: 1280, height: 900 } });
    for (const width of [380, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = () => page.evaluate(() => [document.documentElement, document.querySelector('.overview'), ...document.querySelectorAll('.card')].filter((element) => element.scrollWidth > element.clientWidth).length);
      await settled(`nothing scrolls sideways at ${width}`, wide, 0);
      assert.deepEqual(await violations(page, { root: '.overview' }), [], `${width}`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/overview-${colorScheme}-${width}.png` });
    }
    await page.context().close();
  });
}

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
    );
    await closed.kubectl(['run', 'early', '-n', 'shop', '--image=pause', '--restart=Never']);
    const page = await closed.open('#/overview?namespace=shop');
    await eventually('a pod', PATIENCE, async () => (await entries(page, 'pods'))['All pods'] === 1);
    for (const [name, kind] of [['nodes', 'nodes'], ['capacity', 'nodes'], ['warnings', 'events'], ['workloads', 'jobs']]) {
      await card(page, name).getByText(`You may not list ${kind}.`).waitFor({ timeout: PATIENCE });
    }
    assert.equal(await card(page, 'nodes').locator('.rows').count(), 0, 'a block whose kind may not be listed shows no numbers');
    await card(page, 'workloads').locator('.workload').first().locator('.rows a', { hasText: 'Ready' }).first().waitFor({ timeout: PATIENCE });
    // Jane may list nothing in all namespaces, not even the namespaces.
    await page.evaluate(() => (location.hash = '#/overview'));
    await card(page, 'pods').getByText('You may not list pods.').waitFor({ timeout: PATIENCE });
    assert.deepEqual(closed.errors, [], 'the page reported errors');
  } finally {
    await closed.end();
  }
});
