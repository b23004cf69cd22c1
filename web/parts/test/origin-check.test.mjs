// The Origin check in front of a server on a Unix socket that simulates `kubectl proxy`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { serve } from '../origin-check.mjs';

const folder = await mkdtemp(join(tmpdir(), 'origin-check-'));
const socket = join(folder, 'proxy.sock');
const received = [];
const ends = [];
const upstream = createServer((incoming, outgoing) => {
  received.push(`${incoming.method} ${incoming.url} ${incoming.headers.host}`);
  incoming.resume();
  if (incoming.url === '/quiet') return outgoing.flushHeaders();
  if (incoming.url !== '/watch') return outgoing.end('answer');
  outgoing.write('first');
  outgoing.on('close', () => ends.push('/watch'));
});
upstream.on('upgrade', (incoming, socket) => {
  received.push(`upgrade ${incoming.url}`);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
  socket.on('error', () => {}).pipe(socket);
});
upstream.listen(socket);
await once(upstream, 'listening');
const server = await serve(socket, 0);
const { port } = server.address();
const own = `http://127.0.0.1:${port}`;
after(async () => {
  for (const one of [server, upstream]) {
    one.closeAllConnections();
    one.close();
  }
  await rm(folder, { recursive: true });
});
beforeEach(() => received.splice(0));

/** Returns status and text of the response; after a successful upgrade its socket. */
async function send(method, path, headers = {}) {
  const sent = request({ port, host: '127.0.0.1', method, path, headers });
  sent.end();
  const [kind, [response, upgraded]] = await Promise.race(['response', 'upgrade'].map(async (kind) => [kind, await once(sent, kind)]));
  if (kind === 'upgrade') return { status: response.statusCode, socket: upgraded };
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text, policy: response.headers['content-security-policy'] };
}
test('HTML that a pod serves through the apiserver is no page of the dashboard', async () => {
  for (const path of ['/api/v1/namespaces/a/pods/b/proxy/', '//api/v1/pods', '/%61pi/v1/pods', '/version']) {
    assert.match((await send('GET', path)).policy, /^sandbox/, path);
  }
});

test('the headers of a watch arrive before its first event', { timeout: 60_000 }, async () => {
  const sent = request({ port, host: '127.0.0.1', path: '/quiet' }).end();
  const [response] = await once(sent, 'response');
  assert.equal(response.statusCode, 200);
  assert.match(response.headers['content-security-policy'], /^sandbox/);
  sent.destroy();
});

const handshake = { connection: 'Upgrade', upgrade: 'websocket' };

test('the page itself reads, writes and opens WebSockets', async () => {
  assert.deepEqual(await send('GET', '/ui/'), { status: 200, text: 'answer', policy: undefined });
  assert.equal((await send('POST', '/api', { origin: own })).status, 200);
  assert.equal((await send('DELETE', '/api', { origin: `http://localhost:${port}`, host: `localhost:${port}` })).status, 200);
  const { status, socket } = await send('GET', '/exec', { ...handshake, origin: own });
  assert.equal(status, 101);
  socket.write('through');
  assert.equal(String((await once(socket, 'data'))[0]), 'through');
  socket.destroy();
  assert.deepEqual(received, [`GET /ui/ 127.0.0.1:${port}`, `POST /api 127.0.0.1:${port}`, `DELETE /api localhost:${port}`, 'upgrade /exec']);
});

test('a page of another origin opens no WebSocket and writes nothing', async () => {
  for (const origin of ['http://evil.example', `http://127.0.0.1:${port + 1}`, `https://127.0.0.1:${port}`, `http://localhost:${port}`, 'null']) {
    const { status, text } = await send('GET', '/exec', { ...handshake, origin });
    assert.deepEqual([status, text], [403, `A page of the origin "${origin}" may not use the dashboard's connection to the cluster.\n`]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) assert.equal((await send(method, '/exec', { origin })).status, 403);
  }
  assert.equal((await send('GET', '/exec', handshake)).status, 403, 'a browser names the origin of a WebSocket');
  assert.deepEqual(received, []);
});

test('a request under another host name is rejected, even if the name resolves to this machine', async () => {
  for (const host of [`evil.example:${port}`, 'evil.example', '127.0.0.1', `127.0.0.1.evil.example:${port}`]) {
    assert.equal((await send('GET', '/api', { host })).status, 403, host);
    assert.equal((await send('GET', '/exec', { ...handshake, host, origin: `http://${host}` })).status, 403, host);
  }
  assert.deepEqual(received, []);
});

test('programs that send no Origin, such as kubectl, may write', async () => {
  assert.equal((await send('POST', '/api')).status, 200);
});

test('a watch is streamed, and ends when its client disconnects', async () => {
  const sent = request({ port, host: '127.0.0.1', path: '/watch' });
  sent.end();
  const [response] = await once(sent, 'response');
  assert.equal(String((await once(response, 'data'))[0]), 'first');
  sent.destroy();
  while (ends.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
});

test('without EXEC=1 the embedded apiserver gets no exec and no attach', async () => {
  const strict = await serve(socket, 0, { rejectShells: true });
  const at = strict.address().port;
  const path = '/api/v1/namespaces/a/pods/b';
  for (const shell of [`${path}/exec?command=sh`, `${path}/attach`, `/api//v1/namespaces/a/pods/b/%65xec`, `${path}/exec-check`]) {
    const response = await fetch(`http://127.0.0.1:${at}${shell}`);
    assert.deepEqual([response.status, await response.text()], [403, 'Forbidden\n'], shell);
    const upgrade = request({ port: at, host: '127.0.0.1', path: shell, headers: { ...handshake, origin: `http://127.0.0.1:${at}` } });
    upgrade.end();
    const [refused] = await once(upgrade, 'response');
    assert.equal(refused.statusCode, 403, shell);
    refused.resume();
  }
  assert.deepEqual(received, []);
  assert.equal((await fetch(`http://127.0.0.1:${at}${path}/log`)).status, 200);
  assert.equal((await fetch(`http://127.0.0.1:${at}/%`)).status, 200, 'a path that cannot be decoded is passed on to the server');
  strict.closeAllConnections();
  strict.close();
});

test('without kubectl proxy the response names the error', async () => {
  const alone = await serve(join(folder, 'none.sock'), 0);
  const response = await fetch(`http://127.0.0.1:${alone.address().port}/`);
  assert.deepEqual([response.status, await response.text()], [502, 'kubectl proxy does not respond. Check that the dashboard is still running.\n']);
  alone.close();
});
