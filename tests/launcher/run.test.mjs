// Run of the launcher: its start, its errors and its end, with a simulated kubectl and browser.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.mjs';
import { PATIENCE, TEST, programsWithout } from './artefacts.mjs';
import { exists, launch, runToEnd } from './launched.mjs';
import { KUBECTL, OPENERS, environment, folder, isProxy, program, served } from './simulated.mjs';

test('a missing kubectl is an error that says what to do', TEST, async () => {
  const without = join(folder, 'without kubectl');
  await programsWithout(without, ['kubectl']);
  const { env, own } = await environment({ PATH: without });
  for (const args of [[], ['--context', 'dev']]) {
    const { code, error } = await runToEnd(program(), ['--no-open', '--port=0', ...args], env);
    assert.deepEqual([code, error], [1, 'error: kubectl is not on PATH. Install it (https://kubernetes.io/docs/tasks/tools/) and run this command again.\n']);
  }
  assert.deepEqual(await readdir(own), [], 'no files are left');
});

test('a kubeconfig without a current context is an error', TEST, async () => {
  const { env, record } = await environment({ CONTEXT: '' });
  const { code, error } = await runToEnd(program(), ['--no-open'], env);
  assert.equal(code, 1);
  assert.match(error, /^error: kubectl has no current context \(error: current-context is not set\)\. Choose one with --context; /);
  assert.ok(!(await record()).some(isProxy));
});

test('if kubectl ends by itself, the launcher has its exit code and its last messages', TEST, async () => {
  const messages = `error: no such context\n${Array.from({ length: 50 }, (_, at) => `E0102 15:04:05.678901 1 proxy.go:1] line ${at}`).join('\n')}\nlast words`;
  const { env, own } = await environment({ KUBECTL_ENDS: JSON.stringify([3, messages]) });
  const { code, out, error } = await runToEnd(program(), ['--no-open', '--port=0'], env);
  assert.deepEqual([code, out], [3, '']);
  assert.match(error, /^error: no such context\nerror: E0102 .* line 40\n[\s\S]* line 49\nlast words\nkubectl proxy ended by itself \(exit code 3\)\.\n$/);
  assert.ok(!/line 39$/m.test(error));
  assert.deepEqual(await readdir(own), []);
});

test('an apiserver that does not answer, or rejects the credentials, is an error that says what to do', TEST, async () => {
  const hostile = `dial tcp 127.0.0.1:9:\n connect: \u001b[31mconnection refused${'.'.repeat(5000)}`;
  for (const [answer, expected] of [
    [[500, hostile], /^error: The apiserver of "simulated" does not answer \(dial tcp 127\.0\.0\.1:9: connect: \[31mconnection refused\.{1,160}\)\. Check the network or the VPN, or choose another context with --context\.\n$/],
    [[500, ''], /^error: The apiserver of "simulated" does not answer \(500\)\. /],
    [[401, '{}'], /^error: The apiserver of "simulated" rejects your credentials \(401\)\. Log in again, then run this command again\.\n$/],
  ]) {
    const { env, own, record } = await environment({ KUBECTL_ANSWERS: JSON.stringify(answer) });
    const { code, out, error } = await runToEnd(program(), ['--no-open', '--port=0'], env);
    assert.deepEqual([code, out], [1, ''], error);
    assert.match(error.replace(/^Open .*\n/, ''), expected);
    assert.ok(!exists((await record()).find(isProxy).pid));
    assert.deepEqual(await readdir(own), [], 'no files are left');
  }
});

test('the page opens before the apiserver answers, as it may after a login', TEST, async () => {
  for (const KUBECTL_ANSWERS of ['nothing', JSON.stringify([403, '{}']), JSON.stringify([500, '{}'])]) assert.equal((await served([], { KUBECTL_ANSWERS })).context, 'simulated');
});

test('a folder of temporary files that cannot be written to is an error that says what to do', TEST, async () => {
  const { env, record } = await environment();
  const TMPDIR = join(folder, 'none such');
  const { code, out, error } = await runToEnd(program(), ['--no-open', '--port=0'], { ...env, TMPDIR });
  assert.deepEqual([code, out], [1, '']);
  assert.equal(error, `error: Cannot write to the folder of temporary files, ${TMPDIR} (ENOENT). Free space there, or name another folder in the variable TMPDIR.\n`);
  assert.ok(!(await record()).some(isProxy));
});

test('each signal ends kubectl, removes the files, and the exit code is 0', TEST, async () => {
  for (const [signal, given] of [['SIGINT'], ['SIGTERM'], ['SIGHUP'], ['SIGINT', { KUBECTL_IGNORES: '1' }]]) {
    const { env, record, own } = await environment(given);
    const launched = launch(program(), ['--no-open', '--port=0'], env);
    await launched.address();
    const { pid } = (await record()).find(isProxy);
    assert.ok(exists(pid));
    assert.equal(await launched.stop(signal), 0, signal);
    assert.ok(!exists(pid), signal);
    assert.deepEqual(await readdir(own), [], signal);
  }
});

test('a kubectl that Ctrl-C has ended is no error, and one that another signal has ended is', TEST, async () => {
  for (const [signal, expected] of [['SIGINT', 0], ['SIGKILL', 137]]) {
    const { env, record } = await environment();
    const launched = launch(program(), ['--no-open', '--port=0'], env);
    await launched.address();
    process.kill((await record()).find(isProxy).pid, signal);
    assert.equal(await launched.ended, expected);
  }
});

test('a taken port is an error, and the default is another one', TEST, async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const { env, record } = await environment();
  const { code, error } = await runToEnd(program(), ['--no-open', `--port=${port}`], env);
  assert.deepEqual([code, error], [1, `error: Cannot listen on port ${port} of 127.0.0.1. Choose another one with --port.\n`]);
  assert.ok(!(await record()).some(isProxy));
  server.close();
  await once(server, 'close');
  assert.equal(new URL((await served([`--port=${port}`])).url).port, `${port}`);
  // Another program has the default port: this one, if none does already.
  const usual = createServer().listen(8001, '127.0.0.1');
  await new Promise((resolve) => usual.once('listening', resolve).once('error', resolve));
  const launched = launch(program(), ['--no-open'], (await environment()).env);
  assert.notEqual(new URL((await launched.address()).url).port, '8001');
  assert.equal(await launched.stop(), 0);
  usual.close();
});

test('the browser opens the address, which names the namespaces', TEST, async () => {
  for (const [options, hash] of [[[], ''], [['-n', 'shop'], '#/overview?namespace=shop'], [['--namespace=a,b &c'], '#/overview?namespace=a%2Cb%20%26c']]) {
    const { env, record } = await environment();
    const launched = launch(program(), ['--port=0', ...options], env);
    const { url } = await launched.address();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/ui\//);
    assert.equal(new URL(url).hash, hash);
    const opened = await eventually('the browser is opened', PATIENCE, async () => (await record()).find((line) => line.opened));
    assert.deepEqual(opened.opened, [url]);
    assert.equal(await launched.stop(), 0);
  }
});

test('a machine without a browser is no error', TEST, async () => {
  const without = join(folder, 'without browser');
  await programsWithout(without, ['kubectl', ...OPENERS]);
  await writeFile(join(without, 'kubectl'), KUBECTL, { mode: 0o755 });
  const launched = launch(program(), ['--port=0'], (await environment({ PATH: without })).env);
  await launched.address();
  assert.equal(await launched.stop(), 0, launched.output.error);
});
