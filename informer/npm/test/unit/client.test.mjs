// Client: the requests of its methods, and the return of connection slots.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { until } from './engine.mjs';
import { reader } from '../../src/numbers.js';

const web = { resource: 'apps/v1/deployments', namespace: 'shop', name: 'web' };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' }, data: { mode: 'fast' } };
const CORE = { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }, { name: 'pods', kind: 'Pod', namespaced: true },
  { name: 'pods/log', kind: 'Pod', namespaced: true }, { name: 'namespaces', kind: 'Namespace', namespaced: false }] };
const server = (method, path) => json(path === '/api/v1' ? CORE : { metadata: { name: 'x' } });
const rejects = (promise, code, message) =>
  assert.rejects(promise, (error) => error.name === 'InformerError' && error.code === code && (message === undefined || message.test(error.message)) || assert.fail(`${error.code}: ${error.message}`));

test('an object is read by its resource, and by its kind after one discovery', async () => {
  const { client, asked, leases } = await clientStage(server);
  assert.deepEqual(await client.get(web), { metadata: { name: 'x' } });
  await client.get({ ...web, subresource: 'scale' });
  await client.get({ resource: 'v1/nodes', name: 'n:1' });
  await client.get(settings);
  await client.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  assert.deepEqual(asked, [
    'GET /apis/apps/v1/namespaces/shop/deployments/web',
    'GET /apis/apps/v1/namespaces/shop/deployments/web/scale',
    'GET /api/v1/nodes/n:1',
    'GET /api/v1',
    'GET /api/v1/namespaces/shop/configmaps/settings',
    'GET /api/v1/namespaces/shop',
  ]);
  assert.equal(leases.size, 0, 'every slot was returned');
});

test('objects of one version that are read at once take one discovery', async () => {
  let answer;
  const answered = new Promise((resolve) => (answer = resolve));
  const { client, asked } = await clientStage(async (...request) => {
    await answered;
    return server(...request);
  });
  const gone = new AbortController();
  const first = client.get(settings, { signal: gone.signal });
  const others = Promise.all([client.get(settings), client.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })]);
  await until(() => asked.length > 0);
  gone.abort(new Error('left'));
  await assert.rejects(first, { message: 'left' });
  answer();
  await others;
  assert.deepEqual(asked.filter((one) => one === 'GET /api/v1'), ['GET /api/v1']);
});

test('a discovery that fails is not kept', async () => {
  let fails = true;
  const { client } = await clientStage((method, path) => (fails ? failure(500, 'InternalError', 'no') : server(method, path)));
  await rejects(client.get(settings), 'internal');
  fails = false;
  assert.deepEqual(await client.get(settings), { metadata: { name: 'x' } });
});

test('writes name their manager, how they write, and whether it is a dry run', async () => {
  const { client, asked, bodies, types } = await clientStage(server);
  await client.create(settings, { dryRun: true });
  await client.apply({ ...settings, metadata: { ...settings.metadata, managedFields: [1] } }, { force: true, fieldValidation: 'Strict' });
  await client.apply('kind: ConfigMap', { ref: settings, fieldManager: 'me' });
  await client.patch(web, { spec: { paused: true } });
  await client.patch(web, [{ op: 'remove', path: '/spec/paused' }], { dryRun: true });
  await client.patch(web, {}, { type: 'strategic' });
  await client.scale(web, 3);
  assert.deepEqual(asked.slice(1), [
    'POST /api/v1/namespaces/shop/configmaps?fieldManager=kube-informer&dryRun=All',
    'PATCH /api/v1/namespaces/shop/configmaps/settings?fieldManager=kube-informer&force=true&fieldValidation=Strict',
    'PATCH /api/v1/namespaces/shop/configmaps/settings?fieldManager=me',
    'PATCH /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kube-informer',
    'PATCH /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kube-informer&dryRun=All',
    'PATCH /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kube-informer',
    'PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=kube-informer',
  ]);
  assert.deepEqual(types.slice(1), ['application/json', 'application/apply-patch+yaml', 'application/apply-patch+yaml',
    'application/merge-patch+json', 'application/json-patch+json', 'application/strategic-merge-patch+json', 'application/merge-patch+json']);
  assert.deepEqual(JSON.parse(bodies[2]), settings, 'managedFields are left out');
  assert.equal(bodies[3], 'kind: ConfigMap');
  assert.deepEqual(JSON.parse(bodies[7]), { spec: { replicas: 3 } });
});

test('deletes and evictions have their options in the body', async () => {
  const { client, asked, bodies } = await clientStage(server);
  await client.delete(web, { propagation: 'foreground', uid: 'u', gracePeriodSeconds: 0, dryRun: true });
  await client.evict({ resource: 'v1/pods', namespace: 'shop', name: 'web-0' }, { gracePeriodSeconds: 5, uid: 'u' });
  assert.deepEqual(asked, ['DELETE /apis/apps/v1/namespaces/shop/deployments/web', 'POST /api/v1/namespaces/shop/pods/web-0/eviction']);
  assert.deepEqual(JSON.parse(bodies[0]), { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground', gracePeriodSeconds: 0,
    preconditions: { uid: 'u' }, dryRun: ['All'] });
  assert.deepEqual(JSON.parse(bodies[1]), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0', namespace: 'shop' },
    deleteOptions: { gracePeriodSeconds: 5, preconditions: { uid: 'u' } } });
});

test('integers beyond 2^53 keep their digits both ways', async () => {
  const text = '{"metadata":{"name":"x"},"spec":{"big":12345678901234567890}}';
  for (const rawJSON of [JSON.rawJSON, undefined]) {
    const before = JSON.rawJSON;
    JSON.rawJSON = rawJSON;
    try {
      const { client, bodies } = await clientStage(() => new Response(text), { parse: reader('bigint') });
      const object = await client.get(web);
      assert.equal(object.spec.big, 12345678901234567890n);
      await client.patch(web, object);
      assert.equal(bodies[1], text);
    } finally {
      JSON.rawJSON = before;
    }
  }
});

test('warnings of the server are handed on', async () => {
  const warnings = [];
  const { client } = await clientStage(() => json({}, { headers: { warning: '299 - "v1 is \\"old\\", use v2", 299 - "second"' } }));
  await client.patch(web, {}, { onWarning: (warning) => warnings.push(warning) });
  assert.deepEqual(warnings, ['v1 is "old", use v2', 'second']);
});

test('a listener that throws on a warning does not fail the write', async (t) => {
  const { client } = await clientStage(() => json({ metadata: { name: 'x' } }, { headers: { warning: '299 - "first", 299 - "second"' } }));
  const [warnings, thrown] = [[], []];
  const { queueMicrotask } = globalThis;
  t.mock.method(globalThis, 'queueMicrotask', (callback) => queueMicrotask(() => {
    try {
      callback();
    } catch (error) {
      thrown.push(error.message);
    }
  }));
  const onWarning = (warning) => {
    warnings.push(warning);
    throw new Error(`of ${warning}`);
  };
  assert.deepEqual(await client.patch(web, {}, { onWarning }), { metadata: { name: 'x' } });
  await until(() => thrown.length === 2);
  assert.deepEqual([warnings, thrown], [['first', 'second'], ['of first', 'of second']]);
});

test('arguments are checked before anything is sent', async () => {
  const { client, asked } = await clientStage(server);
  await rejects(client.get({ resource: 'v1/pods', namespace: 'a/b', name: 'x' }), 'bad-request', /`namespace`/);
  await rejects(client.get({ resource: 'v1/pods', namespace: 'a', name: '..' }), 'bad-request', /`name`/);
  await rejects(client.get({ resource: 'v1/pods', namespace: 'a' }), 'bad-request', /name the object of pods/);
  await rejects(client.get('v1/pods'), 'bad-request', /`ref`/);
  await rejects(client.get(web, { timeout: 1 }), 'bad-request', /no option `timeout`/);
  await rejects(client.apply('kind: ConfigMap'), 'bad-request', /`ref`/);
  await rejects(client.patch(web, 'x'), 'bad-request', /`patch`/);
  await rejects(client.patch(web, {}, { type: 'apply' }), 'bad-request', /`type`/);
  await rejects(client.delete(web, { propagation: 'Background' }), 'bad-request', /`propagation`/);
  await rejects(client.scale(web, -1), 'bad-request', /`replicas`/);
  await rejects(client.scale(web, 1, { type: 'json' }), 'bad-request', /scale\(\) has no option `type`/);
  await rejects(client.scale(web, 1, { typ: 'json' }), 'bad-request', /scale\(\) has no option `typ`/);
  for (const call of [client.patch(web, {}, { onWarning: 'log' }), client.delete(web, { onWarning: {} }), client.evict(web, { onWarning: 1 })]) {
    await rejects(call, 'bad-request', /`onWarning` must be a function/);
  }
  await rejects(client.request('version'), 'bad-request', /`path`/);
  await rejects(client.request('/version', { timeoutMs: 'soon' }), 'bad-request', /`timeoutMs`/);
  await rejects(client.request('/version', { body: '{}' }), 'bad-request', /`body`.*GET.*`method`/);
  await rejects(client.request('/version', { method: 'head', body: '{}' }), 'bad-request', /HEAD/);
  await rejects(client.can('', 'v1/pods'), 'bad-request', /`verb`/);
  assert.deepEqual(asked, []);
});

test('a path cannot leave the prefix of the apiserver', async () => {
  const { client, asked } = await clientStage(server, { url: 'http://server/k8s' });
  await rejects(client.request('/../secret'), 'bad-request', /not a path of the apiserver/);
  assert.deepEqual(asked, []);
  assert.equal((await client.request('/version')).status, 200);
  assert.deepEqual(asked, ['GET /k8s/version']);
});

test('an unknown kind, and an object without its namespace, are errors', async () => {
  const { client } = await clientStage(server);
  await rejects(client.get({ apiVersion: 'v1', kind: 'Gadget', metadata: { name: 'x' } }), 'not-found', /no kind "Gadget" in v1/);
  await rejects(client.create({ ...settings, metadata: { name: 'x' } }), 'bad-request', /metadata.namespace/);
});

test('a request waits for its slot, and a signal ends the wait', async () => {
  const stage = await clientStage(server);
  stage.grants = false;
  const gone = new AbortController();
  const first = stage.client.get(web);
  const second = stage.client.get(web, { signal: gone.signal });
  await until(() => stage.leases.size === 2);
  assert.deepEqual(stage.asked, []);
  gone.abort(new Error('left'));
  await assert.rejects(second, { message: 'left' });
  assert.equal(stage.leases.size, 1);
  stage.page.engine.answer([...stage.leases.values()][0], null);
  await first;
  assert.deepEqual([stage.asked.length, stage.leases.size], [1, 0]);
});

test('a request that times out is aborted, and returns its slot', async () => {
  const { client, leases } = await clientStage(() => new Promise(() => {}));
  await rejects(client.get(web, { timeoutMs: 20 }), 'timeout', /within 0.02 s/);
  assert.equal(leases.size, 0);
});

test('shutdown aborts requests in flight', async () => {
  const { client, factory, leases } = await clientStage(() => new Promise(() => {}));
  const pending = client.get(web);
  pending.catch(() => {});
  await until(() => leases.size === 1);
  factory.shutdown();
  await rejects(pending, 'closed');
  await rejects(client.get(web), 'closed');
});

test('a stream keeps its slot until it has been read, and loses it when it is revoked', async () => {
  const stage = await clientStage((_, __, { signal }) => new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array([65]));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  })));
  const read = async () => {
    const reader = (await stage.client.request('/big', { stream: true })).body.getReader();
    assert.equal((await reader.read()).value[0], 65);
    return reader;
  };
  const first = await read();
  assert.deepEqual([...stage.leases.values()].map(({ stream }) => stream), [true]);
  await first.cancel();
  assert.equal(stage.leases.size, 0);
  const second = await read();
  const [lease] = stage.leases.values();
  stage.page.engine.refuse(lease, 'aborted', 'the connection is another stream\'s turn');
  await rejects(second.read(), 'network', /another stream's turn/);
  assert.equal(stage.leases.size, 0);
});

test('a response without success is the caller’s with request(), and an error else', async () => {
  const { client } = await clientStage(() => failure(404, 'NotFound', 'deployments.apps "web" not found'));
  const response = await client.request('/x', { method: 'post', body: '{}' });
  assert.deepEqual([response.status, (await response.json()).reason], [404, 'NotFound']);
  await rejects(client.get(web), 'not-found', /^deployments.apps "web" not found\.$/);
});

test('request() with throwOnError rejects an error status with the same code as the other methods', async () => {
  for (const [status, reason, code] of [[400, 'BadRequest', 'bad-request'], [409, 'Conflict', 'conflict'], [410, 'Expired', 'expired'], [422, 'Invalid', 'invalid'], [429, 'TooManyRequests', 'throttled']]) {
    const { client } = await clientStage(() => failure(status, reason, 'no'));
    await rejects(client.request('/x', { throwOnError: true }), code, /^no\./);
    await rejects(client.get(web), code, /^no\./);
  }
  const proxy = await clientStage(() => new Response('dial tcp: connection refused', { status: 502 }));
  await rejects(proxy.client.request('/x?watch=1', { throwOnError: true }), 'network', /connection refused/);
  await rejects(proxy.client.request('/x', { throwOnError: true, stream: true }), 'network', /connection refused/);
  assert.equal(proxy.leases.size, 0);
  const { client } = await clientStage(() => new Response('{}'));
  assert.equal((await client.request('/x', { throwOnError: true })).status, 200);
  await rejects(client.request('/x', { throwOnError: 'yes' }), 'bad-request', /`throwOnError`/);
});

test('a response that is not JSON is an error', async () => {
  const { client } = await clientStage(() => new Response('<html>login</html>'));
  await rejects(client.get(web), 'decode', /<html>login/);
});

test('the client’s methods stay the same functions', async () => {
  const { client, factory } = await clientStage(server);
  assert.equal(factory.client, client);
  assert.equal(client.get, client.get);
});
