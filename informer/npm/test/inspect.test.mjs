// Inspection of an informer, and its cost.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

let context;
let page;
let errors;
beforeEach(async () => {
  stage.front.comeBack();
  // Without WebSockets a watch is by fetch, however late its response is.
  stage.front.upgrades = false;
  context = await stage.browser.newContext();
  ({ page, errors } = await openPage(stage, context));
});
afterEach(async () => {
  assert.deepEqual(await page.evaluate('unhandled'), []);
  await context.close();
  assert.deepEqual(errors, []);
});

/** In a page: an informer of the config maps of a new namespace, live. */
const start = (page, ns, worker) =>
  page.evaluate(async ([ns, worker]) => {
    const { connect } = await import('kube-informer');
    await namespace(ns);
    window.ns = ns;
    window.factory = await connect({ worker });
    window.informer = factory.forResource('v1/configmaps', { namespace: ns });
    // Whether the history contains these steps, in this order.
    window.told = ({ history }, ...steps) => history.filter(({ what }) => what === steps[0] && steps.shift()).length > 0 && steps.length === 0;
    factory.start();
    await factory.waitForCacheSync();
    await until('live', () => informer.status.freshness === 'live');
  }, [ns, worker]);

test('the example of README runs', options, async () => {
  const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
  const [, example] = examples.find(([, code]) => code.includes('.inspect()'));
  stage.front.made.set('/made/inspect.js', `const pods = window.informer; ${example}`);
  const lines = [];
  page.on('console', (message) => lines.push(message.text()));
  await start(page, 'readme', 'dedicated');
  await page.evaluate('import("/made/inspect.js")');
  await eventually('the step of the open watch', () => lines.some((line) => / opened /.test(line)));
  assert.match(lines.join('\n'), /^0 events 0 relists 0 errors\nfetch 2 requests \d+ bytes 0 events\/s\n[-0-9T:.]+Z list 0/m);
});

for (const worker of ['shared', 'dedicated', false]) {
  describe(`the engine ${worker ? `in a ${worker} worker` : 'in the page'}`, () => {
    test('it has the history of the start, the transport, and the traffic since', options, async () => {
      await start(page, `told-${worker || 'page'}`, worker);
      const { first, last } = await page.evaluate(async () => {
        const first = await informer.inspect();
        for (const name of ['a', 'b', 'c']) await create(ns, name);
        await until('all are there', async () => (await informer.indexer.listKeys()).length === 3);
        return { first, last: await informer.inspect() };
      });
      assert.deepEqual(first.history.map(({ what, count }) => [what, count]).slice(0, 4), [['list', 0], ['page', 0], ['watch', 0], ['opened', 0]]);
      assert.deepEqual([first.transport.carrier, first.transport.requests, first.metrics.objects], ['fetch', 2, 0]);
      assert.ok(first.transport.bytes > 0);
      const events = last.history.filter(({ what }) => what === 'events');
      assert.equal(events.reduce((sum, { count }) => sum + count, 0), 3);
      for (const { at, until } of last.history) assert.ok(at <= until && Math.abs(Date.now() - at) < 600_000, `${at} ${until}`);
      assert.deepEqual([last.metrics.events, last.metrics.objects, last.metrics.lists, last.metrics.errors], [3, 3, 1, 0]);
      assert.ok(last.transport.bytes > first.transport.bytes + 300);
      assert.ok(last.transport.eventsPerSecond <= 3);
      // The rate covers the last ten seconds, which may be over on a slow machine before it is read.
      await page.evaluate(() =>
        until('a rate', async () => {
          await patch(ns, 'a', { step: `${Math.random()}` });
          const { eventsPerSecond, bytesPerSecond } = (await informer.inspect()).transport;
          return eventsPerSecond > 0 && bytesPerSecond > 0;
        }),
      );
      assert.deepEqual(last.metrics.handlers, []);
    });
  });
}

test('an outage of the server is recorded step by step, and no counter decreases', options, async () => {
  await start(page, 'away', 'dedicated');
  const before = await page.evaluate(() => informer.inspect());
  stage.front.goAway();
  const away = await page.evaluate(async () => {
    await until('a failed attempt and a pause', async () => told(await informer.inspect(), 'opened', 'broken-off', 'refused', 'pause'));
    return informer.inspect();
  });
  assert.equal(away.transport.carrier, null);
  assert.equal(away.history.find(({ what }) => what === 'broken-off').code, 'network');
  assert.ok(away.history.find(({ what }) => what === 'pause').count > 0);
  stage.front.comeBack();
  const back = await page.evaluate(async () => {
    await until('another watch', async () => told(await informer.inspect(), 'opened', 'broken-off', 'refused', 'pause', 'watch', 'opened'));
    return informer.inspect();
  });
  assert.equal(back.transport.carrier, 'fetch');
  assert.ok(back.metrics.errors >= 2 && back.metrics.watches === 2, JSON.stringify(back.metrics));
  const now = ['queueDepth', 'objects', 'bytes'];
  for (const [earlier, later] of [[before, away], [away, back]]) {
    const counts = (inspection) => Object.entries(inspection.metrics).filter(([name, count]) => typeof count === 'number' && !now.includes(name));
    for (const [name, count] of counts(earlier)) assert.ok(later.metrics[name] >= count, name);
    for (const name of ['requests', 'bytes']) assert.ok(later.transport[name] >= earlier.transport[name], name);
  }
});

test('an inspection makes no request, also before the first list and while the server does not respond', options, async () => {
  const paths = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  await start(page, 'quiet', false);
  await page.evaluate(() => informer.inspect()); // the second file of the engine
  paths.length = 0;
  const requests = await page.evaluate(async () => {
    for (let times = 0; times < 50; times++) await informer.inspect();
    return (await informer.inspect()).transport.requests;
  });
  // The engine requests the server's identity, and sends heartbeats, at its own times.
  assert.deepEqual([requests, paths.filter((path) => path.includes('/configmaps'))], [2, []]);
  stage.front.goAway();
  const never = await page.evaluate(async () => {
    const maps = factory.forResource('v1/secrets', { namespace: ns });
    const idle = await maps.inspect();
    factory.start();
    await until('it has tried', async () => (await maps.inspect()).history.some(({ what }) => what === 'refused'));
    const { history, metrics } = await maps.inspect();
    await maps.stop();
    return { idle, tried: history[0].what, synced: maps.hasSynced, lists: metrics.lists > 0, stopped: await rejection(maps.inspect()) };
  });
  assert.deepEqual([never.idle.history, never.idle.transport.requests, never.tried, never.synced, never.lists], [[], 0, 'list', false, true]);
  assert.equal(never.stopped.code, 'closed');
});

test('a fifth watch is reported to use a WebSocket', options, async () => {
  stage.front.upgrades = true;
  const carriers = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const factory = await connect({ worker: 'dedicated' });
    const names = Array.from({ length: 6 }, (_, at) => `carried-${at}`);
    for (const name of names) await namespace(name);
    const all = names.map((namespace) => factory.forResource('v1/configmaps', { namespace }));
    factory.start();
    await until('all are live', () => all.every(({ status }) => status.freshness === 'live'));
    const carriers = await Promise.all(all.map(async (informer) => (await informer.inspect()).transport.carrier));
    return carriers.sort();
  });
  // A WebSocket also takes the place of a watch by fetch whose response is late, as on a loaded machine.
  const sockets = carriers.filter((carrier) => carrier === 'websocket').length;
  assert.ok(sockets >= 2, carriers.join());
  assert.deepEqual(carriers, [...Array(6 - sockets).fill('fetch'), ...Array(sockets).fill('websocket')]);
});
