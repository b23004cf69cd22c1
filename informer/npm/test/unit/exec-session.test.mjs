// Session of exec: input of each form, unread output, the exit status, and calls after its end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, json } from './client-stage.mjs';
import { settle, state, until } from './engine.mjs';
import { Socket } from './socket.mjs';
import { dispose } from '../../src/promises.js';

const pod = { resource: 'v1/pods', namespace: 'n', name: 'p' };
const request = 'GET /api/v1/namespaces/n/pods/p/exec';
const read = (stream) => new Response(stream).text();

async function opened(options) {
  Socket.take();
  const { client } = await clientStage(() => json({}));
  const session = await client.exec(pod, { command: ['sh'], container: 'c', ...options });
  return [session, Socket.made[0]];
}

/** The exit of a session whose error channel says this. */
async function exitAfter(...statuses) {
  const [{ exit }, socket] = await opened();
  for (const status of statuses) socket.say(3, typeof status === 'string' ? status : JSON.stringify(status));
  socket.end();
  return exit;
}

test('input may be text, bytes, a part of a buffer, or a buffer', async () => {
  const [shell, socket] = await opened({ stdin: true });
  const writer = shell.stdin.getWriter();
  const bytes = new TextEncoder().encode('0123456789');
  for (const chunk of ['é', bytes, bytes.subarray(2, 5), bytes.buffer, new DataView(bytes.buffer, 7, 2)]) await writer.write(chunk);
  assert.deepEqual(socket.sent, ['é', '0123456789', '234', '0123456789', '78'].map((text) => [0, text]));
  await writer.write('');
  assert.equal(socket.sent.length, 5, 'nothing is no frame');
});

test('a session without input and with a terminal has neither stream', async () => {
  const [{ stdin, stderr, stdout, protocol }] = await opened({ tty: true });
  assert.deepEqual([stdin, stderr, stdout instanceof ReadableStream, protocol], [null, null, true, 'v5.channel.k8s.io']);
});

test('input waits as long as more than a megabyte is unsent, and fails when the session ends', async () => {
  const [shell, socket] = await opened({ stdin: true });
  const writer = shell.stdin.getWriter();
  socket.bufferedAmount = 1 << 20;
  await writer.write('a');
  socket.bufferedAmount = (1 << 20) + 1;
  const waiting = writer.write('b');
  waiting.catch(() => {});
  assert.equal(await state(waiting), 'pending');
  assert.equal(socket.sent.length, 1);
  shell.close();
  await assert.rejects(waiting, { code: 'closed', message: 'exec in p has ended', request });
});

test('frames are sent by an open WebSocket only', async () => {
  const [shell, socket] = await opened({ stdin: true });
  socket.readyState = 2;
  shell.resize(80, 24);
  socket.readyState = 1;
  shell.close();
  shell.resize(80, 24);
  assert.deepEqual(socket.sent, []);
});

test('a size has columns and rows, of at least one', async () => {
  const [shell, socket] = await opened();
  const sentence = { code: 'bad-request', message: '`resize()` must be called with columns and rows' };
  for (const size of [[], [80], [undefined, 24]]) assert.throws(() => shell.resize(...size), sentence);
  assert.throws(() => shell.resize(0, 24), { message: '`columns` must be a whole number, 1 or more' });
  assert.throws(() => shell.resize(80, 0.5), { message: '`rows` must be a whole number, 1 or more' });
  shell.resize(1, 1);
  assert.deepEqual(socket.sent, [[4, '{"Width":1,"Height":1}']]);
});

test('input that is aborted ends the session with its reason', async () => {
  const [shell] = await opened({ stdin: true });
  await shell.stdin.abort(new Error('enough'));
  await assert.rejects(shell.exit, { message: 'enough' });
});

test('v4 says why it cannot close the input', async () => {
  const [shell, socket] = await opened({ stdin: true });
  socket.protocol = 'v4.channel.k8s.io';
  await assert.rejects(shell.stdin.close(), { message: 'the server supports only v4.channel.k8s.io, which cannot close stdin: end the process, or close the session' });
});

test('output without a reader ends the session at 64 MB', async () => {
  const [shell, socket] = await opened();
  const quarter = new Uint8Array(16 << 20);
  for (let count = 0; count < 3; count++) socket.say(1, quarter);
  socket.say(2, quarter);
  assert.equal(await state(shell.exit), 'pending', 'each stream counts for itself');
  socket.say(1, quarter.subarray(1));
  assert.equal(await state(shell.exit), 'pending');
  socket.say(1, [0]);
  await assert.rejects(shell.exit, { code: 'closed', message: 'the output of exec in p is not read: 64 MB wait', request });
  await until(() => socket.readyState === 3);
});

test('output that was cancelled, and channels that are unknown, are left out', async () => {
  const [shell, socket] = await opened();
  await shell.stdout.cancel();
  socket.onmessage({ data: new ArrayBuffer(0) });
  for (const channel of [1, 9]) socket.say(channel, 'lost');
  socket.say(255, [1]);
  socket.say(2, 'err');
  socket.say(3, '{"status":"Success"}');
  socket.end();
  assert.equal(await read(shell.stderr), 'err');
  assert.equal((await shell.exit).code, 0);
});

test('what arrives after the end is left out', async () => {
  const [shell, socket] = await opened();
  shell.close();
  socket.say(1, 'late');
  socket.end(1006, false);
  await assert.rejects(shell.exit, { code: 'closed', message: 'exec in p has been closed', request });
  await assert.rejects(read(shell.stdout), { code: 'closed' });
});

test('closing and disposing end the connection', async () => {
  for (const end of ['close', dispose]) {
    const [shell, socket] = await opened();
    shell[end]();
    await assert.rejects(shell.exit, { code: 'closed' });
    await until(() => socket.readyState === 3);
  }
});

test('a connection that is lost says how', async () => {
  for (const [code, wasClean, how] of [[1006, false, 'code 1006'], [1001, true, 'it was closed with code 1001']]) {
    const [shell, socket] = await opened();
    socket.end(code, wasClean);
    await assert.rejects(shell.exit, { message: `the connection to exec in p was lost, and its exit status with it (${how})`, request, retryable: true });
  }
});

test('the exit of a process is what the server says', async () => {
  assert.deepEqual(await exitAfter({ status: 'Success' }), { code: 0, reason: 'Success', message: '' });
  const failed = (...causes) => ({ status: 'Failure', reason: 'NonZeroExitCode', message: 'no', details: { causes } });
  const exit = (message) => ({ reason: 'ExitCode', message });
  assert.deepEqual(await exitAfter(failed({ reason: 'Other', message: '7' }, exit('137'))), { code: 137, reason: 'NonZeroExitCode', message: 'no' });
  for (const message of ['a1', '1a', '-1', '', undefined]) assert.equal((await exitAfter(failed(exit(message)))).code, null, message);
  for (const status of [{}, { details: {} }, 'null']) assert.deepEqual(await exitAfter(status), { code: null, reason: 'Unknown', message: '' });
  assert.deepEqual(await exitAfter('x'.repeat(1001)), { code: null, reason: 'Unknown', message: 'x'.repeat(1000) });
  assert.equal((await exitAfter('first', { status: 'Success' })).code, 0, 'the last one counts');
});

test('the output ends with the process', async () => {
  const [shell, socket] = await opened();
  socket.say(1, 'all');
  socket.say(3, '{"status":"Success"}');
  socket.end();
  shell.close();
  assert.deepEqual([await read(shell.stdout), await read(shell.stderr)], ['all', '']);
  assert.equal((await shell.exit).code, 0, 'closing it afterwards changes nothing');
  await settle();
});
