// Closing: disposed views and stopped informers cost nothing further.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENCE, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

test('twenty views that are disposed at once are not computed, and the next one is', options, async () => {
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  const opened = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    // In the page, so that no message of the loop below is on its way when the next one is sent. The engine tells a view's
    // columns when it is about to compute its rows.
    let opened = 0;
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (message, ...rest) {
      if (typeof message === 'string' && JSON.parse(message).type === 'columns') opened++;
      return postMessage.call(this, message, ...rest);
    };
    const factory = await connect({ worker: false });
    const pods = factory.forResource('v1/pods');
    factory.start();
    await factory.waitForCacheSync();
    const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
    // The code of views is loaded, and one view is open, before it is counted.
    const other = pods.view();
    await other.ready;
    const before = opened;
    for (let view = 0; view < 20; view++) pods.view({ columns: { name: '.metadata.name' } })[dispose]();
    const last = pods.view({ columns: { name: '.metadata.name' } });
    await last.ready;
    return [before, opened - before, last.getSnapshot().total === (await pods.lister.list()).length];
  });
  const [before, computed, isWhole] = opened;
  assert.deepEqual([before, isWhole], [1, true]);
  // A browser may run the engine before it has delivered all sent messages, on a loaded machine several times.
  assert.ok(computed <= 10, `${computed} of 21 were computed`);
  assert.deepEqual(errors, []);
});

test('after ten quick route changes only the last resource is listed, beside lists in flight', options, async () => {
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  await page.evaluate(() => namespace('places'));
  const isList = (url) => url.includes('/places/configmaps') && !url.includes('watch=true');
  let release;
  const held = new Promise((resolve) => (release = resolve));
  stage.front.hold = (url) => (isList(url) ? held : undefined);
  const synced = page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const factory = await connect({ persist: false });
    const start = performance.now();
    for (let place = 0; place < 10; place++) {
      const left = factory.forResource('v1/configmaps', { namespace: 'places', labelSelector: `place=${place}` });
      factory.start();
      await left.stop();
    }
    const here = factory.forResource('v1/configmaps', { namespace: 'places' });
    factory.start();
    window.took = performance.now() - start;
    await here.synced;
    return here.hasSynced;
  });
  const took = await page.evaluate(() => until('all are asked for', () => window.took));
  release();
  assert.equal(await synced, true);
  stage.front.hold = () => undefined;
  const lists = stage.front.asked.filter(isList);
  // A list that is left ends after ten seconds; two others take their places where the changes take longer.
  const most = 3 + 2 * Math.floor(took / 10_000);
  assert.ok(lists.length <= most, `two are on their way at most: ${lists.join('\n')}`);
  assert.ok(!lists.at(-1).includes('labelSelector'), lists.at(-1));
  assert.deepEqual(errors, []);
});
