// Behind a proxy that holds response headers back until the first byte of the body, as the dev servers of Vite and webpack
// do: a quiet watch gets no response by fetch.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { PATIENCE, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

let context;
let page;
let errors;
beforeEach(async () => {
  stage.front.holdsHeaders = true;
  stage.front.asked.length = 0;
  context = await stage.browser.newContext();
  ({ page, errors } = await openPage(stage, context));
});
afterEach(async () => {
  [stage.front.holdsHeaders, stage.front.upgrades] = [false, true];
  await context.close();
  assert.deepEqual(errors, []);
});

/** In a page: informers of eight resources where little happens, started. */
const informers = () =>
  page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const names = ['v1/secrets', 'v1/serviceaccounts', 'v1/limitranges', 'v1/resourcequotas', 'v1/replicationcontrollers'];
    names.push('v1/persistentvolumeclaims', 'v1/podtemplates', 'v1/configmaps');
    window.factory = await connect();
    const known = new Set((await factory.resources()).map(({ group, version, resource }) => [group, version, resource].filter(Boolean).join('/')));
    window.all = names.filter((name) => known.has(name)).map((name) => factory.forResource(name));
    window.freshness = () => all.map(({ status }) => status.freshness);
    window.every = (word) => until(`all are ${word}: ${freshness()}`, () => freshness().every((is) => is === word));
    window.seen = new Set();
    window.reasons = all.map(() => []);
    // A heartbeat that is late on a loaded machine says nothing about the proxy.
    const isLate = (error) => /heartbeat/.test(error?.message);
    all.forEach((informer, at) => {
      informer.addEventListener('status', () => isLate(informer.status.lastError) || seen.add(informer.status.freshness));
      informer.addEventListener('error', ({ error }) => isLate(error) || reasons[at].push(error.message));
    });
    factory.start();
    await factory.waitForCacheSync();
    return all.length;
  });
const watches = (of) => stage.front.asked.filter((url) => url.includes('watch=true') && url.includes(of)).length;

for (const upgrades of [false, 'hang']) {
  test(`where WebSockets ${upgrades ? 'get no answer' : 'are refused'}, too, everything is polled, which the status says`, options, async () => {
    stage.front.upgrades = upgrades;
    const count = await informers();
    assert.ok(count >= 4, `${count} resources`);
    await page.evaluate(() => every('polling'));
    const { errors, history, seen } = await page.evaluate(async () => ({
      errors: reasons.map((messages) => messages.at(-1)),
      history: (await all[0].inspect()).history.map(({ what }) => what),
      seen: [...seen],
    }));
    for (const error of errors) assert.match(error, /holds back the response headers.*ws: true in Vite and webpack/);
    assert.ok(history.includes('polling'), history.join());
    assert.ok(!seen.includes('disconnected') && !seen.includes('stale'), `${seen}: the server is there`);
    // The result is remembered: later informers request no watch. The others try again after a minute.
    const later = await page.evaluate(async () => {
      const later = factory.forResource('v1/namespaces');
      factory.start();
      await until('polled', () => later.status.freshness === 'polling');
      return later.status.objects;
    });
    assert.ok(later > 0);
    assert.equal(watches('/namespaces?'), 0);
  });
}

test('where WebSockets get through everything is live', options, async () => {
  const count = await informers();
  await page.evaluate(() => every('live'));
  const carriers = await page.evaluate(async () => {
    const inspections = await Promise.all(all.map((informer) => informer.inspect()));
    return inspections.map(({ transport }) => transport.carrier);
  });
  assert.deepEqual(new Set(carriers), new Set(['websocket']), `of ${count}`);
});
