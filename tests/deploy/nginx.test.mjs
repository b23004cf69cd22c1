// The deployment's nginx, as it is configured there, between a login proxy and an apiserver that wants a token; and the page in Chromium.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findHeadless } from '../support/browser.mjs';
import { writeCertificate } from '../support/certificate.mjs';
import { eventually } from '../support/eventually.mjs';
import { startEmbedded, startProxy } from '../support/start.mjs';
import { startAuthenticated, startLogin } from './login.mjs';
import { deploy, nginxProgram, startNginx } from './nginx.mjs';

const { chromium } = createRequire(new URL('../package.json', import.meta.url))('playwright-core');
const built = process.env.PAGE ?? fileURLToPath(new URL('../../dist', import.meta.url));
const PATIENCE = 120_000;
const missing = (!nginxProgram() && 'nginx is missing') || (!existsSync(join(built, 'index.html')) && 'the page is not built');
const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const TOKEN = 'the-token-of-zoe';

const status = (url, headers = {}, method = 'GET') =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('upgrade', (answer, socket) => (socket.destroy(), resolve({ status: answer.statusCode, headers: answer.headers })));
    sent.on('error', reject).end();
  });
const websocket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };

describe('nginx of the deployment', { skip: missing, timeout: 600_000 }, () => {
  const ends = [];
  let api, authenticated, nginx, login, browser;
  before(async () => {
    api = await startEmbedded(['--pods', '40', '--churn', '0']);
    authenticated = await startAuthenticated(api.url, TOKEN);
    nginx = await startNginx({ upstream: authenticated.url, page: built });
    login = await startLogin(nginx.url);
    browser = await chromium.launch({ executablePath: findHeadless(), args: ['--no-sandbox'] });
    ends.push(...[api, authenticated, nginx, login].map(({ stop }) => stop), () => browser.close());
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  test('the files have types, security headers and compression', async () => {
    const page = await status(`${nginx.url}/`);
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type'], /^text\/html/);
    assert.match(page.headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/);
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    const wasm = await status(`${nginx.url}/kube-informer/informer.wasm`, { 'accept-encoding': 'gzip' });
    assert.deepEqual([wasm.headers['content-type'], wasm.headers['content-encoding']], ['application/wasm', 'gzip']);
    assert.ok(wasm.body.length < 200_000, `${wasm.body.length} bytes`);
    assert.match((await status(`${nginx.url}/kube-informer/index.js`)).headers['content-type'], /javascript/);
    assert.equal((await status(`${nginx.url}/none`)).status, 404);
  });

  test('the token reaches the apiserver; cookies and impersonation do not', async () => {
    const own = { authorization: `Bearer ${TOKEN}`, cookie: 'session=s3cret', 'impersonate-user': 'admin', 'impersonate-group': 'system:masters', 'impersonate-uid': '0' };
    assert.equal((await status(`${nginx.url}/api/v1/pods?limit=1`, own)).status, 200);
    assert.equal((await status(`${nginx.url}/api/v1/pods?limit=1`)).status, 401);
    const [seen] = authenticated.seen.filter(({ authorization }) => authorization).slice(-1);
    assert.deepEqual(['cookie', 'impersonate-user', 'impersonate-group', 'impersonate-uid'].filter((name) => seen[name]), []);
  });

  test('another page’s WebSockets and writes are rejected, also of a similar host', async () => {
    const { host } = new URL(nginx.url);
    const own = { authorization: `Bearer ${TOKEN}` };
    const watch = `${nginx.url}/api/v1/pods?watch=true&resourceVersion=0`;
    for (const origin of ['http://evil.example', `http://${host}.evil.example`, 'null', `http://evil.example/${host}`, `http://x@${host}`, 'file://']) {
      assert.equal((await status(watch, { ...own, ...websocket, origin })).status, 403, origin);
      assert.equal((await status(`${nginx.url}/api/v1/namespaces/default/pods/x`, { ...own, origin }, 'DELETE')).status, 403, origin);
    }
    for (const origin of [`http://${host}`, `https://${host}`]) assert.equal((await status(watch, { ...own, ...websocket, origin })).status, 101, origin);
    // A client without an Origin is no browser. The apiserver itself wants one for a watch by WebSocket.
    assert.equal((await status(`${nginx.url}/version`, own)).status, 200);
  });

  test('under another host name there is no API, also for a page of that host', async () => {
    const own = { authorization: `Bearer ${TOKEN}` };
    for (const host of ['evil.example', `127.0.0.1.evil.example`, `evil.example:${new URL(nginx.url).port}`, '10.0.0.1']) {
      assert.equal((await status(`${nginx.url}/api/v1/pods?limit=1`, { ...own, host, origin: `http://${host}` })).status, 421, host);
    }
    for (const host of ['localhost', 'localhost:8080', '[::1]:1']) assert.equal((await status(`${nginx.url}/version`, { ...own, host })).status, 200, host);
  });

  test('a response of the API is no page of the dashboard', async () => {
    const { headers } = await status(`${nginx.url}/version`, { authorization: `Bearer ${TOKEN}` });
    assert.match(headers['content-security-policy'], /^sandbox/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  test('the page shows the rows, sees a change, and asks to log in when the session has ended', async () => {
    login.session = TOKEN;
    const context = await browser.newContext();
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => /Content Security Policy/.test(message.text()) && errors.push(message.text()));
    await page.goto(`${login.url}/#/v1/pods`);
    const rows = page.locator('[role=row][aria-rowindex]');
    await eventually('rows', PATIENCE, async () => (await rows.count()) > 10);
    const name = 'aaa-made-behind-nginx';
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
    const made = await page.evaluate(([body]) => fetch('/api/v1/namespaces/default/pods', { method: 'POST', body, headers: { 'content-type': 'application/json' } }).then(({ status }) => status), [body]);
    assert.equal(made, 201);
    await page.getByText(name).first().waitFor({ timeout: PATIENCE });
    login.session = undefined;
    await fetch(`${api.url}/admin/cut-watches`, { method: 'POST' });
    await page.getByText(/not logged in/i).first().waitFor({ timeout: PATIENCE });
    login.session = TOKEN;
    await page.reload();
    await page.getByText(name).first().waitFor({ timeout: PATIENCE });
    assert.deepEqual(errors, []);
    await context.close();
  });
});

test('with a ServiceAccount, kubectl proxy adds the token, and rejects writes', { skip: missing || (!kubectl && 'kubectl is missing'), timeout: 600_000 }, async () => {
  const home = await mkdtemp(join(tmpdir(), 'kube-informer-deploy-'));
  const api = await startEmbedded(['--pods', '40', '--churn', '0']);
  // kubectl sends tokens by HTTPS only.
  const { key, cert } = await writeCertificate(home);
  const tls = { key: await readFile(key), cert: await readFile(cert) };
  const authenticated = await startAuthenticated(api.url, TOKEN, tls);
  const kubeconfig = join(home, 'config');
  const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'c', contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }], clusters: [{ name: 'c', cluster: { server: authenticated.url, 'certificate-authority': cert } }], users: [{ name: 'u', user: { token: TOKEN } }] };
  await writeFile(kubeconfig, JSON.stringify(config));
  const patch = await readFile(join(deploy, 'service-account/kubectl-proxy.yaml'), 'utf8');
  const [, methods] = patch.match(/"(--reject-methods=[^"]+)"/);
  const proxy = await startProxy('kubectl', kubeconfig, [methods]);
  const nginx = await startNginx({ upstream: proxy.url, page: built, variant: 'service-account' });
  try {
    // A token of the user would replace that of the ServiceAccount.
    assert.equal((await status(`${nginx.url}/api/v1/pods?limit=1`, { authorization: 'Bearer other' })).status, 200);
    assert.equal((await status(`${nginx.url}/api/v1/namespaces/default/pods/x`, {}, 'DELETE')).status, 403);
    assert.equal((await status(`${nginx.url}/api/v1/namespaces/default/pods/x/exec?command=sh`)).status, 403);
  } finally {
    for (const { stop } of [nginx, proxy, authenticated, api]) await stop();
    await rm(home, { recursive: true, force: true });
  }
});

test('over HTTP/2 all watches share one connection', { skip: missing, timeout: 600_000 }, async () => {
  const api = await startEmbedded(['--pods', '40', '--churn', '0']);
  const nginx = await startNginx({ upstream: api.url, page: built, tls: true });
  const browser = await chromium.launch({ executablePath: findHeadless(), args: ['--no-sandbox', '--ignore-certificate-errors'] });
  try {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await page.goto(`${nginx.url}/#/v1/pods`);
    await eventually('rows', PATIENCE, async () => (await page.locator('[role=row][aria-rowindex]').count()) > 10);
    const { multiplexed } = await page.evaluate(async () => {
      const { connect } = await import('./kube-informer/index.js');
      const factory = await connect();
      const informers = ['v1/pods', 'v1/nodes', 'v1/services', 'v1/configmaps', 'v1/events', 'apps/v1/deployments'].map((name) => factory.forResource(name));
      factory.start();
      await factory.waitForCacheSync();
      await new Promise((resolve, reject) => {
        const check = () => (informers.every(({ status }) => status.freshness === 'live') ? resolve() : setTimeout(check, 50));
        setTimeout(() => reject(new Error(informers.map(({ status }) => status.freshness).join())), 60_000);
        check();
      });
      const { connections } = await factory.inspect();
      await factory.shutdown();
      return connections;
    });
    assert.equal(multiplexed, true);
  } finally {
    await browser.close();
    await nginx.stop();
    await api.stop();
  }
});
