// Bodies of the client's writes: text is sent unchanged, an object as JSON, with all the digits of its integers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from '../../src/client/body.js';
import { clientStage, json } from './client-stage.mjs';

const web = { resource: 'apps/v1/deployments', namespace: 'shop', name: 'web' };
const pod = { resource: 'v1/pods', namespace: 'shop', name: 'web-0' };
const KINDS = { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] };
const server = (method, path) => json(path === '/api/v1' ? KINDS : { metadata: { name: 'x' } });
const settings = '{ "kind": "ConfigMap", "apiVersion": "v1", "metadata": { "name": "settings", "namespace": "shop" } }';

/** Calls with `JSON.rawJSON` and without. Node 20 has none: there a raw number is a text in brackets, which are cut afterwards. */
async function withAndWithoutRawJSON(call) {
  const { rawJSON, stringify: native } = JSON;
  const simulated = { rawJSON: (text) => `<${text}>`, stringify: (...args) => native(...args).replace(/"<([^"]*)>"/g, '$1') };
  try {
    for (const has of [true, false]) {
      Object.assign(JSON, { rawJSON: undefined, stringify: native }, has && (rawJSON ? { rawJSON } : simulated));
      await call(has);
    }
  } finally {
    Object.assign(JSON, { rawJSON, stringify: native });
  }
}

test('each large integer becomes a number, and nothing else changes', () => withAndWithoutRawJSON((has) => {
  const value = { big: 12345678901234567890n, low: [-9007199254740993n, 0n], text: '12', small: 1, no: null, yes: true };
  assert.equal(stringify(value), '{"big":12345678901234567890,"low":[-9007199254740993,0],"text":"12","small":1,"no":null,"yes":true}', `rawJSON: ${has}`);
}));

test('JSON text that is created or applied is sent as it is, to its object', async () => {
  const { client, asked, bodies } = await clientStage(server);
  await client.create(settings);
  await client.apply(settings);
  assert.deepEqual(asked.slice(1), [
    'POST /api/v1/namespaces/shop/configmaps?fieldManager=kube-informer',
    'PATCH /api/v1/namespaces/shop/configmaps/settings?fieldManager=kube-informer',
  ]);
  assert.deepEqual(bodies.slice(1), [settings, settings]);
});

test('an object that is applied by a reference goes to the reference', async () => {
  const { client, asked } = await clientStage(server);
  await client.apply({ spec: {} }, { ref: web });
  assert.deepEqual(asked, ['PATCH /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kube-informer']);
});

test('a delete has the options that were given, and no others', async () => {
  const { client, bodies, types } = await clientStage(server);
  await client.delete(web);
  await client.delete(web, { propagation: 'background', resourceVersion: '7' });
  await client.delete(web, { propagation: 'orphan' });
  const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
  assert.deepEqual(bodies.map((body) => JSON.parse(body)), [
    options,
    { ...options, propagationPolicy: 'Background', preconditions: { resourceVersion: '7' } },
    { ...options, propagationPolicy: 'Orphan' },
  ]);
  assert.deepEqual(types, Array(3).fill('application/json'));
});

test('an eviction has the options that were given, and no others', async () => {
  const { client, bodies, types } = await clientStage(server);
  await client.evict(pod);
  await client.evict(pod, { dryRun: true });
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0', namespace: 'shop' } };
  assert.deepEqual(bodies.map((body) => JSON.parse(body)), [{ ...eviction, deleteOptions: {} }, { ...eviction, deleteOptions: { dryRun: ['All'] } }]);
  assert.deepEqual(types, ['application/json', 'application/json']);
});

test('a response may have no warning, one of a named agent, and warnings of other codes', async () => {
  const headers = [{}, { warning: '299 apiserver "of an agent"' }, { warning: '199 - "of another code"' }];
  const { client } = await clientStage(() => json({}, { headers: headers.shift() }));
  const warnings = [];
  for (let turn = 0; turn < 3; turn++) await client.patch(web, {}, { onWarning: (warning) => warnings.push(warning) });
  assert.deepEqual(warnings, ['of an agent']);
});
