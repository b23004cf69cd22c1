// Protobuf: a list with more than one page loads its converter, the objects are those of JSON, and without it everything is JSON.
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { PATIENCE, openPage, setStage } from './stage.mjs';

const stage = await setStage({ pods: 700 });
after(() => stage.end());
const options = { timeout: PATIENCE };

let context;
let page;
let errors;
let logs;
beforeEach(async () => {
  context = await stage.browser.newContext();
  stage.front.served.length = 0;
  ({ page, errors, logs } = await openPage(stage, context));
});
afterEach(async () => {
  assert.deepEqual(await page.evaluate('unhandled'), []);
  await context.close();
  assert.deepEqual(errors, []);
});

const fetched = () => stage.front.served.filter((path) => path.endsWith('protobuf.wasm')).length;

/** In a page: the cached pods by key, the traffic of their informer, and one of them after a change. */
const look = (options) =>
  page.evaluate(async (options) => {
    const { connect } = await import('kube-informer');
    const factory = await connect({ worker: 'dedicated', persist: false, ...options });
    const pods = factory.forResource('v1/pods');
    factory.start();
    await factory.waitForCacheSync();
    const all = Object.fromEntries((await pods.lister.list()).map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, JSON.stringify(pod)]));
    const [key] = Object.keys(all);
    const [namespace, name] = key.split('/');
    const label = `label-${Math.random()}`;
    const body = JSON.stringify({ metadata: { labels: { mark: label } } });
    await fetch(`/api/v1/namespaces/${namespace}/pods/${name}`, { method: 'PATCH', body, headers: { 'content-type': 'application/merge-patch+json' } });
    await until('the change', async () => (await pods.indexer.getByKey(key))?.metadata.labels?.mark === label);
    const { transport } = await pods.inspect();
    await factory.shutdown();
    return { all, transport, status: pods.status.lastError?.message };
  }, options);

test('the objects of a long list and its watch are the same in protobuf and in JSON', options, async () => {
  const protobuf = await look({});
  assert.equal(fetched(), 1);
  assert.deepEqual([protobuf.transport.protobuf, protobuf.transport.jsonReason], [true, null], 'the watch is protobuf');
  const json = await look({ protobuf: false });
  assert.deepEqual([fetched(), json.transport.protobuf], [1, false]);
  assert.ok(Object.keys(json.all).length >= 700);
  assert.deepEqual(Object.keys(protobuf.all).sort(), Object.keys(json.all).sort());
  // The embedded apiserver sorts the members in JSON; Go's order is that of the types.
  for (const [key, text] of Object.entries(json.all)) {
    const [ours, theirs] = [protobuf.all[key], text].map((one) => JSON.parse(one));
    for (const pod of [ours, theirs]) [delete pod.metadata.resourceVersion, delete pod.metadata.labels.mark];
    assert.deepEqual(withoutEmpty(ours), withoutEmpty(theirs), key);
  }
});

test('a list that a gateway damages is requested again in JSON, and the inspection has the reason', options, async () => {
  await page.route(/\/api\/v1\/pods\?.*continue=/, async (route) => {
    const response = await route.fetch();
    const isProtobuf = response.headers()['content-type'].startsWith('application/vnd.kubernetes.protobuf');
    // As a gateway that takes bytes for text does.
    await route.fulfill({ response, body: isProtobuf ? Buffer.from((await response.body()).toString('utf8')) : await response.body() });
  });
  const { all, transport, status } = await look({ worker: false });
  assert.deepEqual([Object.keys(all).length >= 700, transport.protobuf, status], [true, false, undefined]);
  assert.match(transport.jsonReason, /^[\w ,.()'"-]+$/);
});

test('without the file everything is JSON', options, async () => {
  await page.route('**/protobuf.wasm', (route) => route.fulfill({ status: 404 }));
  const { all, transport, status } = await look({});
  assert.deepEqual([Object.keys(all).length >= 700, transport.protobuf, status], [true, false, undefined]);
  assert.match(logs.join(), /protobuf\.wasm could not be loaded: HTTP 404/);
});

/** A value without empty ones, which Go writes and a simulated object lacks. */
function withoutEmpty(value) {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const full = Object.entries(value).map(([name, inner]) => [name, withoutEmpty(inner)]);
  return Object.fromEntries(full.filter(([, inner]) => inner !== null && inner !== '' && !(typeof inner === 'object' && Object.keys(inner).length === 0)));
}
