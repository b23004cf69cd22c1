// Opening of exec and attach: the address, the credential of the handshake, its time limit, and the reason of a failure.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { settle, state, until } from './engine.mjs';
import { Socket } from './socket.mjs';

const pod = { resource: 'v1/pods', namespace: 'n', name: 'p' };
const exec = { command: ['ls'], container: 'c' };

async function stageOf(answer = () => assert.fail('a request was sent'), options) {
  Socket.take();
  return clientStage(answer, options);
}

test('attach has no command, and is named in its errors', async () => {
  const { client } = await stageOf();
  const session = await client.attach(pod, { container: 'c', tty: true });
  assert.equal(Socket.made[0].url.href, 'ws://server/api/v1/namespaces/n/pods/p/attach?container=c&stdin=false&stdout=true&stderr=false&tty=true');
  assert.equal(Socket.made[0].binaryType, 'arraybuffer');
  session.close();
  await assert.rejects(session.exit, { message: 'attach in p has been closed', request: 'GET /api/v1/namespaces/n/pods/p/attach' });
});

test('attach without options reads the pod for its container', async () => {
  const { client, asked } = await stageOf(() => json({ spec: { containers: [{ name: 'first' }] } }));
  await client.attach(pod);
  assert.equal(Socket.made[0].url.searchParams.get('container'), 'first');
  assert.deepEqual(asked, ['GET /api/v1/namespaces/n/pods/p']);
});

test('a server by https is reached by wss', async () => {
  const { client } = await stageOf(undefined, { url: 'https://server' });
  await client.exec(pod, exec);
  assert.equal(Socket.made[0].url.protocol, 'wss:');
});

test('arguments are named in the errors', async () => {
  const { client } = await stageOf();
  const refuses = async (call, message) => assert.rejects(call, { code: 'bad-request', message });
  const command = '`command` must be an array of strings: ["sh", "-c", "ls"]';
  for (const wrong of [undefined, 'ls', [], ['ls', 1]]) await refuses(client.exec(pod, { command: wrong }), command);
  await refuses(client.exec(pod, { ...exec, container: 1 }), '`container` must be a string');
  await refuses(client.exec(pod, { ...exec, shell: 1 }), 'exec() has no option `shell`; its options are command, container, tty, stdin, signal');
  await refuses(client.attach(pod, exec), 'attach() has no option `command`; its options are container, tty, stdin, signal');
  await refuses(client.exec({ resource: 'v1/nodes', name: 'x' }, exec), 'exec() wants a pod, not an object of nodes');
  assert.equal(Socket.made.length, 0);
});

test('a signal that is aborted opens nothing, also while the pod is read', async () => {
  const gone = new AbortController();
  const { client, asked } = await stageOf(() => new Promise(() => {}));
  const opening = client.exec(pod, { command: ['ls'], signal: gone.signal });
  await until(() => asked.length === 1);
  gone.abort(new Error('left'));
  await assert.rejects(opening, { message: 'left' });
  await assert.rejects(client.exec(pod, { ...exec, signal: gone.signal }), { message: 'left' });
  assert.equal(Socket.made.length, 0);
});

test('a signal ends a handshake, and the search for the reason of its failure', async () => {
  for (const opens of [undefined, false]) {
    const gone = new AbortController();
    const { client, asked } = await stageOf(() => new Promise(() => {}));
    Socket.opens = opens;
    const opening = client.exec(pod, { ...exec, signal: gone.signal });
    await until(() => Socket.made.length === 1 && (opens === undefined || asked.length === 1));
    gone.abort(new Error('left'));
    await assert.rejects(opening, { message: 'left' });
    assert.equal(asked.length, opens === undefined ? 0 : 1);
  }
});

test('a handshake has thirty seconds', async (t) => {
  const { client } = await stageOf(() => failure(400, 'BadRequest', 'Upgrade request required'));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  Socket.opens = undefined;
  const opening = client.exec(pod, exec);
  opening.catch(() => {});
  await until(() => Socket.made.length === 1);
  await settle();
  t.mock.timers.tick(29_999);
  assert.equal(await state(opening), 'pending');
  t.mock.timers.tick(1);
  await assert.rejects(opening, { code: 'network' });
  await until(() => Socket.made[0].readyState === 3);
});

test('a session that is open has no time limit, and leaves no listener behind', async (t) => {
  const { client } = await stageOf();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { signal } = new AbortController();
  const session = await client.exec(pod, { ...exec, signal });
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  t.mock.timers.tick(60_000);
  assert.equal(await state(session.exit), 'pending');
  Socket.made[0].say(3, '{"status":"Success"}');
  Socket.made[0].end();
  await session.exit;
  await settle();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a token of each form is sent as one word of base64url', async () => {
  const protocol = async (authorization) => {
    const { client } = await stageOf(undefined, { access: { headers: async () => ({ authorization }) } });
    await client.exec(pod, exec);
    return Socket.made[0].protocols.slice(2);
  };
  const encoded = (token) => [`base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`];
  // Of one, two and three bytes at the end, with "+" and "/" more than once.
  for (const token of ['a', 'ab', 'abc', '~~~~??????', '>>>>????']) assert.deepEqual(await protocol(`bearer   ${token}`), encoded(token), token);
  const refused = { code: 'bad-request', request: 'GET /api/v1/namespaces/n/pods/p/exec',
    message: 'a WebSocket can authenticate by a bearer token only, and the header Authorization has another scheme' };
  for (const other of ['Bearer', 'Bearer a b', 'my bearer a', 'Basic a']) await assert.rejects(protocol(other), refused, other);
});

test('constant headers are tried once', async () => {
  const { client } = await stageOf(() => failure(401, 'Unauthorized', 'no'), { access: { headers: { authorization: 'Bearer a' } } });
  Socket.opens = false;
  await assert.rejects(client.exec(pod, exec), { code: 'unauthorized' });
  assert.equal(Socket.made.length, 1);
});

test('the reason of a failed handshake is that of the same request', async () => {
  const why = async (answer, verb = 'exec') => {
    const { client } = await stageOf(answer);
    Socket.opens = false;
    return client[verb](pod, { ...(verb === 'exec' && { command: ['ls'] }), container: 'c' }).then(() => assert.fail('it opened'), (error) => error);
  };
  const fields = ({ code, status, retryable, request, message }) => [code, status, retryable, request, message];
  const request = 'GET /api/v1/namespaces/n/pods/p/attach';
  assert.deepEqual(fields(await why(() => new Response('no', { status: 403 }), 'attach')), ['forbidden', 403, false, request,
    "the proxy rejects attach: kubectl proxy does so by default. To allow it, start it with --reject-paths='^$'. "
      + 'Then any web page that is open in this browser can reach a shell by WebSocket, unless something before the proxy checks the Origin.']);
  const blocked = (status) => ['network', status, true, request,
    'attach requires a WebSocket, and none could be opened. Check that all proxies on the way forward WebSockets, and that the server is Kubernetes 1.30 or later.'];
  assert.deepEqual(fields(await why(() => new Response('ok'), 'attach')), blocked(200));
  assert.deepEqual(fields(await why(() => new Response('UPGRADE required', { status: 426 }), 'attach')), blocked(426));
  assert.deepEqual(fields(await why(() => new Response('{"kind":  "Status","reason":"Forbidden","message":"no"}', { status: 403 }), 'attach')),
    ['forbidden', 403, false, request, 'no.']);
  assert.deepEqual((await why(() => new Response('wrong', { status: 404 }))).code, 'not-found');
  assert.equal((await why(() => Promise.reject(new TypeError('Failed to fetch')))).code, 'network');
});
