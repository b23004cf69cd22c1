// Cycles of connect() and shutdown(): nothing is left of any.
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const CYCLES = 100;

for (const worker of ['shared', 'elected', 'dedicated', false]) {
  test(`${CYCLES} cycles leave no worker, port, lock or watch (${worker || 'in the page'})`, { timeout: PATIENCE }, async () => {
    const context = await stage.browser.newContext();
    const { page, errors } = await openPage(stage, context);
    const cycle = (cycles) =>
      page.evaluate(async ([worker, cycles]) => {
        const { connect } = await import('kube-informer');
        for (let n = 0; n < cycles; n++) {
          const factory = await connect({ worker });
          const maps = factory.forResource('v1/configmaps', { namespace: 'default' });
          // Some end before their first list, some after it.
          const view = maps.view({ columns: 'kubectl', window: [0, 10] });
          view.ready.catch(() => {});
          factory.start();
          if (n % 10 === 0) await factory.waitForCacheSync();
          await factory.shutdown();
        }
      }, [worker, cycles]);
    const locks = () => page.evaluate(async () => {
      const { held, pending } = await navigator.locks.query();
      return held.length + pending.length;
    });
    await cycle(1);
    // The engine in the page, and a shared worker of its tab, stay.
    await eventually('the locks of the first cycle are released', async () => (await locks()) <= 2);
    const before = await locks();
    await cycle(CYCLES);
    await eventually('no lock is left', async () => (await locks()) <= before);
    await eventually('no worker is left', () => page.workers().length === 0);
    await eventually('no watch is left', () => stage.front.watches('/configmaps') === 0);
    const informers = await page.evaluate(async ([worker]) => {
      const { connect } = await import('kube-informer');
      const factory = await connect({ worker });
      const { informers } = await factory.inspect();
      await factory.shutdown();
      return informers.length;
    }, [worker]);
    assert.ok(informers <= 1, `${informers} informers`);
    assert.deepEqual(await page.evaluate('unhandled'), []);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('two copies of the package on one page do not disturb each other', { timeout: PATIENCE }, async () => {
  await cp(join(stage.folder, 'dist'), join(stage.folder, 'copy'), { recursive: true });
  const context = await stage.browser.newContext();
  const { page, errors } = await openPage(stage, context);
  const found = await page.evaluate(async () => {
    const copies = await Promise.all(['/package/dist/index.js', '/package/copy/index.js'].map((url) => import(url)));
    const factories = await Promise.all(copies.map(({ connect }) => connect({ timeoutMs: 120_000 })));
    const pods = factories.map((factory) => factory.forResource('v1/pods'));
    factories.forEach((factory) => factory.start());
    await Promise.all(factories.map((factory) => factory.waitForCacheSync()));
    const counts = pods.map(({ status }) => status.objects);
    await factories[0].shutdown();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const listed = (await pods[1].lister.list()).length;
    return { same: copies[0].InformerError === copies[1].InformerError, counts, listed, freshness: pods[1].status.freshness };
  });
  assert.equal(found.same, false);
  assert.ok(found.counts[0] >= 60 && found.counts[0] === found.counts[1] && found.listed === found.counts[0], JSON.stringify(found));
  assert.equal(found.freshness, 'live');
  assert.deepEqual(errors, []);
  await context.close();
});
