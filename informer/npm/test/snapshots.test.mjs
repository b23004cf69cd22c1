// Persistence in IndexedDB: persisted resources, and those that never are.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENCE, eventually, pageForEach, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

let page;
pageForEach(stage, (made) => (page = made));

/** In a page: a running informer, as `window.informer`. A dedicated worker ends with the page. */
const start = (resource, worker = 'dedicated') =>
  page.evaluate(async ([resource, worker]) => {
    const { connect } = await import('kube-informer');
    window.factory = await connect({ worker, persist: true });
    window.informer = factory.forResource(resource);
    window.told = [];
    informer.addEventHandler({ onAdd: (object) => told.push(object.metadata.name) });
    window.startedAt = performance.now();
    factory.start();
  }, [resource, worker]);

const synced = () => page.evaluate(() => until('watching', () => informer.hasSynced && informer.status.phase === 'watching' && informer.status));

/** Contents of the storage, as text. */
const stored = () =>
  page.evaluate(async () => {
    const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }));
    const names = (await indexedDB.databases()).map(({ name }) => name);
    if (!names.includes('kube-informer')) return [];
    const database = await asked(indexedDB.open('kube-informer'));
    try {
      const store = database.transaction('kube-informer').objectStore('kube-informer');
      const [keys, values] = await Promise.all([asked(store.getAllKeys()), asked(store.getAll())]);
      return keys.map((key, place) => [key, new TextDecoder('latin1').decode(values[place])]);
    } finally {
      database.close();
    }
  });

const written = (resource) =>
  eventually('a header', async () => (await stored()).some(([key]) => key.includes(resource) && !key.includes('#')));

test('a reload shows the persisted objects, without a server, and resumes without a list', options, async () => {
  await start('v1/pods');
  const before = await synced();
  assert.equal(before.lists, 1);
  await written('v1/pods');

  const wentAt = Date.now();
  stage.front.goAway();
  await page.goto(stage.origin);
  await start('v1/pods');
  const { known, status } = await page.evaluate(async () => {
    await until('rows', () => told.length > 0 && informer.status.lastError);
    return { known: told.length, status: informer.status };
  });
  assert.equal(known, before.objects);
  assert.equal(status.freshness, 'disconnected');
  assert.ok(status.lastContactAt <= wentAt, 'marked with the time that it is from');
  assert.equal(await page.evaluate(() => informer.hasSynced), false);

  stage.front.comeBack();
  await page.goto(stage.origin);
  await start('v1/pods');
  const resumed = await synced();
  assert.deepEqual([resumed.lists, resumed.objects], [0, before.objects]);
});

test('sensitive resources are never persisted', options, async () => {
  await page.evaluate(async () => {
    await api('POST', '/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'deep-secret' } }).catch(() => {});
    await create('default', 'deep-config').catch(() => {});
  });
  await start('v1/secrets');
  await page.evaluate(() => {
    window.maps = factory.forResource('v1/configmaps');
    window.pods = factory.forResource('v1/pods');
    factory.start();
  });
  await synced();
  await written('v1/pods');
  const kept = await stored();
  assert.deepEqual(kept.filter(([key]) => /secrets|configmaps/.test(key)), []);
  assert.deepEqual(kept.filter(([, bytes]) => /deep-secret|deep-config/.test(bytes)), []);
});

test('clearSnapshots() deletes everything, permanently', options, async () => {
  await start('v1/namespaces', 'shared');
  await synced();
  await written('v1/namespaces');
  await page.evaluate(() => factory.clearSnapshots());
  assert.deepEqual(await stored(), []);
  await page.evaluate(() => namespace('after-forgetting'));
  // A snapshot would be due now.
  await page.evaluate(() => until('the change is there', () => informer.indexer.getByKey('after-forgetting')));
  await page.evaluate(() => informer.stop());
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.deepEqual(await stored(), []);
});
