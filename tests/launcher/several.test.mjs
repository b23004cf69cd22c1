// Several contexts in one launcher, with a simulated kubectl: their proxies, their routes, and the end of one and of all.
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { prefixOf } from '../../web/parts/clusters.mjs';
import { eventually } from '../support/eventually.mjs';
import { PATIENCE, TEST } from './artefacts.mjs';
import { exists, launch, runToEnd } from './launched.mjs';
import { environment, folder, isProxy, program } from './simulated.mjs';
import { status, upgrade } from '../support/status.mjs';

const flagsOf = (names) => names.map((name) => `--context=${name}`);
const contextOf = ({ args }) => args.find((arg) => arg.startsWith('--context=')).slice('--context='.length);

/** Starts the launcher with these contexts. Resolves to what `launch` returns, with `{ own, origin, contexts, proxies(), states(), text(path) }`. */
async function start(names, { options = [], env: given } = {}) {
  const { env, record, own } = await environment(given);
  const launched = launch(program(), ['--no-open', '--port=0', ...flagsOf(names), ...options], env);
  const { url, contexts } = await launched.address();
  const { origin } = new URL(url);
  const list = async () => (await fetch(`${origin}/clusters.json`)).json();
  return {
    ...launched,
    own,
    url,
    origin,
    contexts,
    list,
    proxies: async () => (await record()).filter(isProxy),
    states: async () => Object.fromEntries((await list()).clusters.map(({ name, state }) => [name, state])),
    text: async (path) => (await fetch(`${origin}${path}`)).text(),
  };
}

/** Waits until the connections have these states. */
const inStates = (run, expected) => eventually(`states ${JSON.stringify(expected)}`, PATIENCE, async () => JSON.stringify(await run.states()) === JSON.stringify(expected));

let files = 0;
/** A file with failures of contexts, for KUBECTL_FAILS. */
async function failing(failures) {
  const file = join(folder, `failures ${files++}`);
  const set = (failures) => writeFile(file, JSON.stringify(failures));
  await set(failures);
  return { env: { KUBECTL_FAILS: file }, set };
}

// Names of contexts: those of EKS are paths, and all characters are allowed.
const NAMES = ['prod', 'Prod', 'arn:aws:eks:eu:1:cluster/prod', 'user@dev', 'a b', '--kubeconfig=/x', `$(touch x)"'`, 'ü\\'];

test('each context has a kubectl proxy on a socket of its own, behind its prefix', TEST, async () => {
  const run = await start([...NAMES, 'prod'], { options: ['--kubeconfig=a file'] });
  assert.deepEqual(run.contexts, NAMES, 'a context that is given twice is there once');
  assert.equal(run.url, `${run.origin}/`);
  await inStates(run, Object.fromEntries(NAMES.map((name) => [name, 'running'])));
  const proxies = await run.proxies();
  assert.deepEqual(proxies.map(contextOf).sort(), [...NAMES].sort());
  const sockets = new Set();
  for (const { args } of proxies) {
    assert.deepEqual([args.length, args[0], args[2]], [4, '--kubeconfig=a file', 'proxy']);
    assert.match(args[3], /^--unix-socket=.*\/\d+\.sock$/);
    sockets.add(args[3]);
  }
  assert.equal(sockets.size, NAMES.length);
  for (const name of NAMES) {
    assert.equal(await run.text(`${prefixOf(name)}/api/v1?a=%2F`), `${name} /api/v1?a=%2F`);
    assert.equal(await status(`${run.origin}${prefixOf(name)}/api/v1/pods?watch=1`, { headers: { ...upgrade, origin: run.origin } }), 101);
    for (const origin of ['http://evil.example', 'null']) {
      assert.equal(await status(`${run.origin}${prefixOf(name)}/api/v1/pods?watch=1`, { headers: { ...upgrade, origin } }), 403);
      assert.equal(await status(`${run.origin}${prefixOf(name)}/api/v1`, { method: 'DELETE', headers: { origin } }), 403);
    }
    assert.equal(await status(`${run.origin}${prefixOf(name)}/api`, { headers: { host: 'evil.example' } }), 403);
  }
  assert.equal(await status(`${run.origin}/clusters/PROD/api`), 404);
  assert.equal(await run.stop(), 0);
});

test('options apply to each context', TEST, async () => {
  const run = await start(['a', 'b'], { options: ['--read-only', '--protected=b,c*', '--namespace', 'x&y'] });
  await inStates(run, { a: 'running', b: 'running' });
  for (const { args } of await run.proxies()) assert.equal(args.filter((arg) => arg.startsWith('--reject')).length, 2);
  const { hash, clusters } = await run.list();
  assert.equal(hash, '#/overview?namespace=x%26y');
  assert.deepEqual(clusters.map(({ name, isProtected }) => [name, isProtected]), [['a', false], ['b', true]]);
  for (const [name, isProtected] of [['a', false], ['b', true]]) assert.deepEqual(JSON.parse(await run.text(`/clusters/${name}/ui/context.json`)), { context: name, protected: isProtected });
  assert.equal(await run.stop(), 0);
});

test('a context that does not start is named, and the others are served', TEST, async () => {
  const { env, set } = await failing({ 'no such': [1, 'error: context "no such" does not exist\n'] });
  const run = await start(['no such', 'dev'], { env });
  await inStates(run, { 'no such': 'ended', dev: 'running' });
  const reason = 'The context "no such" is not connected: kubectl proxy ended by itself (exit code 1): error: context "no such" does not exist.';
  await eventually('the reason is printed', PATIENCE, () => run.output.error.includes(`${reason}\n`));
  const response = await fetch(`${run.origin}/clusters/no%20such/api`);
  assert.deepEqual([response.status, await response.text()], [503, `${reason} Choose Retry in the tab of the cluster.\n`]);
  assert.equal(await run.text('/clusters/dev/api'), 'dev /api');
  // Retry, once the reason is gone.
  const retry = () => fetch(`${run.origin}/start?cluster=no%20such`, { method: 'POST' });
  await retry();
  await eventually('it has ended again', PATIENCE, async () => (await run.proxies()).filter((proxy) => contextOf(proxy) === 'no such').length === 2);
  await inStates(run, { 'no such': 'ended', dev: 'running' });
  await set({});
  await retry();
  await inStates(run, { 'no such': 'running', dev: 'running' });
  assert.equal(await run.text('/clusters/no%20such/api'), 'no such /api');
  assert.equal(await run.stop(), 0);
  for (const { pid } of await run.proxies()) assert.ok(!exists(pid), 'also the one that was started again');
  assert.deepEqual(await readdir(run.own), []);
});

test('a connection that ends leaves the others, and the end of the last ends the launcher', TEST, async () => {
  const run = await start(['a', 'b']);
  await inStates(run, { a: 'running', b: 'running' });
  const pidOf = async (name) => (await run.proxies()).find((proxy) => contextOf(proxy) === name).pid;
  process.kill(await pidOf('a'), 'SIGKILL');
  await inStates(run, { a: 'ended', b: 'running' });
  assert.equal((await fetch(`${run.origin}/clusters/a/api`)).status, 503);
  assert.equal(await run.text('/clusters/b/api'), 'b /api');
  process.kill(await pidOf('b'), 'SIGKILL');
  assert.equal(await run.ended, 137);
  assert.match(run.output.error, /^The context "a" is not connected: kubectl proxy ended by itself \(SIGKILL\): .*\.$/m);
  assert.match(run.output.error, /^error: The context "b" is not connected: .* No context is connected any more\.$/m);
  assert.deepEqual(await readdir(run.own), []);
});

test('if no context starts, no address is printed, and the exit code is that of kubectl', TEST, async () => {
  const { env: failures } = await failing({ a: [3, 'error: a\n'], b: [3, 'error: b\n'] });
  const { env, own } = await environment(failures);
  const { code, out, error } = await runToEnd(program(), ['--port=0', ...flagsOf(['a', 'b'])], env);
  assert.deepEqual([code, out], [3, '']);
  for (const name of ['a', 'b']) assert.ok(error.includes(`The context "${name}" is not connected: kubectl proxy ended by itself (exit code 3): error: ${name}.`), error);
  assert.deepEqual(await readdir(own), []);
});

test('each signal ends all proxies, removes the files, and the exit code is 0', TEST, async () => {
  for (const [signal, env] of [['SIGINT'], ['SIGTERM'], ['SIGHUP'], ['SIGINT', { KUBECTL_IGNORES: '1' }]]) {
    const run = await start(['a', 'b', 'c'], { env });
    await inStates(run, { a: 'running', b: 'running', c: 'running' });
    const proxies = await run.proxies();
    assert.equal(proxies.length, 3);
    assert.equal(await run.stop(signal), 0, signal);
    for (const { pid } of proxies) assert.ok(!exists(pid), signal);
    assert.deepEqual(await readdir(run.own), [], signal);
    assert.ok(!run.output.error.includes('not connected'), run.output.error);
  }
});

test('Ctrl-C, which a terminal sends to kubectl as well, is no error', TEST, async () => {
  const run = await start(['a', 'b']);
  await inStates(run, { a: 'running', b: 'running' });
  for (const { pid } of await run.proxies()) process.kill(pid, 'SIGINT');
  assert.equal(await run.ended, 0);
  assert.ok(!run.output.error.includes('not connected'), run.output.error);
});

test('questions of a credential plugin name their context', TEST, async () => {
  const run = await start(['a', 'b']);
  await inStates(run, { a: 'running', b: 'running' });
  assert.equal(await run.stop(), 0);
  for (const name of ['a', 'b']) assert.ok(run.output.error.includes(`"${name}": Open https://login.example and enter ABC\n`), run.output.error);
});
