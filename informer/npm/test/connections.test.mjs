// More informers than a browser has connections, over HTTP/1.1.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: 90_000 };

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

/** In a page: informers of the config maps of so many namespaces, started. */
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

/** In a page: the longest that one of all informers needed to hear of what was made; a write takes its turn, too. */
const hear = (page, name) =>
  page.evaluate(async (name) => {
    const start = performance.now();
    for (const { namespace } of all) await create(namespace, name);
    const written = performance.now();
    for (const { namespace, informer } of all) await until(`${namespace}/${name}`, () => informer.indexer.getByKey(`${namespace}/${name}`));
    return { written: written - start, heard: performance.now() - start };
  }, name);

for (const worker of ['shared', 'dedicated', false]) {
  test(`beyond four watches come WebSockets, and all are live (${worker || 'in the page'})`, options, async () => {
    stage.front.upgrades = true;
    await informers(page, `sockets-${worker || 'page'}`, 12, worker);
    await page.evaluate(() => until('all are live', () => freshness().live?.length === 12));
    assert.deepEqual([stage.front.watches('/configmaps'), stage.front.sockets.size], [4, 8]);
    const { heard } = await hear(page, 'one');
    assert.ok(heard < 5_000, `${heard} ms`);
    assert.deepEqual(await page.evaluate('trouble'), []);
    await page.evaluate(() => factory.shutdown());
  });
}

test('where WebSockets are refused they take turns, say so, and hear of everything', options, async () => {
  stage.front.upgrades = false;
  await informers(page, 'turns', 8, 'dedicated');
  await page.evaluate(() => until('four wait', () => freshness().waiting?.length === 4));
  assert.equal(stage.front.watches('/configmaps'), 4);
  const { written, heard } = await hear(page, 'one');
  assert.ok(written < 3_000, `requests of the page do not wait: ${written} ms`);
  assert.ok(heard < 15_000, `${heard} ms`);
  assert.deepEqual(await page.evaluate('trouble'), []);
  await page.evaluate(() => factory.shutdown());
});

test('ten tabs share forty informers over one connection budget', { timeout: 120_000 }, async () => {
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
  assert.equal(stage.front.watches('/configmaps') + stage.front.sockets.size, 40);
  const { heard } = await hear(page, 'one');
  assert.ok(heard < 15_000, `${heard} ms`);
  const lived = await tabs[8].evaluate(() => until('all are live', () => all.every(({ informer }) => informer.status.freshness === 'live')));
  assert.ok(lived);
});
