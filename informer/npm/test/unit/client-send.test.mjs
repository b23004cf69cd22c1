// Sender of the client: what each request carries, its time limit, its connection slot, and a body that is a stream.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { settle, state, until } from './engine.mjs';

const web = { resource: 'apps/v1/deployments', namespace: 'shop', name: 'web' };

test('a request is not cached, follows no redirect, and asks for compact JSON', async (t) => {
  const sent = [];
  const { client } = await clientStage(() => json({}));
  t.mock.method(globalThis, 'fetch', async (url, { method, cache, redirect, headers, body }) => {
    sent.push([method, new URL(url).search, cache, redirect, Object.fromEntries(headers), body]);
    return json({});
  });
  await client.request('/x');
  await client.request('/x?pretty=true&a=1', { headers: { accept: 'text/plain', 'content-type': 'text/css' } });
  await client.patch(web, {});
  assert.deepEqual(sent, [
    ['GET', '?pretty=0', 'no-store', 'error', { accept: 'application/json' }, undefined],
    ['GET', '?pretty=true&a=1', 'no-store', 'error', { accept: 'text/plain', 'content-type': 'text/css' }, undefined],
    ['PATCH', '?fieldManager=kube-informer&pretty=0', 'no-store', 'error', { accept: 'application/json', 'content-type': 'application/merge-patch+json' }, '{}'],
  ]);
});

test('a response keeps its status and headers, also one that has no body', async () => {
  const { client } = await clientStage((_, path) => new Response(path === '/text' ? 'x' : null, { status: path === '/text' ? 299 : Number(path.slice(1)), statusText: 'So', headers: { a: 'b' } }));
  for (const path of ['/204', '/205', '/304', '/text']) {
    const response = await client.request(path);
    assert.deepEqual([response.status, response.statusText, response.headers.get('a'), await response.text()], [path === '/text' ? 299 : Number(path.slice(1)), 'So', 'b', path === '/text' ? 'x' : '']);
    assert.equal((await client.request(path, { stream: true })).status, response.status);
  }
});

test('an error names its request without the query', async () => {
  const answers = [() => new Response('<html>'), () => failure(404, 'NotFound', 'no'), () => Promise.reject(new TypeError('Failed to fetch')), () => failure(404, 'NotFound', 'no')];
  const { client } = await clientStage(() => answers.shift()());
  const errors = [];
  for (let turn = 0; turn < 3; turn++) errors.push(await client.patch(web, {}).catch((error) => error));
  errors.push(await client.request('/x?token=1', { throwOnError: true }).catch((error) => error));
  const path = 'PATCH /apis/apps/v1/namespaces/shop/deployments/web';
  assert.deepEqual(errors.map(({ code, request }) => [code, request]), [['decode', path], ['not-found', path], ['network', path], ['not-found', 'GET /x']]);
  assert.ok(errors[0].cause instanceof SyntaxError);
  const { client: other } = await clientStage(() => new Response('x'.repeat(81)));
  await assert.rejects(other.get(web), { message: `expected JSON, received "${'x'.repeat(80)}". Check which server has this URL.` });
});

test('a request has thirty seconds by default, and no limit that a timer cannot hold', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { client, asked } = await clientStage(() => new Promise(() => {}));
  const requests = [client.get(web), client.request('/x'), client.get(web, { timeoutMs: 2 ** 31 }), client.request('/x', { timeoutMs: Infinity }),
    client.request('/x', { stream: true }), client.get(web, { timeoutMs: 40_000 })];
  for (const request of requests) request.catch(() => {});
  await until(() => asked.length === requests.length);
  t.mock.timers.tick(29_999);
  assert.equal(await state(Promise.race(requests)), 'pending');
  t.mock.timers.tick(1);
  const late = 'no complete response within 30 s. It may still take effect: read the object before you repeat a write.';
  assert.deepEqual(await Promise.all(requests.map(state)), [late, late, 'pending', 'pending', 'pending', 'pending']);
  t.mock.timers.tick(10_000);
  assert.deepEqual(await Promise.all(requests.slice(2).map(state)), ['pending', 'pending', 'pending', late.replace('30', '40')]);
});

test('a body that is lost while it is read is an error of the request', async () => {
  const broken = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }));
  const { client, leases } = await clientStage(broken);
  await assert.rejects(client.request('/x'), { code: 'network', request: 'GET /x', message: 'the connection was lost (terminated)' });
  const response = await client.request('/x', { stream: true });
  await assert.rejects(response.text(), { code: 'network', request: 'GET /x', message: 'the connection was lost (terminated)' });
  assert.equal(leases.size, 0);
});

test('a signal that ends a body is its error', async () => {
  const { client, leases } = await clientStage((_, __, { signal }) => new Response(new ReadableStream({
    start: (controller) => signal.addEventListener('abort', () => controller.error(new TypeError('aborted by the platform'))),
  })));
  for (const stream of [false, true]) {
    const gone = new AbortController();
    const reading = client.request('/x', { stream, signal: gone.signal }).then((response) => response.text());
    await until(() => leases.size === 1);
    for (let turn = 0; turn < 20; turn++) await settle();
    gone.abort(new Error('left'));
    await assert.rejects(reading, { message: 'left' });
    assert.equal(leases.size, 0);
  }
});

test('a stream is read no faster than its reader takes it, and returns its slot at its end', async () => {
  let pulled = 0;
  const { client, leases } = await clientStage(() => new Response(new ReadableStream({
    pull: (controller) => (++pulled < 4 ? controller.enqueue(new Uint8Array([pulled])) : controller.close()),
  }, { highWaterMark: 0 })));
  const { body } = await client.request('/x', { stream: true });
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.equal(pulled, 0);
  const reader = body.getReader();
  for (const value of [1, 2, 3]) assert.equal((await reader.read()).value[0], value);
  assert.equal(leases.size, 1);
  assert.equal((await reader.read()).done, true);
  assert.equal(leases.size, 0);
});

test('a request that is over has no listener at the signal, and its slot is returned once', async () => {
  const { signal } = new AbortController();
  const { client, page } = await clientStage(() => json({}));
  await client.get(web, { signal });
  await (await client.request('/x', { stream: true, signal })).text();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  assert.equal(page.engine.take('cancel').length, 2);
});

test('a slot that is granted does not end its request, and one that is refused does', async () => {
  const stage = await clientStage(() => json({}));
  stage.grants = false;
  const request = stage.client.get(web);
  request.catch(() => {});
  await until(() => stage.leases.size === 1);
  const [lease] = stage.leases.values();
  stage.page.engine.refuse(lease, 'internal', 'no slot');
  await assert.rejects(request, { code: 'internal', message: 'no slot' });
  assert.deepEqual([stage.asked, stage.leases.size], [[], 0]);
});

test('a function of headers may fail with anything, and its time limit names the request', async (t) => {
  const { client } = await clientStage(() => json({}), { access: { headers: () => Promise.reject(undefined) } });
  await assert.rejects(client.request('/x'), { code: 'unauthorized', message: 'the `headers` function failed: undefined', request: 'GET /x' });
  t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(new DOMException('late', 'TimeoutError')));
  const silent = await clientStage(() => json({}), { access: { headers: () => new Promise(() => {}) } });
  await assert.rejects(silent.client.request('/x?a'), { code: 'timeout', request: 'GET /x' });
});

test('a response without a body that asks for new headers is tried once more', async () => {
  const answers = [new Response(null, { status: 401 }), json({ a: 1 })];
  const { client } = await clientStage(() => answers.shift(), { access: { headers: () => ({}) } });
  assert.deepEqual(await client.get(web), { a: 1 });
});

test('a response that is no 401 is not asked for again, also with a function of headers', async () => {
  const { client, asked } = await clientStage(() => failure(403, 'Forbidden', 'no'), { access: { headers: () => ({}) } });
  await assert.rejects(client.get(web), { code: 'forbidden' });
  assert.equal(asked.length, 1);
});
