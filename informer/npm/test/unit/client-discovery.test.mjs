// Discovery of kinds by the client: its requests, how long a document is cached, and kinds that the server lacks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';

const object = (apiVersion, kind, namespace) => ({ apiVersion, kind, metadata: { name: 'x', namespace } });
const pod = object('v1', 'Pod', 'n');
const pods = { name: 'pods', kind: 'Pod', namespaced: true };
const nodes = { name: 'nodes', kind: 'Node', namespaced: false };
const isDiscovery = (one) => /^GET \/apis?(\/[^/]+)?\/[^/]+$/.test(one);

/** A client of a server that has `kinds.v1`, with a clock that the test moves; `discoveries()` are its requests for documents. */
async function discovering(t, kinds, answer = () => json({})) {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  const stage = await clientStage((method, path) => (isDiscovery(`${method} ${path}`) ? (kinds.v1 ? json({ resources: kinds.v1 }) : answer()) : json({})));
  return { ...stage, discoveries: () => stage.asked.filter(isDiscovery) };
}

test('the document of a group has its path, and subresources are not kinds', async (t) => {
  const { client, asked } = await discovering(t, { v1: [{ name: 'deployments/scale', kind: 'Scale', namespaced: true }, { name: 'things', kind: 'Thing', namespaced: true }] });
  await client.get(object('example.com/v1', 'Thing', 'n'));
  assert.deepEqual(asked, ['GET /apis/example.com/v1', 'GET /apis/example.com/v1/namespaces/n/things/x']);
  await assert.rejects(client.get(object('example.com/v1', 'Scale', 'n')), { code: 'not-found' });
});

test('a version is a segment of the path, whatever it contains', async (t) => {
  const { client, asked } = await discovering(t, { v1: [pods] });
  await client.get(object('v 1', 'Pod', 'n'));
  assert.equal(asked[0], 'GET /api/v%201');
});

test('a namespace given for a kind without one is left out, also of a write to its subresource', async (t) => {
  const { client, asked } = await discovering(t, { v1: [nodes] });
  await client.get(object('v1', 'Node', 'n'));
  await client.create(object('v1', 'Node', 'n'));
  await client.scale(object('v1', 'Node', 'n'), 1);
  assert.deepEqual(asked.slice(1), ['GET /api/v1/nodes/x', 'POST /api/v1/nodes?fieldManager=kube-informer', 'PATCH /api/v1/nodes/x/scale?fieldManager=kube-informer']);
});

test('what is missing in an object is named as it is there', async (t) => {
  const { client } = await discovering(t, { v1: [pods, nodes] });
  await assert.rejects(client.get({ apiVersion: 'v1', kind: 'Node' }), { code: 'bad-request', message: 'name the object of nodes in `metadata.name`' });
  await assert.rejects(client.get(object('v1', 'Pod')), { code: 'bad-request', message: 'Pod lives in a namespace: name it in `metadata.namespace`' });
});

test('a document is cached for five minutes', async (t) => {
  const { client, discoveries } = await discovering(t, { v1: [pods] });
  await client.get(pod);
  t.mock.timers.tick(300_000);
  await client.get(pod);
  assert.equal(discoveries().length, 1);
  t.mock.timers.tick(1);
  await client.get(pod);
  assert.equal(discoveries().length, 2);
});

test('a kind that is missing is looked for again after five seconds: its definition may be new', async (t) => {
  const kinds = { v1: [pods] };
  const { client, discoveries } = await discovering(t, kinds);
  const gadget = object('v1', 'Gadget', 'n');
  const missing = { code: 'not-found', retryable: true, request: 'GET /api/v1', message: 'the server has no kind "Gadget" in v1. Check both, or install its definition.' };
  await assert.rejects(client.get(gadget), missing);
  kinds.v1 = [...kinds.v1, { name: 'gadgets', kind: 'Gadget', namespaced: true }];
  t.mock.timers.tick(5_000);
  await assert.rejects(client.get(gadget), missing);
  await client.get(pod);
  assert.equal(discoveries().length, 1, 'the document is new enough');
  t.mock.timers.tick(1);
  assert.deepEqual(await client.get(gadget), {});
  assert.equal(discoveries().length, 2);
  await client.get(pod);
  assert.equal(discoveries().length, 2, 'a kind that is known needs none');
});

test('a group that the server lacks has no kinds, and another failure is its error', async (t) => {
  const answers = [() => failure(404, 'NotFound', 'no'), () => json({}), () => failure(403, 'Forbidden', 'no'), () => new Response('<html>')];
  const { client } = await discovering(t, {}, () => answers.shift()());
  const errors = [];
  for (const version of ['a/v1', 'b/v1', 'c/v1', 'd/v1']) errors.push(await client.get(object(version, 'Thing', 'n')).catch((error) => error));
  assert.deepEqual(errors.map(({ code, request }) => [code, request]),
    [['not-found', 'GET /apis/a/v1'], ['not-found', 'GET /apis/b/v1'], ['forbidden', 'GET /apis/c/v1'], ['decode', 'GET /apis/d/v1']]);
  assert.match(errors[1].message, /no kind "Thing" in b\/v1/);
});
