// Exec: frames of a session, its end, and the reasons why it could not be opened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { settle } from './engine.mjs';
import { Socket } from './socket.mjs';

const pod = { resource: 'v1/pods', namespace: 'n', name: 'p' };
/** `answer` is that to the request without a WebSocket, `found` the pod. */
async function session(options, answer = () => failure(400, 'BadRequest', 'Upgrade request required'), found = () => json({ spec: { containers: [{ name: 'c' }] } })) {
  Socket.take();
  const { client, asked, factory } = await clientStage((...request) => (request[1].endsWith('/pods/p') ? found() : answer(...request)));
  return { client, asked, factory, open: async () => [await client.exec(pod, options), Socket.made[0]] };
}

const read = (stream) => new Response(stream).text();
const failed = (reason, causes) => JSON.stringify({ status: 'Failure', reason, message: 'command terminated with non-zero exit code', details: { causes } });

test('a session has streams, a size and an exit code', async () => {
  const { open } = await session({ command: ['sh', '-c', 'a b'], container: 'c', stdin: true });
  const [shell, socket] = await open();
  assert.equal(socket.url.href, 'ws://server/api/v1/namespaces/n/pods/p/exec?command=sh&command=-c&command=a+b&container=c&stdin=true&stdout=true&stderr=true&tty=false');
  assert.deepEqual(socket.protocols, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
  const writer = shell.stdin.getWriter();
  await writer.write('ls\n');
  await writer.write(new Uint8Array([120]));
  shell.resize(80, 24);
  await writer.close();
  assert.deepEqual(socket.sent, [[0, 'ls\n'], [0, 'x'], [4, '{"Width":80,"Height":24}'], [255, '\0']]);
  socket.say(1, '');
  socket.say(1, 'out ');
  socket.say(2, 'err');
  socket.say(255, [2]);
  assert.equal(await read(shell.stderr), 'err', 'its end is said before the process ends');
  socket.say(1, 'put');
  socket.say(3, failed('NonZeroExitCode', [{ reason: 'ExitCode', message: '3' }]));
  socket.end();
  assert.equal(await read(shell.stdout), 'out put');
  assert.deepEqual(await shell.exit, { code: 3, reason: 'NonZeroExitCode', message: 'command terminated with non-zero exit code' });
});

test('a bearer token is a subprotocol, since a script cannot add headers', async () => {
  const protocols = async (authorization) => {
    Socket.take();
    const { client } = await clientStage(() => assert.fail('asked'), { access: { headers: async () => (authorization ? { authorization } : {}) } });
    await client.exec(pod, { command: ['ls'], container: 'c' });
    return Socket.made[0].protocols.slice(2);
  };
  assert.deepEqual(await protocols('Bearer a?b>ü'), [`base64url.bearer.authorization.k8s.io.${Buffer.from('a?b>ü').toString('base64url')}`]);
  assert.deepEqual(await protocols(undefined), []);
  await assert.rejects(protocols('Basic eDp5'), { code: 'bad-request', message: /by a bearer token only/ });
});

test('after a failed handshake a renewable token is asked for once more', async () => {
  Socket.take();
  Socket.opens = false;
  let calls = 0;
  const headers = async () => {
    calls += 1;
    if (calls === 2) Socket.opens = true;
    return { authorization: `Bearer ${calls}` };
  };
  const { client } = await clientStage(() => assert.fail('asked'), { access: { headers } });
  const shell = await client.exec(pod, { command: ['ls'], container: 'c' });
  assert.equal(Socket.made.length, 2);
  assert.equal(Socket.made[1].protocols[2], `base64url.bearer.authorization.k8s.io.${Buffer.from('2').toString('base64url')}`);
  shell.close();
  await assert.rejects(shell.exit, { code: 'closed' });
});

test('a process that ended before Firefox opened the WebSocket is not started again', async () => {
  Socket.take();
  // Firefox reports the server's Close frame, and neither the handshake nor the frames before it, if the connection ends at once.
  Object.assign(Socket, { opens: false, code: 1000 });
  let calls = 0;
  const { client } = await clientStage(() => assert.fail('asked'), { access: { headers: () => ({ authorization: `Bearer ${++calls}` }) } });
  await assert.rejects(client.exec(pod, { command: ['ls'], container: 'c' }), (error) => error.code === 'network' && !error.retryable && /exec in p has run/.test(error.message));
  assert.equal(Socket.made.length, 1);
});

test('a headers function that fails, or is aborted, opens no WebSocket', async () => {
  Socket.take();
  const failing = await clientStage(() => assert.fail('asked'), { access: { headers: () => Promise.reject(new Error('logged out')) } });
  await assert.rejects(failing.client.exec(pod, { command: ['ls'], container: 'c' }), { code: 'unauthorized', message: /logged out/ });
  const silent = await clientStage(() => assert.fail('asked'), { access: { headers: () => new Promise(() => {}) } });
  const abort = new AbortController();
  const opening = silent.client.exec(pod, { command: ['ls'], container: 'c', signal: abort.signal });
  await settle();
  abort.abort(new Error('enough'));
  await assert.rejects(opening, { message: 'enough' });
  assert.equal(Socket.made.length, 0);
});

test('the container is the default one, as of logs', async () => {
  const containers = [{ name: 'first' }, { name: 'main' }];
  const annotations = { 'kubectl.kubernetes.io/default-container': 'main' };
  const of = async (found, options) => {
    const { client, asked } = await session({}, undefined, found);
    await client.exec(pod, { command: ['ls'], ...options });
    return [Socket.made[0].url.searchParams.get('container'), asked];
  };
  assert.equal((await of(() => json({ spec: { containers } })))[0], 'first');
  assert.equal((await of(() => json({ metadata: { annotations }, spec: { containers } })))[0], 'main');
  assert.deepEqual(await of(() => assert.fail('asked'), { container: 'c' }), ['c', []]);
  assert.equal((await of(() => failure(403, 'Forbidden', 'no')))[0], null, 'the server knows the only one');
  await assert.rejects(of(() => failure(404, 'NotFound', 'pods "p" not found')), { code: 'not-found' });
  assert.equal(Socket.made.length, 0);
});

test('success is code 0, and a command that cannot be started has none', async () => {
  for (const [status, code, reason] of [['{"status":"Success"}', 0, 'Success'], [failed('InternalError'), null, 'InternalError'], ['not JSON', null, 'Unknown']]) {
    const { open } = await session({ command: ['x'] });
    const [{ exit }, socket] = await open();
    socket.say(3, status);
    socket.end();
    const ended = await exit;
    assert.deepEqual([ended.code, ended.reason], [code, reason]);
  }
});

test('a connection that is lost has no exit code', async () => {
  const { open } = await session({ command: ['x'] });
  const [shell, socket] = await open();
  socket.end(1006, false);
  await assert.rejects(shell.exit, (error) => error.code === 'network' && error.retryable && /exec in p was lost/.test(error.message));
  await assert.rejects(read(shell.stdout), { code: 'network' });
});

test('v4 cannot close stdin, a terminal has no stderr', async () => {
  const { open } = await session({ command: ['sh'], tty: true, stdin: true });
  const [shell, socket] = await open();
  assert.equal(shell.stderr, null);
  socket.protocol = 'v4.channel.k8s.io';
  await assert.rejects(shell.stdin.close(), { code: 'bad-request' });
});

test('closing, a signal and shutdown end a session', async () => {
  const { open } = await session({ command: ['sh'] });
  const [shell] = await open();
  shell.close();
  shell.close();
  await assert.rejects(shell.exit, { code: 'closed' });
  const gone = new AbortController();
  const other = await session({ command: ['sh'], signal: gone.signal });
  const [second] = await other.open();
  gone.abort(new Error('left'));
  await assert.rejects(second.exit, { message: 'left' });
  const last = await session({ command: ['sh'] });
  const [third] = await last.open();
  last.factory.shutdown();
  await assert.rejects(third.exit, { code: 'closed', message: 'the factory has been stopped' });
});

test('input waits while the network is slow', async () => {
  const { open } = await session({ command: ['cat'], stdin: true });
  const [shell, socket] = await open();
  socket.bufferedAmount = 2 << 20;
  const writing = shell.stdin.getWriter().write('x'.repeat(100_000));
  await settle();
  assert.equal(socket.sent.length, 0);
  socket.bufferedAmount = 0;
  await writing;
  assert.deepEqual(socket.sent.map(([, text]) => text.length), [32768, 32768, 32768, 1696]);
});

test('a rejection has its reason: the proxy, the server, or blocked WebSockets', async () => {
  const why = async (answer) => {
    const { client, asked } = await session({ command: ['ls'] }, answer);
    Socket.opens = false;
    const error = await client.exec(pod, { command: ['ls'] }).then(() => assert.fail('it opened'), (cause) => cause);
    assert.match(asked.at(-1), /^GET \/api\/v1\/namespaces\/n\/pods\/p\/exec\?command=ls/);
    return error;
  };
  const proxy = await why(() => new Response('Forbidden', { status: 403 }));
  assert.equal(proxy.code, 'forbidden');
  assert.match(proxy.message, /kubectl proxy does so by default.*--reject-paths='\^\$'/);
  const rights = await why(() => failure(403, 'Forbidden', 'pods "p" is forbidden: User "u" cannot get resource "pods/exec"'));
  assert.match(rights.message, /pods\/exec/);
  assert.equal((await why(() => failure(404, 'NotFound', 'pods "p" not found'))).code, 'not-found');
  const socket = await why(() => failure(400, 'BadRequest', 'Upgrade request required'));
  assert.deepEqual([socket.code, socket.retryable], ['network', true]);
  assert.match(socket.message, /forward WebSockets/);
});

test('a WebSocket that the browser does not open is an error of the package', async (t) => {
  const { open } = await session({ command: ['sh'], container: 'c' });
  t.mock.method(globalThis, 'WebSocket', function () {
    throw new DOMException('An insecure WebSocket connection may not be initiated', 'SecurityError');
  });
  await assert.rejects(open(), { name: 'InformerError', code: 'network', request: 'GET /api/v1/namespaces/n/pods/p/exec', message: /opens no WebSocket to this address: An insecure/ });
});

test('arguments are checked', async () => {
  const { client } = await session();
  for (const options of [undefined, {}, { command: 'ls' }, { command: [] }, { command: ['ls'], shell: true }]) {
    await assert.rejects(client.exec(pod, options), { code: 'bad-request' });
  }
  await assert.rejects(client.exec({ resource: 'v1/nodes', name: 'x' }, { command: ['ls'] }), { code: 'bad-request' });
  await assert.rejects(client.attach(pod, { command: ['ls'] }), { code: 'bad-request' });
  assert.equal(Socket.made.length, 0);
});
