// Log over a WebSocket: its frames, its time limit and end, the limits of what may wait, and what it leaves behind.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { at, chunked, p, readAll, restarted, texts, told } from './log-stage.mjs';
import { settle, until } from './engine.mjs';
import { Socket } from './socket.mjs';

const running = () => restarted(0, { running: {} }, undefined, {}, { uid: 'u' });
const over = () => restarted(0, { terminated: { exitCode: 0, reason: 'Completed' } }, undefined, { restartPolicy: 'Never' }, { uid: 'u' });
const via = (states) => states.filter((state) => state.via).map((state) => state.via);

let servers = 0;
/** Follows the log of `p` on a server of its own; `log` has what was read so far, and `end()` lets the container end. */
function follow(answer = () => assert.fail('a log was read by a request'), options) {
  Socket.take();
  const log = { pod: running, end: () => (log.pod = over) };
  log.done = readAll((path) => (path.includes('/log') ? answer(path) : log.pod()), p, { follow: true, container: 'c', ...options },
    (stage, lines, states) => Object.assign(log, { stage, lines, states }), `http://socket-${servers++}`);
  return log;
}

/** The next WebSocket, once it is open. */
async function opened(count = 1) {
  await until(() => Socket.made.length >= count && Socket.made[count - 1].readyState === 1);
  return Socket.made[count - 1];
}

test('frames may be text or bytes, and lines that came before the end are read', async () => {
  const log = follow();
  const socket = await opened();
  assert.deepEqual([socket.binaryType, socket.url.protocol], ['arraybuffer', 'ws:']);
  socket.onmessage({ data: `${at(1)} as text\n` });
  socket.write(`${at(2)} as bytes\n`);
  log.end();
  socket.end();
  socket.write(`${at(3)} too late\n`);
  const { lines, states } = await log.done;
  assert.deepEqual([texts(lines), via(states)], [['as text', 'as bytes'], ['websocket']]);
});

test('a WebSocket that closes in another way than at the end is a lost connection', async () => {
  for (const [code, wasClean] of [[1006, false], [1001, true]]) {
    const log = follow();
    const socket = await opened();
    socket.write(`${at(1)} a\n`);
    await until(() => log.lines.length === 1);
    socket.end(code, wasClean);
    const next = await opened(2);
    const { error } = log.states.find(({ state }) => state === 'reconnecting');
    assert.deepEqual([error.code, error.request, error.message], ['network', 'GET /api/v1/namespaces/n/pods/p/log', `the connection was lost (WebSocket closed with code ${code})`]);
    log.end();
    next.end();
    await log.done;
  }
});

test('a handshake has eight seconds; then the log is read by a request', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { signal } = new AbortController();
  const log = follow(() => chunked([`${at(1)} a\n`]), { signal });
  Socket.opens = undefined;
  await until(() => Socket.made.length === 1);
  t.mock.timers.tick(7_999);
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.deepEqual(log.stage.asked.filter((one) => one.includes('/log')), []);
  log.end();
  t.mock.timers.tick(1);
  await until(() => log.stage.asked.some((one) => one.includes('/log')));
  let isDone = false;
  log.done.then(() => (isDone = true));
  // The batch of a slow log waits for a frame.
  await until(() => (t.mock.timers.tick(20), isDone));
  const { lines, states } = log;
  assert.deepEqual([texts(lines), via(states), getEventListeners(signal, 'abort').length], [['a'], ['fetch'], 0]);
  await until(() => Socket.made[0].readyState === 3);
});

test('an open WebSocket has no time limit', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log = follow();
  const socket = await opened();
  t.mock.timers.tick(60_000);
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.deepEqual([socket.readyState, told(log.states)], [1, ['connecting', 'following']]);
  log.end();
  socket.end();
  await log.done;
});

test('a log that is over closes its WebSocket, and leaves no listener behind', async () => {
  const { signal } = new AbortController();
  const log = follow(undefined, { signal });
  const socket = await opened();
  log.end();
  socket.end();
  await log.done;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a signal and shutdown end a log that is open, and its WebSocket', async () => {
  for (const [end, expected] of [['abort', 'left'], ['shutdown', 'the factory has been stopped']]) {
    const gone = new AbortController();
    const log = follow(undefined, { signal: gone.signal });
    const socket = await opened();
    if (end === 'abort') gone.abort(new Error('left'));
    else log.stage.factory.shutdown();
    const { error } = await log.done;
    assert.equal(error.message, expected);
    await until(() => socket.readyState === 3);
  }
});

test('shutdown ends a handshake', async () => {
  const log = follow();
  Socket.opens = undefined;
  await until(() => Socket.made.length === 1);
  log.stage.factory.shutdown();
  assert.equal((await log.done).error.message, 'the factory has been stopped');
});

test('a log that is not followed opens no WebSocket', async () => {
  for (const options of [{ follow: false }, { follow: false, tail: 5 }]) {
    const log = follow(() => chunked([`${at(1)} a\n`]), options);
    assert.deepEqual([texts((await log.done).lines), Socket.made.length], [['a'], 0]);
  }
});

const MB = 1 << 20;
/** A line of so many bytes, with its stamp and its end. */
const lineOf = (bytes, second) => `${at(second)} ${'x'.repeat(bytes - 22)}\n`;

test('a log may have 16 MB waiting, and is resumed if more come', async () => {
  const log = follow();
  const socket = await opened();
  socket.write(lineOf(16 * MB, 1));
  assert.equal(socket.readyState, 1);
  await until(() => log.lines.length === 1);
  // What was read waits no more.
  socket.write(lineOf(16 * MB, 2));
  await until(() => log.lines.length === 2);
  socket.write(lineOf(16 * MB, 3));
  socket.write('x');
  const next = await opened(2);
  assert.deepEqual([texts(log.lines).length, told(log.states)], [3, ['connecting', 'following', 'following']], 'that it is resumed is no failure');
  log.end();
  next.end();
  await log.done;
});

test('all logs together may have 64 MB waiting', async () => {
  const logs = [];
  const sockets = [];
  for (let count = 0; count < 5; count++) {
    logs.push(follow());
    sockets.push(await opened());
  }
  const text = lineOf(15 * MB, 1);
  for (const socket of sockets.slice(0, 4)) socket.write(text);
  sockets[4].write(lineOf(4 * MB, 1));
  assert.ok(!sockets.some(({ isClosing }) => isClosing));
  sockets[4].write('x');
  assert.deepEqual(sockets.map(({ isClosing }) => isClosing), [false, false, false, false, true]);
  await until(() => logs.slice(0, 4).every(({ lines }) => lines.length === 1));
  logs.forEach(({ stage }) => stage.factory.shutdown());
  await Promise.all(logs.map(({ done }) => done));
});
