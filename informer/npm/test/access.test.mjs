// Access to the apiserver: headers that expire, pages that share a user, a page's own `fetch`, a limit of streams.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const { front } = stage;
const options = { timeout: PATIENCE };

/** The tokens of the requests so far, and the one that the server accepts. */
let tokens = [];
let accepted = 'token-1';
const gate = ({ url, headers }) => {
  if (!url.startsWith('/api') || headers['x-test']) return undefined;
  tokens.push(headers.authorization?.replace('Bearer ', ''));
  return headers.authorization === `Bearer ${accepted}` ? undefined : 401;
};

let context;
const opened = async () => {
  context ??= await stage.browser.newContext();
  return openPage(stage, context);
};
afterEach(async () => {
  front.asked.length = 0;
  [front.gate, tokens, accepted] = [() => undefined, [], 'token-1'];
  await context?.close();
  context = undefined;
});

/** In a page: `window.token` is the user's token; the function counts its calls, and renews the token when it is called again at once. */
const connectWithTokens = (page, worker, more = {}) =>
  page.evaluate(async ([worker, more]) => {
    const { connect } = await import('kube-informer');
    Object.assign(window, { token: 'token-1', calls: 0, failures: [] });
    const headers = async () => (calls++, { Authorization: `Bearer ${token}` });
    window.factory = await connect({ worker, headers, ...more });
    window.maps = factory.forResource('v1/configmaps', { namespace: 'default' });
    maps.addEventListener('error', ({ error }) => failures.push(`${error.code}: ${error.message}`));
    factory.start();
  }, [worker, more]);

for (const worker of ['shared', 'elected', 'dedicated', false]) {
  test(`each request has the headers of the page's function, and a renewed token after a 401 (${worker || 'in the page'})`, options, async () => {
    front.gate = gate;
    const { page, errors } = await opened();
    await connectWithTokens(page, worker);
    await page.evaluate(() => factory.waitForCacheSync());
    await eventually('the list and the watch', () => tokens.length >= 2);
    assert.ok(tokens.every((token) => token === 'token-1'), tokens.join());
    assert.equal(front.sockets.size, 0, 'a WebSocket has no headers');

    // The token expires. The page renews it, which the engine notices at its next request.
    accepted = 'token-2';
    const read = await page.evaluate(async () => {
      const { token: old } = window;
      const asked = calls;
      const request = factory.client.request('/api/v1/namespaces/default/configmaps');
      window.token = 'token-2';
      const { status } = await request;
      return { status, old, again: calls - asked };
    });
    assert.equal(read.status, 200);
    front.goAway();
    front.comeBack();
    await eventually('the watch of the new token', () => front.streams('/configmaps') === 1);
    await page.evaluate(() => until('live', () => maps.status.freshness === 'live'));
    assert.equal(tokens.at(-1), 'token-2');
    assert.ok((await page.evaluate('failures')).every((failure) => failure.startsWith('network')), 'no 401 is an error of the informer');
    assert.deepEqual(errors, []);
  });
}

test('a token that is rejected, and a function that fails, are errors of the informer, and it recovers', options, async () => {
  front.gate = gate;
  accepted = 'other';
  const { page, errors } = await opened();
  await connectWithTokens(page, 'shared', { backoff: { initialMs: 50, maxMs: 100 } });
  await page.evaluate(() => until('rejected', () => failures.some((failure) => failure.startsWith('unauthorized'))));
  assert.equal(await page.evaluate('maps.status.freshness'), 'forbidden');
  assert.ok(tokens.length % 2 === 0 || tokens.length > 2, 'each attempt asks twice');
  await page.evaluate(() => (window.token = 'other'));
  await page.evaluate(() => until('live', () => maps.status.freshness === 'live'));
  assert.ok(!JSON.stringify(await page.evaluate('failures')).includes('token-1'), 'no error has a token');
  assert.deepEqual(errors, []);
});

test('two pages with the same user share informers, and one answers for the other', options, async () => {
  front.gate = gate;
  const first = await opened();
  await connectWithTokens(first.page, 'shared', { user: 'zoe' });
  await first.page.evaluate(() => factory.waitForCacheSync());
  const second = await opened();
  await connectWithTokens(second.page, 'shared', { user: 'zoe' });
  await second.page.evaluate(() => factory.waitForCacheSync());
  const lists = () => front.asked.filter((url) => url.includes('/configmaps') && !url.includes('watch=true')).length;
  assert.equal(lists(), 1, 'the second page lists nothing');
  await second.page.close();
  front.goAway();
  front.comeBack();
  await eventually('the watch, with the headers of the first page', () => front.streams('/configmaps') === 1);
  const stranger = await opened();
  await connectWithTokens(stranger.page, 'shared');
  await stranger.page.evaluate(() => factory.waitForCacheSync());
  assert.ok(lists() >= 2, 'a page without a named user shares with none');
  assert.deepEqual([first.errors, stranger.errors], [[], []]);
});

test('a page’s own `fetch` sends everything, and `maxStreams` limits the watches', options, async () => {
  const { page, errors } = await opened();
  const result = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    let open = 0;
    let most = 0;
    const sent = [];
    const own = async (url, init) => {
      const isWatch = url.includes('watch=true');
      sent.push(url);
      if (typeof url !== 'string' || !init.signal || init.method !== 'GET') throw new Error('not the arguments of fetch');
      if (isWatch) most = Math.max(most, ++open);
      const response = await fetch(url, init).catch((error) => {
        if (isWatch) open--;
        throw error;
      });
      if (!isWatch) return response;
      const ended = () => open--;
      init.signal.addEventListener('abort', ended, { once: true });
      return response;
    };
    const factory = await connect({ fetch: own, maxStreams: 1 });
    const all = ['v1/pods', 'v1/configmaps', 'v1/nodes'].map((name) => factory.forResource(name));
    factory.start();
    const synced = await factory.waitForCacheSync();
    await until('each had its turn', () => ['/pods?', '/configmaps?', '/nodes?'].every((part) => sent.some((url) => url.includes(part) && url.includes('watch=true'))));
    const { connections } = await factory.inspect();
    await factory.client.request('/version');
    await factory.shutdown();
    return { synced: Object.values(synced), most, limit: connections.streams.limit, isLastVersion: sent.at(-1).includes('/version') };
  });
  assert.deepEqual(result, { synced: [true, true, true], most: 1, limit: 1, isLastVersion: true });
  assert.equal(front.sockets.size, 0, 'no WebSocket goes around the function');
  assert.deepEqual(errors, []);
});
