// More informers than a browser has connections, over HTTP/1.1.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

let context;
let page;
let errors;
beforeEach(async () => {
  context = await stage.browser.newContext();
  ({ page, errors } = await openPage(stage, context));
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(errors, []);
});

/** In a page: informers of the config maps of this number of namespaces, started. */
const informers = (page, of, count, worker) =>
  page.evaluate(async ([of, count, worker]) => {
    const { connect } = await import('kube-informer');
    const names = Array.from({ length: count }, (_, at) => `${of}-${at}`);
    for (const name of names) await namespace(name);
    window.factory = await connect({ worker });
    window.all = names.map((namespace) => ({ namespace, informer: factory.forResource('v1/configmaps', { namespace }) }));
    window.trouble = [];
    for (const { informer } of all) informer.addEventListener('error', ({ error }) => trouble.push(error.message));
    window.freshness = () => Object.groupBy(all.map(({ informer }) => informer.status.freshness), (name) => name);
    factory.start();
    await factory.waitForCacheSync();
  }, [of, count, worker]);

/** This number of watches is open, at most four of them as streams. If a head is late, a WebSocket is tried in parallel. */
const oneEach = async (count) => {
  const streams = () => stage.front.streams('');
  await eventually(`${count} watches, four of them streams`, () => streams() <= 4 && streams() + stage.front.sockets.size === count);
};

/** In a page: the longest time until an informer received a created object; a write is queued, too. */
const hear = (page, name) =>
  page.evaluate(async (name) => {
    const start = performance.now();
    for (const { namespace } of all) await create(namespace, name);
    const written = performance.now();
    for (const { namespace, informer } of all) await until(`${namespace}/${name}`, () => informer.indexer.getByKey(`${namespace}/${name}`));
    return { written: written - start, heard: performance.now() - start };
  }, name);

for (const worker of ['shared', 'dedicated', false]) {
  test(`beyond four watches come WebSockets, and all are live (${worker || 'in the page'})`, options, async (t) => {
    stage.front.upgrades = true;
    await informers(page, `sockets-${worker || 'page'}`, 12, worker);
    await page.evaluate(() => until('all are live', () => freshness().live?.length === 12));
    await oneEach(12);
    const { heard } = await hear(page, 'one');
    t.diagnostic(`all have heard after ${Math.round(heard)} ms`);
    assert.deepEqual(await page.evaluate('trouble'), []);
    await page.evaluate(() => factory.shutdown());
  });
}

test('if WebSockets are rejected, watches are time-shared, report it, and receive all changes', options, async (t) => {
  stage.front.upgrades = false;
  await informers(page, 'turns', 8, 'dedicated');
  await page.evaluate(() => until('four wait', () => freshness().queued?.length === 4));
  await eventually('four are watched', () => stage.front.watches('/configmaps') === 4);
  const { written, heard } = await hear(page, 'one');
  // Watches would hold all six connections for minutes, and the requests of the page would wait for longer than this test.
  t.diagnostic(`all are written after ${Math.round(written)} ms, and have been heard of after ${Math.round(heard)} ms`);
  assert.deepEqual(await page.evaluate('trouble'), []);
  await page.evaluate(() => factory.shutdown());
});

test('ten tabs share forty informers over one connection budget', options, async (t) => {
  stage.front.upgrades = true;
  await informers(page, 'tabs', 40, 'shared');
  const tabs = [];
  for (let tab = 0; tab < 9; tab++) {
    const { page: other } = await openPage(stage, context);
    tabs.push(other);
    await other.evaluate(async () => {
      const { connect } = await import('kube-informer');
      window.factory = await connect({ worker: 'shared' });
      window.all = Array.from({ length: 40 }, (_, at) => `tabs-${at}`).map((namespace) => ({
        namespace,
        informer: factory.forResource('v1/configmaps', { namespace }),
      }));
      factory.start();
      await factory.waitForCacheSync();
    });
  }
  await page.evaluate(() => until('all are live', () => freshness().live?.length === 40));
  await oneEach(40);
  const { heard } = await hear(page, 'one');
  t.diagnostic(`all have heard after ${Math.round(heard)} ms`);
  const lived = await tabs[8].evaluate(() => until('all are live', () => all.every(({ informer }) => informer.status.freshness === 'live')));
  assert.ok(lived);
});

// Open resources of a dashboard: group and version, resource, kind.
const kinds = [
  ['v1', 'pods', 'Pod'], ['v1', 'services', 'Service'], ['v1', 'configmaps', 'ConfigMap'], ['v1', 'secrets', 'Secret'],
  ['v1', 'nodes', 'Node'], ['v1', 'namespaces', 'Namespace'], ['v1', 'events', 'Event'], ['v1', 'endpoints', 'Endpoints'],
  ['v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'], ['v1', 'persistentvolumes', 'PersistentVolume'],
  ['v1', 'serviceaccounts', 'ServiceAccount'], ['apps/v1', 'deployments', 'Deployment'], ['apps/v1', 'replicasets', 'ReplicaSet'],
  ['apps/v1', 'statefulsets', 'StatefulSet'], ['apps/v1', 'daemonsets', 'DaemonSet'], ['batch/v1', 'jobs', 'Job'],
  ['batch/v1', 'cronjobs', 'CronJob'], ['networking.k8s.io/v1', 'ingresses', 'Ingress'],
  ['networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy'], ['autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'],
].map(([version, resource, kind]) => ({
  version, resource, kind,
  isNamespaced: !['Node', 'Namespace', 'PersistentVolume'].includes(kind),
  path: `${version === 'v1' ? '/api' : '/apis'}/${version}/${resource}`,
}));

test('ten tabs share twenty kinds: each is listed once and watched once, and every tab receives all changes', options, async () => {
  stage.front.upgrades = true;
  const openWatches = async () => (await (await fetch(`${stage.apiserver}/admin/faults`)).json()).openWatches;
  await eventually('the watches of other tests are closed', async () => (await openWatches()) === 0);
  stage.front.asked.length = 0;
  const tabs = [page];
  while (tabs.length < 10) tabs.push((await openPage(stage, context)).page);
  await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(async (resources) => {
        const { connect } = await import('kube-informer');
        window.factory = await connect({ worker: 'shared' });
        window.all = resources.map((resource) => factory.forResource(resource));
        factory.start();
        await factory.waitForCacheSync();
      }, kinds.map(({ version, resource }) => `${version}/${resource}`)),
    ),
  );
  const all = (tab) => tab.evaluate(() => all.every(({ hasSynced, status }) => hasSynced && status.freshness === 'live'));
  for (const tab of tabs) await eventually('all kinds are live', () => all(tab));

  // As many as kinds, of each at least one: so one of each.
  await oneEach(kinds.length);
  await eventually('one watch for each kind', async () => (await openWatches()) === kinds.length);
  for (const { path } of kinds) {
    const asked = stage.front.asked.map((url) => new URL(url, 'http://any')).filter(({ pathname }) => pathname === path);
    const watches = asked.filter(({ searchParams }) => searchParams.get('watch')).length;
    assert.equal(asked.length - watches, 1, `lists of ${path}`);
    // A watch that was suspected on a loaded machine is requested again; as many as kinds are open.
    assert.ok(watches >= 1, `no watch of ${path}`);
  }

  for (const { version, kind, resource, isNamespaced } of kinds) {
    const metadata = { name: 'told', ...(isNamespaced && { namespace: 'default' }) };
    const path = `${version === 'v1' ? '/api' : '/apis'}/${version}${isNamespaced ? '/namespaces/default' : ''}/${resource}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(stage.apiserver + path, { method: 'POST', headers, body: JSON.stringify({ apiVersion: version, kind, metadata }) });
    assert.ok(answer.ok, `${kind}: ${answer.status} ${await answer.text()}`);
  }
  const missed = (tab) =>
    tab.evaluate(async (keys) => {
      const found = await Promise.all(all.map(({ indexer }, at) => indexer.getByKey(keys[at])));
      return keys.filter((_, at) => !found[at]);
    }, kinds.map(({ isNamespaced }) => (isNamespaced ? 'default/told' : 'told')));
  for (const tab of tabs) await eventually('every kind has told', async () => (await missed(tab)).length === 0);
});
