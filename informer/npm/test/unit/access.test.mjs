// Access: headers, credentials and `fetch` of requests of the engine and of the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Access } from '../../src/access.js';
import { connectTo } from '../../src/connect.js';
import { clientStage, failure, json } from './client-stage.mjs';
import { Page, settle } from './engine.mjs';

globalThis.location ??= { href: 'http://page/dir/index.html' };

const refused = (options) => {
  try {
    new Access(options);
  } catch ({ code, message }) {
    return `${code}: ${message}`;
  }
};

test('the options are validated, and each error names the option', () => {
  for (const [options, message] of [
    [{ headers: { 'no name': 'x' } }, /`headers` must be valid HTTP headers \(a name or a value is not\), or a function/],
    [{ headers: 5 }, /`headers` must be valid HTTP headers/],
    [{ credentials: 'all' }, /`credentials` must be "same-origin", "include" or "omit"/],
    [{ fetch: 'fetch' }, /`fetch` must be a function/],
    [{ user: '' }, /`user` must be a name/],
    [{ user: 7 }, /`user` must be a string/],
    [{ maxStreams: 0 }, /`maxStreams` must be a whole number, 1 or more/],
    [{ backoff: 800 }, /`backoff` must be an object/],
    [{ backoff: { initial: 800 } }, /`backoff.initial` must be absent: the options are initialMs, maxMs and factor/],
    [{ backoff: { initialMs: 0 } }, /`backoff.initialMs` must be a whole number, 1 or more/],
    [{ backoff: { initialMs: 500, maxMs: 100 } }, /`backoff.maxMs` must be at least `backoff.initialMs`/],
    [{ backoff: { factor: 0.5 } }, /`backoff.factor` must be a number, 1 or more/],
    [{ backoff: { factor: Infinity } }, /`backoff.factor` must be finite/],
  ]) {
    assert.match(refused(options) ?? 'accepted', new RegExp(`^bad-request: ${message.source}`), JSON.stringify(options));
  }
  assert.equal(refused({}), undefined);
});

test('the engine gets what was given, with the defaults of a partial backoff', () => {
    const headers = { Authorization: 'Bearer x' };
  assert.deepEqual(new Access({ headers, credentials: 'include', user: 'zoe', maxStreams: 2 }).options, {
    type: 'connectAs', headers: [['authorization', 'Bearer x']], credentials: 'include', user: 'zoe', maxStreams: 2,
  });
  assert.deepEqual(new Access({ headers: () => headers, backoff: {} }).options, {
    type: 'connectAs', asksHeaders: true, backoff: { initialMs: 800, maxMs: 30_000, factor: 2 },
  });
  assert.deepEqual(new Access({ backoff: { initialMs: 60_000 } }).options.backoff, { initialMs: 60_000, maxMs: 60_000, factor: 2 });
});

test('the engine’s question is answered by the function, each time', async () => {
  let calls = 0;
  const page = await Page.connected({ access: { headers: async () => [['X-Call', `${++calls}`]] } });
  for (const request of [3, 4]) page.engine.say({ type: 'askHeaders', request });
  await settle();
  assert.deepEqual(page.engine.take('headers'), [
    { type: 'headers', request: 3, headers: [['x-call', '1']] },
    { type: 'headers', request: 4, headers: [['x-call', '2']] },
  ]);
});

test('a function that throws, rejects or returns nonsense is an answer, too', async () => {
  for (const [headers, error] of [
    [() => { throw new Error('logged out'); }, 'logged out'],
    [() => Promise.reject('no token'), 'no token'],
    [() => ({ 'no name': '' }), /`headers` must be valid HTTP headers/],
    [() => 7, /`headers` must be valid HTTP headers/],
  ]) {
    const page = await Page.connected({ access: { headers } });
    page.engine.say({ type: 'askHeaders', request: 3 });
    await settle();
    const [answer] = page.engine.take('headers');
    assert.match(answer.error, error instanceof RegExp ? error : new RegExp(`^${error}$`));
  }
  const page = await Page.connected({ access: { headers: () => undefined } });
  page.engine.say({ type: 'askHeaders', request: 3 });
  await settle();
  assert.deepEqual(page.engine.take('headers')[0].headers, [], 'nothing is no headers');
});

test('no error contains a credential', async () => {
  const broken = { authorization: 'Bearer s3cret\nx' };
  assert.doesNotMatch(refused({ headers: broken }), /s3cret/);
  const page = await Page.connected({ access: { headers: () => broken } });
  page.engine.say({ type: 'askHeaders', request: 3 });
  await settle();
  assert.doesNotMatch(page.engine.take('headers')[0].error, /s3cret/);
});

test('WebSockets are for users without headers, fetch and "omit"', () => {
  assert.equal(new Access({ maxStreams: 2 }).allowsSockets, true);
  for (const options of [{ headers: {} }, { headers: () => ({}) }, { fetch }, { credentials: 'omit' }]) assert.equal(new Access(options).allowsSockets, false);
});

test('a request of the page has the user’s headers and credentials, and its own headers replace those', async () => {
  const access = { headers: { Authorization: 'Bearer x', Accept: 'text/plain' }, credentials: 'include' };
  const sent = [];
  const stage = await clientStage((method, path, { headers, credentials }) => {
    sent.push([headers.get('authorization'), headers.get('accept'), credentials]);
    return json({});
  }, { access });
  await stage.client.request('/version');
  await stage.client.request('/version', { headers: { accept: 'application/yaml', authorization: 'Basic y' } });
  assert.deepEqual(sent, [['Bearer x', 'text/plain', 'include'], ['Basic y', 'application/yaml', 'include']]);
});

test('a 401 asks a function once more, and constant headers not', async () => {
  let calls = 0;
  const answers = (statuses) => () => (statuses.shift() === 401 ? failure(401, 'Unauthorized', 'expired') : json({}));
  const headers = () => ({ authorization: `Bearer ${++calls}` });
  const renewed = await clientStage(answers([401, 200]), { access: { headers } });
  assert.equal((await renewed.client.request('/version')).status, 200);
  assert.equal(calls, 2);
  assert.equal(renewed.leases.size, 0, 'the slot is returned');

  const twice = await clientStage(answers([401, 401, 200]), { access: { headers } });
  await assert.rejects(twice.client.get({ resource: 'v1/pods', namespace: 'a', name: 'b' }), { code: 'unauthorized', status: 401 });
  assert.equal(twice.asked.length, 2);

  const constant = await clientStage(answers([401, 200]), { access: { headers: { authorization: 'x' } } });
  assert.equal((await constant.client.request('/version')).status, 401);
});

test('a body that can be read only once is not sent again', async () => {
  const stage = await clientStage(() => failure(401, 'Unauthorized', 'expired'), { access: { headers: () => ({}) } });
  const body = new Response('{}').body;
  assert.equal((await stage.client.request('/api/v1/pods', { method: 'POST', body })).status, 401);
  assert.equal(stage.asked.length, 1);
});

test('a function that fails rejects the request, which is not sent', async () => {
  const stage = await clientStage(() => json({}), { access: { headers: () => Promise.reject(new Error('logged out')) } });
  await assert.rejects(stage.client.request('/version'), {
    code: 'unauthorized', message: 'the `headers` function failed: logged out', request: 'GET /version',
  });
  assert.deepEqual([stage.asked, stage.leases.size], [[], 0]);
});

test('a function that never answers is ended by the signal', async () => {
  const stage = await clientStage(() => json({}), { access: { headers: () => new Promise(() => {}) } });
  const abort = new AbortController();
  const request = stage.client.request('/version', { signal: abort.signal });
  await settle();
  abort.abort(new Error('enough'));
  await assert.rejects(request, { message: 'enough' });
  assert.equal(stage.leases.size, 0);
});

test('a function that never answers fails after ten seconds', async (context) => {
  const limit = AbortSignal.timeout;
  const limits = [];
  context.after(() => (AbortSignal.timeout = limit));
  AbortSignal.timeout = (ms) => (limits.push(ms), AbortSignal.abort(new DOMException('late', 'TimeoutError')));
  const stage = await clientStage(() => json({}), { access: { headers: () => new Promise(() => {}) } });
  await assert.rejects(stage.client.request('/version'), { code: 'timeout', message: /has not answered within 10 seconds/ });
  assert.deepEqual(limits, [10_000]);
});

test('a page’s own `fetch` sends its requests, with a URL and options', async () => {
  const sent = [];
  const own = async function (url, init) {
    sent.push([this, typeof url, url, init.method]);
    return new Response('{}');
  };
  const stage = await clientStage(() => assert.fail('the global fetch is not used'), { access: { fetch: own } });
  assert.equal((await stage.client.request('/version')).status, 200);
  assert.deepEqual(sent, [[undefined, 'string', 'http://server/version?pretty=0', 'GET']]);
});

test('a `fetch` runs in the page, and in no worker of the package', async () => {
  for (const worker of ['shared', 'dedicated', 'elected']) {
    await assert.rejects(connectTo({ fetch, worker }), { code: 'bad-request', message: /`fetch` must be used with `worker: false`/ });
  }
});
