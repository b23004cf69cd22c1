// The release artefacts with a real kubectl, on the embedded apiserver, in Chromium: the installed npm package, and the archive of
// the page on a `kubectl proxy` that the user starts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { Unavailable, findKubectl } from '../support/apiservers.mjs';
import { eventually } from '../support/eventually.mjs';
import { PATIENCE, freshness, launch as launchBrowser } from '../support/harness.mjs';
import { run } from '../support/processes.mjs';
import { startEmbedded, startProxy } from '../support/start.mjs';
import { TEST, install, pack, unavailable } from './artefacts.mjs';
import { launch, runToEnd } from './launched.mjs';
import { status, upgrade } from '../support/status.mjs';

const folder = await mkdtemp(join(tmpdir(), 'launcher-cluster-'));
after(() => rm(folder, { recursive: true, force: true }));
const kubeconfig = join(folder, 'kube config');
const kubectl = await findKubectl().catch((error) => {
  if (error instanceof Unavailable) return undefined;
  throw error;
});
const CLUSTER = { ...TEST, skip: unavailable || (!kubectl && 'kubectl is missing') };
const ENV = { PATH: `${dirname(kubectl ?? '')}${delimiter}${process.env.PATH}`, KUBECONFIG: '/dev/null' };
const NAMESPACE = 'launcher-test';

let artefacts;
let server;
let browser;
let bin;
before(async () => {
  if (CLUSTER.skip) return;
  artefacts = await pack();
  bin = await install(artefacts.npm, join(folder, 'installed'));
  await run('tar', ['xzf', artefacts.page, '-C', folder]);
  server = await startEmbedded(['--pods', '40', '--churn', '0', '--kubeconfig', kubeconfig]);
  const create = (...args) => run(kubectl, ['create', ...args], { env: { KUBECONFIG: kubeconfig } });
  await create('namespace', NAMESPACE);
  await create('configmap', 'settings', '-n', NAMESPACE, '--from-literal=mode=slow');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  await artefacts?.end();
});

/** Starts the installed launcher. Resolves to `{ url, origin, context, stop, output }`. */
async function start(...options) {
  const launched = launch(join(bin, 'kube-informer-dashboard'), ['--no-open', '--port=0', `--kubeconfig=${kubeconfig}`, ...options], ENV);
  const { url, context } = await launched.address();
  const stop = async () => assert.equal(await launched.stop(), 0, launched.output.error);
  return { url, origin: new URL(url).origin, context, stop, output: launched.output };
}

/** Opens an address in a new profile. Resolves to the page, and the errors that it throws. */
async function open(url) {
  const page = await (await browser.newContext()).newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? `${error}`));
  await page.goto(url);
  return { page, errors };
}

/** Checks that the page at this address shows rows of pods and is live. */
async function showsPods(url) {
  const { page, errors } = await open(url);
  await page.locator('.canvas [role=row][data-key]:not([hidden]) [role=gridcell][data-column=Name]').first().waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  assert.deepEqual(errors, []);
  await page.context().close();
}

const SETTINGS = `/api/v1/namespaces/${NAMESPACE}/configmaps/settings`;

test('the installed package shows pods, and the name of the context', CLUSTER, async () => {
  const { url, origin, context, stop, output } = await start();
  try {
    assert.equal(context, 'embedded');
    await showsPods(`${url}#/v1/pods`);
    assert.deepEqual(await (await fetch(`${url}context.json`)).json(), { context: 'embedded', protected: false });
    assert.equal(await status(`${origin}${SETTINGS}`, { method: 'PUT', headers: { origin } }), 400, 'a write reaches the apiserver, which rejects its empty body');
  } finally {
    await stop();
  }
  assert.equal(output.error, '');
});

test('kubectl finds the package as a plugin', CLUSTER, async () => {
  const env = { ...ENV, PATH: `${bin}${delimiter}${ENV.PATH}` };
  const { code, out } = await runToEnd(kubectl, ['informer', '--help'], env);
  assert.deepEqual([code, out.split('\n')[0]], [0, 'Usage: kubectl informer [options]']);
  const launched = launch(kubectl, ['informer', '--no-open', '--port=0', '--kubeconfig', kubeconfig, '--context', 'embedded'], env);
  await showsPods(`${(await launched.address()).url}#/v1/pods`);
  assert.equal(await launched.stop('SIGINT'), 0, 'kubectl becomes the plugin');
});

test('a context that the kubeconfig does not have is an error', CLUSTER, async () => {
  const { code, error } = await runToEnd(join(bin, 'kubectl-informer'), ['--no-open', '--port=0', `--kubeconfig=${kubeconfig}`, '--context=none such'], ENV);
  assert.equal(code, 1);
  assert.match(error, /context "none such" does not exist[\s\S]*kubectl proxy ended by itself \(exit code 1\)\.\n$/);
});

test('an apiserver that does not answer, or rejects the credentials, is an error that says what to do', CLUSTER, async () => {
  const rejecting = createServer((incoming, outgoing) => outgoing.writeHead(401, { 'content-type': 'application/json' }).end('{}')).listen(0, '127.0.0.1');
  await once(rejecting, 'listening');
  for (const [port, expected] of [
    // No server listens there.
    [9, /^error: The apiserver of "away" does not answer \(.*connection refused.*\)\. Check the network or the VPN, or choose another context with --context\.\n$/],
    [rejecting.address().port, /^error: The apiserver of "away" rejects your credentials \(401\)\. Log in again, then run this command again\.\n$/],
  ]) {
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'away', contexts: [{ name: 'away', context: { cluster: 'c', user: 'u' } }], clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }], users: [{ name: 'u', user: { token: 'expired' } }] };
    const file = join(folder, `away-${port}`);
    await writeFile(file, JSON.stringify(config));
    const { code, out, error } = await runToEnd(join(bin, 'kubectl-informer'), ['--no-open', '--port=0', `--kubeconfig=${file}`], ENV);
    assert.deepEqual([code, out], [1, ''], error);
    assert.match(error, expected);
  }
  rejecting.close();
});

test('the page opens with the namespace', CLUSTER, async () => {
  const { url, stop } = await start('--namespace', NAMESPACE);
  try {
    const { page } = await open(url);
    await freshness(page, 'live').first().waitFor({ timeout: PATIENCE });
    await page.evaluate(() => (location.hash = location.hash.replace('/overview', '/v1/configmaps')));
    await page.locator(`[role=row][data-key="${NAMESPACE}/settings"]`).waitFor({ timeout: PATIENCE });
    await page.context().close();
  } finally {
    await stop();
  }
});

test('--read-only: lists and watches work, writes, shells and port forwarding are rejected', CLUSTER, async () => {
  const { url, origin, stop } = await start('--read-only');
  try {
    await showsPods(`${url}#/v1/pods`);
    for (const method of ['DELETE', 'PUT', 'PATCH', 'POST']) assert.equal(await status(`${origin}${SETTINGS}`, { method, headers: { origin } }), 403, method);
    assert.equal(await status(`${origin}${SETTINGS}`), 200);
    assert.equal(await status(`${origin}/api/v1/pods?watch=1`, { headers: { ...upgrade, origin } }), 101);
    for (const path of ['exec', 'attach', 'portforward']) assert.equal(await status(`${origin}/api/v1/namespaces/default/pods/none/${path}`, { headers: { ...upgrade, origin } }), 403, path);
    const { page, errors } = await open(`${url}#/v1/configmaps?object=${NAMESPACE}%2Fsettings`);
    await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
    const remove = page.locator('.drawer [role=menuitem][data-action=Delete]');
    await remove.getByText(/^Read only: the proxy rejects writes/).waitFor({ timeout: PATIENCE });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true');
    assert.deepEqual(errors, []);
    await page.context().close();
  } finally {
    await stop();
  }
});

test('--allow-exec lets exec reach the apiserver, for its own page only', CLUSTER, async () => {
  const exec = '/api/v1/namespaces/default/pods/none/exec';
  for (const [options, own] of [[[], 403], [['--allow-exec'], 404]]) {
    const { origin, stop } = await start(...options);
    try {
      assert.equal(await status(`${origin}${exec}`, { headers: { ...upgrade, origin } }), own);
      assert.equal(await status(`${origin}${exec}`, { headers: { ...upgrade, origin: 'http://evil.example' } }), 403);
    } finally {
      await stop();
    }
  }
});

test('requests of other web pages and other host names are rejected', CLUSTER, async () => {
  const { origin, stop } = await start();
  try {
    const watch = `${origin}/api/v1/pods?watch=1`;
    assert.equal(await status(watch, { headers: { ...upgrade, origin } }), 101);
    for (const other of ['http://evil.example', 'null', origin.replace(/\d+$/, '1')]) {
      assert.equal(await status(watch, { headers: { ...upgrade, origin: other } }), 403, other);
      assert.equal(await status(`${origin}${SETTINGS}`, { method: 'DELETE', headers: { origin: other } }), 403, other);
    }
    assert.equal(await status(watch, { headers: { host: 'evil.example' } }), 403);
    assert.equal(await status(`${origin}${SETTINGS}`), 200);
  } finally {
    await stop();
  }
});

test('the port is open on loopback only', CLUSTER, async (t) => {
  const address = Object.values(networkInterfaces()).flat().find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (!address) return t.skip('this machine has no address besides loopback');
  const { origin, stop } = await start();
  try {
    const socket = connect(Number(new URL(origin).port), address);
    const event = await Promise.race([once(socket, 'connect').then(() => 'connected'), new Promise((resolve) => socket.once('error', ({ code }) => resolve(code)))]);
    socket.destroy();
    assert.equal(event, 'ECONNREFUSED');
  } finally {
    await stop();
  }
});

test('the archive of the page works on kubectl proxy, with the default prefix and with another one', CLUSTER, async (t) => {
  const www = `--www=${join(folder, 'kube-informer-dashboard')}`;
  for (const [args, path] of [[[], '/static/'], [['--www-prefix=/ui/'], '/ui/']]) {
    const proxy = await startProxy(kubectl, kubeconfig, [www, ...args]);
    try {
      await showsPods(`${proxy.url}${path}#/v1/pods`);
      const { headers } = await fetch(`${proxy.url}${path}`);
      assert.equal(headers.get('last-modified'), null, 'a browser must not reuse the files of another version');
    } finally {
      await proxy.stop();
    }
  }
  await assert.rejects(startProxy(kubectl, kubeconfig, [www, '--www-prefix=/']), { exitCode: 2 }, 'the README says that this prefix does not work');
  t.diagnostic('kubectl proxy panics with --www-prefix=/');
});

test('a browser requests the page anew with each load, because another version may be there', CLUSTER, async () => {
  const { url, stop } = await start();
  try {
    const { page } = await open(`${url}#/v1/pods`);
    const loaded = [];
    page.on('response', (response) => response.url() === url && loaded.push(response));
    await page.goto('about:blank');
    await page.goto(`${url}#/v1/pods`);
    await eventually('the page is loaded', PATIENCE, () => loaded.length > 0);
    const [response] = loaded;
    assert.equal((await response.request().sizes()).responseBodySize > 0, true, 'it is not from the cache');
    assert.equal(await response.headerValue('last-modified'), null);
    await page.context().close();
  } finally {
    await stop();
  }
});
