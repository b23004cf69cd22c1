// Connections of logs: the choice between a WebSocket and `fetch`, and how long it holds.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { at, chunked, p, readAll, restarted, texts, told } from './log-stage.mjs';
import { until } from './engine.mjs';
import { Socket } from './socket.mjs';

const running = () => restarted(0, { running: {} }, undefined, {}, { uid: 'u' });
const over = () => restarted(0, { terminated: { exitCode: 0, reason: 'Completed' } }, undefined, { restartPolicy: 'Never' }, { uid: 'u' });
const VIA = ({ states }) => states.filter(({ via }) => via).map(({ via }) => via);

let servers = 0;
/** Follows the log of `p` on a server of its own, or on one that is known already. */
function follow(answer, options, url = `http://server-${servers++}`) {
  return readAll(answer, p, { follow: true, ...options }, undefined, url);
}

/** The next WebSocket that is open. */
async function opened(count) {
  await until(() => Socket.made.length >= count && Socket.made[count - 1].readyState === 1);
  return Socket.made[count - 1];
}

test('a log comes over a WebSocket, and goes on after one is lost', async () => {
  Socket.take();
  let looks = 0;
  const reading = follow((path) => (assert.ok(!path.includes('/log'), path), looks++ < 2 ? running() : over()), {}, 'http://frames/k8s');
  const first = await opened(1);
  assert.equal(first.url.href, 'ws://frames/k8s/api/v1/namespaces/n/pods/p/log?container=c&follow=true&timestamps=true');
  assert.deepEqual(first.protocols, ['binary.k8s.io']);
  first.write(`${at(1)} a\n${at(2)} b`);
  first.write(`c\n${at(3)} cut`);
  await until(() => looks === 1);
  first.end(1006, false);
  const second = await opened(2);
  assert.equal(second.url.searchParams.get('sinceTime'), at(2));
  second.write(`${at(2)} bc\n${at(3)} cut no more\n`);
  second.end(1000, true);
  const { lines, states } = await reading;
  assert.deepEqual(texts(lines), ['a', 'bc', 'cut no more']);
  assert.deepEqual(told(states), ['connecting', 'following', 'reconnecting', 'following', 'ended 0']);
});

test('a log ends with the Close frame of the server, also if the connection ends before the reply to it, as in Firefox', async () => {
  Socket.take();
  const reading = follow((path) => (assert.ok(!path.includes('/log'), path), over()));
  const socket = await opened(1);
  socket.write(`${at(1)} a\n`);
  socket.end(1000, false);
  const { lines, states } = await reading;
  assert.deepEqual([texts(lines), told(states), Socket.made.length], [['a'], ['connecting', 'following', 'ended 0'], 1]);
});

test('logs that ended before Firefox opened the WebSocket do not turn WebSockets off', async () => {
  Socket.take();
  const url = 'http://at-once';
  Object.assign(Socket, { opens: false, code: 1000 });
  for (let number = 0; number < 3; number++) {
    const log = await follow((path) => (path.includes('/log') ? new Response(`${at(1)} a\n`) : over()), {}, url);
    assert.deepEqual([VIA(log), texts(log.lines)], [['fetch'], ['a']]);
  }
  assert.equal(Socket.made.length, 3);
});

test('a pod without a node does not turn WebSockets off', async () => {
  Socket.take();
  Socket.opens = false;
  let looks = 0;
  // The server answers 204 as long as no kubelet has the pod, and no handshake succeeds.
  const reading = follow((path) => (path.includes('/log') ? new Response(null, { status: 204 }) : looks++ < 5 ? running() : over()), {
    onState: ({ state }) => state === 'reconnecting' && Socket.made.length === 2 && (Socket.opens = true),
  });
  const socket = await opened(3);
  socket.write(`${at(1)} a\n`);
  await until(() => looks > 3);
  looks = 9;
  socket.end();
  const log = await reading;
  assert.deepEqual([VIA(log), texts(log.lines)], [['fetch', 'fetch', 'websocket'], ['a']]);
});

test('a browser that opens no WebSocket to this address reads the log by requests', async (t) => {
  Socket.take();
  // A page with https, and a proxy without.
  t.mock.method(globalThis, 'WebSocket', function () {
    throw new DOMException('An insecure WebSocket connection may not be initiated', 'SecurityError');
  });
  let looks = 0;
  const log = await follow((path) => (path.includes('/log') ? chunked([`${at(1)} a\n`]) : looks++ < 1 ? running() : over()));
  assert.deepEqual([log.error, texts(log.lines), VIA(log)], [undefined, ['a'], ['fetch']]);
});

const refusing = async (url) => {
  const before = Socket.made.length;
  let looks = 0;
  const log = await follow((path) => (path.includes('/log') ? chunked([`${at(1)} a\n`]) : looks++ < 1 ? running() : over()), {}, url);
  assert.deepEqual([texts(log.lines), VIA(log)], [['a'], ['fetch']]);
  return Socket.made.length - before;
};

test('a WebSocket that is refused twice in a row is not tried for ten minutes', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  Socket.take();
  Socket.opens = false;
  const url = 'http://refusing';
  assert.deepEqual([await refusing(url), await refusing(url), await refusing(url)], [1, 1, 0]);
  assert.equal(await refusing('http://another'), 1, 'other servers are tried');
  t.mock.timers.tick(600_000);
  assert.equal(await refusing(url), 1);
  assert.equal(await refusing(url), 0, 'a further refusal counts at once');
});

test('a handshake that fails once counts for nothing after one that succeeds', async () => {
  Socket.take();
  const url = 'http://sometimes';
  for (let turn = 0; turn < 3; turn++) {
    Socket.opens = false;
    assert.equal(await refusing(url), 1, `turn ${turn}`);
    Socket.opens = true;
    let looks = 0;
    const count = Socket.made.length + 1;
    const reading = follow(() => (looks++ < 1 ? running() : over()), {}, url);
    (await opened(count)).end();
    assert.deepEqual(VIA(await reading), ['websocket']);
  }
});

test('a handshake that fails leaves nothing that waits for a signal', async () => {
  Socket.take();
  Socket.opens = false;
  const { signal } = new AbortController();
  let looks = 0;
  await follow((path) => (path.includes('/log') ? chunked([`${at(1)} a\n`]) : looks++ < 1 ? running() : over()), { signal });
  assert.deepEqual([Socket.made.length, getEventListeners(signal, 'abort').length], [1, 0]);
});

test('an abort ends a handshake', async () => {
  Socket.take();
  Socket.opens = false;
  const gone = new AbortController();
  const reading = follow(() => running(), { signal: gone.signal });
  await until(() => Socket.made.length === 1);
  gone.abort(new Error('left'));
  const { error } = await reading;
  assert.equal(error.message, 'left');
});

test('chunks up to a megabyte are read in portions, and the page runs between them', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 10));
  const { MessageChannel } = globalThis;
  t.after(() => Object.assign(globalThis, { MessageChannel }));
  let read = [];
  const pauses = [0];
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      pauses.push(read.length);
    }
  };
  const chunks = [1_300, 8_700].map((lines) => `${at(1)} ${'x'.repeat(78)}\n`.repeat(lines));
  const { lines } = await readAll((path) => (path.includes('/log') ? chunked(chunks) : running()), p, {}, (_, lines) => (read = lines));
  assert.equal(lines.length, 10_000);
  const most = Math.max(...[...pauses.slice(1), lines.length].map((end, at) => end - pauses[at]));
  assert.ok(most <= 1_400, `${most} lines without a pause: 128 KiB are 1,311 of them`);
});
