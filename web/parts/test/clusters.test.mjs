// Routes of several clusters, in front of servers on Unix sockets that simulate `kubectl proxy`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { prefixOf, routesOf } from '../clusters.mjs';
import { listen } from '../origin-check.mjs';

// Names of contexts: those of EKS are paths, and all characters are allowed.
const NAMES = ['prod', 'Prod', 'arn:aws:eks:eu:1:cluster/prod', 'user@dev', 'a b', '%2e%2e', 'ü "quoted" \\?#&', "it's/../x", '../..'];

const folder = await mkdtemp(join(tmpdir(), 'clusters-'));
const page = join(folder, 'page');
await mkdir(join(page, 'kube-informer'), { recursive: true });
const FILES = { 'index.html': '<script src="boot.js" data-js="./web-1.js"></script><link href="icon.svg"><a href="#x"></a>', 'clusters.html': '<link href="clusters.css">', 'kube-informer/worker.js': 'worker', 'context.json': '{}', 'web-1.wasm': '\0asm' };
for (const [name, content] of Object.entries(FILES)) await writeFile(join(page, name), content);
await writeFile(join(folder, 'secret.txt'), 'secret');

const received = [];
const started = [];
const servers = [];
const redirects = { '/moved': '/api/v1/', '/elsewhere': 'http://other.example/api', '/near': 'there', '/network': '//other.example/' };
const clusters = await Promise.all(
  NAMES.map(async (name, at) => {
    const socketPath = join(folder, `${at}.sock`);
    const upstream = createServer((incoming, outgoing) => {
      received.push(`${name} ${incoming.method} ${incoming.url}`);
      incoming.resume();
      const location = incoming.url === '/own' ? `http://${incoming.headers.host}/api` : redirects[incoming.url];
      if (location) outgoing.writeHead(301, { location });
      outgoing.end(name);
    });
    upstream.on('upgrade', (incoming, socket) => {
      received.push(`${name} upgrade ${incoming.url}`);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
      socket.on('error', () => {}).pipe(socket);
    });
    upstream.listen(socketPath);
    await once(upstream, 'listening');
    servers.push(upstream);
    return { name, isProtected: name === 'prod', socketPath, state: 'running', reason: '', start: () => started.push(name) };
  }),
);
const server = await listen(routesOf(clusters, page, '#/overview?namespace=shop'), 0);
servers.push(server);
const { port } = server.address();
const origin = `http://127.0.0.1:${port}`;
after(async () => {
  for (const one of servers) {
    one.closeAllConnections();
    one.close();
  }
  await rm(folder, { recursive: true });
});
beforeEach(() => [received, started].forEach((list) => list.splice(0)));

const handshake = { connection: 'Upgrade', upgrade: 'websocket', origin };
/** Sends a request, whose path no URL parser changes. Returns status, text and headers; after a successful upgrade its socket. */
async function send(path, { method = 'GET', headers = {} } = {}) {
  const sent = request({ port, host: '127.0.0.1', method, path, headers });
  sent.end();
  const [kind, [response, socket]] = await Promise.race(['response', 'upgrade'].map(async (kind) => [kind, await once(sent, kind)]));
  if (kind === 'upgrade') return { status: response.statusCode, socket };
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, text, headers: response.headers };
}

test('the API of each cluster is behind its prefix, whatever its name', async () => {
  for (const name of NAMES) {
    assert.equal((await send(`${prefixOf(name)}/api/v1/pods?limit=1&a=%2F`)).text, name);
    assert.equal((await send(`${prefixOf(name)}/`, { method: 'DELETE', headers: { origin } })).text, name);
    const { status, socket } = await send(`${prefixOf(name)}/api/v1/pods?watch=1`, { headers: handshake });
    assert.equal(status, 101);
    socket.write('through');
    assert.equal(String((await once(socket, 'data'))[0]), 'through');
    socket.destroy();
    assert.deepEqual(received.splice(0), [`${name} GET /api/v1/pods?limit=1&a=%2F`, `${name} DELETE /`, `${name} upgrade /api/v1/pods?watch=1`]);
    // The address that a browser makes of it.
    assert.equal(new URL(`${prefixOf(name)}/ui/`, origin).pathname, `${prefixOf(name)}/ui/`);
  }
});

test('a name that URLs cannot have as a segment is an error', () => {
  for (const name of ['', '.', '..']) assert.throws(() => prefixOf(name), RangeError);
});

test('the path that a cluster gets is the rest as it was sent', async () => {
  for (const rest of ['/../b', '//x', '/%2e%2e/x', '/api/v1/namespaces/a/services/http:b:80/proxy/%2F?q=/clusters/Prod/']) {
    assert.equal((await send(`${prefixOf('prod')}${rest}`)).text, 'prod');
    assert.deepEqual(received.splice(0), [`prod GET ${rest}`]);
  }
});

test('an unknown cluster is a 404 with one sentence, also for a WebSocket', async () => {
  for (const path of ['/clusters/PROD/api', '/clusters//api', '/clusters/%/api', '/clusters/none', '/clusters/../api']) {
    for (const headers of [{}, handshake]) {
      const { status, text } = await send(path, { headers });
      assert.equal(status, 404, path);
      assert.match(text, /^This dashboard has no cluster ".*"\. Choose one at \/\.\n$/);
    }
  }
  assert.deepEqual(received, []);
});

test('a page of another origin, and another host name, reach no cluster', async () => {
  const path = `${prefixOf('prod')}/api/v1/pods`;
  for (const other of ['http://evil.example', 'null', `http://127.0.0.1:${port + 1}`]) {
    assert.equal((await send(path, { headers: { ...handshake, origin: other } })).status, 403);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) assert.equal((await send(path, { method, headers: { origin: other } })).status, 403);
    assert.equal((await send('/start?cluster=prod', { method: 'POST', headers: { origin: other } })).status, 403);
  }
  for (const where of [path, '/', '/clusters.json', '/ui/kube-informer/worker.js']) assert.equal((await send(where, { headers: { host: `evil.example:${port}` } })).status, 403, where);
  assert.deepEqual([received, started], [[], []]);
});

test('HTML that a pod serves through an apiserver is no page of the dashboard, also at a path like one of the page', async () => {
  for (const path of ['/api/v1/namespaces/a/pods/b/proxy/', '/', '//ui/', '/%75i/', '/uix']) {
    assert.match((await send(`${prefixOf('prod')}${path}`)).headers['content-security-policy'], /^sandbox/, path);
  }
});

test('a redirect of a cluster keeps its prefix, and one to another server stays', async () => {
  const prefix = prefixOf('user@dev');
  const to = async (path) => (await send(`${prefix}${path}`)).headers.location;
  assert.equal(await to('/moved'), `${prefix}/api/v1/`);
  assert.equal(await to('/own'), `${prefix}/api`);
  assert.equal(await to('/elsewhere'), 'http://other.example/api');
  assert.equal(await to('/network'), '//other.example/');
  assert.equal(await to('/near'), 'there');
  assert.equal(await to('?x=1'), `${prefix}/?x=1`);
  assert.equal(await to('/ui'), `${prefix}/ui/`);
});

test('the page is the same for all clusters, from one place, and its context is that of the cluster', async () => {
  for (const name of NAMES) {
    const { status, text, headers } = await send(`${prefixOf(name)}/ui/`);
    assert.deepEqual([status, headers['content-type'], headers['last-modified']], [200, 'text/html; charset=utf-8', undefined]);
    assert.equal(text, '<script src="/ui/boot.js" data-js="/ui/web-1.js"></script><link href="/ui/icon.svg"><a href="#x"></a>');
    assert.equal(headers['content-security-policy'], "frame-ancestors 'self'");
    assert.deepEqual(JSON.parse((await send(`${prefixOf(name)}/ui/context.json`)).text), { context: name, protected: name === 'prod' });
  }
  assert.equal((await send('/ui/kube-informer/worker.js')).text, 'worker');
  assert.equal((await send('/ui/web-1.wasm')).headers['content-type'], 'application/wasm');
  assert.equal((await send('/')).text, '<link href="/ui/clusters.css">');
  assert.deepEqual(received, [], 'no kubectl is asked for the page');
});

test('a cluster that is opened without the tabs gets them', async () => {
  const path = `${prefixOf('user@dev')}/ui/`;
  const to = async (path, destination) => (await send(path, { headers: { 'sec-fetch-dest': destination } })).headers.location;
  assert.equal(await to(path, 'document'), '/?cluster=user%40dev');
  assert.equal(await to(path, 'iframe'), undefined);
  assert.equal(await to(`${path}icon.svg`, 'document'), undefined);
  // A link must not show a cluster without its tab by another name of the page.
  assert.equal(await to(`${path}index.html?api=${origin}/clusters/prod`, 'document'), '/?cluster=user%40dev');
  assert.equal(await to('/ui/index.html', 'document'), '/');
});

test('a file that the browser has is not sent again, until it changes', async () => {
  const first = await send('/ui/web-1.wasm');
  const again = (etag) => send('/ui/web-1.wasm', { headers: { 'if-none-match': etag } });
  assert.deepEqual([first.status, (await again(first.headers.etag)).status, (await again(first.headers.etag)).text], [200, 304, '']);
  assert.equal((await again('"other"')).status, 200);
});

test('no path leads out of the folder of the page', async () => {
  for (const path of ['/ui/../secret.txt', '/ui/%2e%2e/secret.txt', '/ui/..%2fsecret.txt', '/ui/kube-informer/../../secret.txt', '/ui//etc/passwd', `/ui/${page}/index.html`, '/ui/none.js', '/ui/kube-informer']) {
    const { status, text } = await send(path);
    assert.equal(status, 404, path);
    assert.ok(/^(The page has no file|There is nothing at this path)/.test(text), text);
  }
});

test('the list has each cluster with its state, and a connection that has ended is a 503 until it is started again', async () => {
  const [prod] = clusters;
  Object.assign(prod, { state: 'ended', reason: 'The context "prod" is not connected: kubectl proxy ended by itself (exit code 1).' });
  try {
    const { hash, clusters: list } = JSON.parse((await send('/clusters.json')).text);
    assert.equal(hash, '#/overview?namespace=shop');
    assert.deepEqual(list.map(({ name }) => name), NAMES);
    assert.deepEqual(list[0], { name: 'prod', path: '/clusters/prod', isProtected: true, state: 'ended', reason: prod.reason });
    const { status, text, headers } = await send('/clusters/prod/api');
    assert.deepEqual([status, headers['retry-after'], text], [503, '5', `${prod.reason} Choose Retry in the tab of the cluster.\n`]);
    assert.equal((await send('/clusters/prod/api', { headers: handshake })).status, 503);
    assert.equal((await send('/clusters/prod/ui/')).status, 200, 'the page shows the error itself');
    assert.equal((await send('/clusters/Prod/api')).text, 'Prod');
    assert.equal((await send('/start?cluster=prod')).status, 405);
    assert.equal((await send('/start?cluster=none', { method: 'POST' })).status, 404);
    assert.equal((await send(`/start?cluster=${encodeURIComponent('user@dev')}`, { method: 'POST' })).status, 200);
    assert.deepEqual(started, [], 'a connection that runs is not started');
    assert.equal((await send('/start?cluster=prod', { method: 'POST', headers: { origin } })).status, 200);
    assert.deepEqual(started, ['prod']);
  } finally {
    Object.assign(prod, { state: 'running', reason: '' });
  }
});

test('a socket that does not respond is a 502 that names the context', async () => {
  const [prod] = clusters;
  const { socketPath } = prod;
  prod.socketPath = join(folder, 'none.sock');
  const { status, text } = await send('/clusters/prod/api');
  prod.socketPath = socketPath;
  assert.deepEqual([status, text], [502, 'kubectl proxy of the context "prod" does not respond. Check that the dashboard is still running.\n']);
});

test('other paths have no API: a request without a prefix reaches no cluster', async () => {
  for (const path of ['/api/v1/pods', '/version', '/clusters', '/apis']) assert.equal((await send(path)).status, 404, path);
  assert.equal((await send('/api/v1/pods?watch=1', { headers: handshake })).status, 404);
  assert.equal((await send('/', { headers: handshake })).status, 400);
  assert.equal((await send('/', { method: 'DELETE' })).status, 405);
  assert.equal((await send('/ui/')).headers.location, '/');
  assert.deepEqual(received, []);
});
