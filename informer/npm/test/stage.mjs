// The stage of the browser tests: the embedded apiserver, before it a server that adds the package's files on the same
// origin and can take the apiserver away, and Chromium.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { findChromium } from '../../../tests/support/browser.mjs';
import { eventually as poll } from '../../../tests/support/eventually.mjs';
import { binaries, startEmbedded } from '../../../tests/support/start.mjs';
import { passUpgradeOn } from '../../../tests/support/upgrade.mjs';
import { root, unpack } from './tarball.mjs';

const { chromium } = createRequire(join(root, 'tests/package.json'))('playwright-core');

async function startApiserver(pods) {
  if (!existsSync(join(binaries, 'apiserver'))) {
    const build = ['build', '--quiet', '--profile', 'native', '-p', 'apiserver'];
    if (spawnSync('cargo', build, { cwd: root, stdio: 'inherit' }).status !== 0) throw new Error('the apiserver could not be built');
  }
  return startEmbedded(['--pods', `${pods}`, '--churn', '0']);
}

const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
// The policy of the README; the nonce is for the import map, which replaces a bundler.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'nonce-map'; worker-src 'self'";
const page = `<!doctype html><meta charset="utf-8"><title>test</title><script type="importmap" nonce="map">
{ "imports": { "kube-informer": "/patient/index.js", "kube-informer/slim": "/patient/slim.js" } }</script>`;

/**
 * An entry of the package whose `connect` has a timeout of two minutes, unless a test sets one. The default is ten seconds,
 * and a loaded machine may need longer to start a worker, or to report that its file is missing.
 */
const patient = (entry) => `
  import { connect as connectSoon } from '/package/dist/${entry}';
  export * from '/package/dist/${entry}';
  const isPlain = (options) => typeof options === 'object' && Object.getPrototypeOf(options ?? []) === Object.prototype;
  export const connect = (options = {}) => connectSoon(isPlain(options) ? { timeoutMs: 120_000, ...options } : options);
`;

/**
 * Before the code of a worker: two minutes in place of the eight seconds of a WebSocket handshake, after which a loaded machine
 * would be without WebSockets for ten minutes.
 */
const patience = (await readFile(new URL('../../../tests/support/patience.js', import.meta.url))).toString();

/** Files below /package and /made, everything else is the apiserver's. */
class Front {
  away = false;
  /** Files of the tests, by path. An `undefined` file gets no response; a function is called for each request. */
  made = new Map();
  /** Requested paths of the package's files. */
  served = [];
  /** Requests to the apiserver, including WebSockets. */
  asked = [];
  /** Whether WebSockets are forwarded ("hang": they get no response), and the open ones. */
  upgrades = true;
  /** Whether headers are held back until the first byte of the body, as by the dev servers of Vite and webpack. */
  holdsHeaders = false;
  /** Promise that a request waits for, by its URL. */
  hold = () => undefined;
  /** Whether pages of other origins may read responses of the apiserver. */
  cors = false;
  /** Status with which a request is rejected; `undefined` forwards it. */
  gate = () => undefined;
  sockets = new Set();
  #open = new Set();
  #server;

  constructor(upstream, folder) {
    this.#server = createServer((incoming, outgoing) => {
      const { pathname } = new URL(incoming.url, 'http://any');
      if (pathname === '/') return send(outgoing, '.html', page);
      if (pathname.startsWith('/patient/')) return send(outgoing, '.js', patient(pathname.slice('/patient/'.length)));
      if (this.made.has(pathname)) {
        const made = this.made.get(pathname);
        const file = typeof made === 'function' ? made() : made;
        return file === undefined ? undefined : send(outgoing, extname(pathname), file);
      }
      if (!pathname.startsWith('/package/')) return this.#forward(upstream, incoming, outgoing);
      this.served.push(pathname);
      const file = join(folder, pathname.slice('/package/'.length));
      readFile(file).then(
        // Where a WebSocket hangs, the test waits for its timeout.
        (body) => send(outgoing, extname(file), pathname.endsWith('/worker.js') && this.upgrades !== 'hang' ? patience + body : body),
        () => outgoing.writeHead(404).end(),
      );
    });
    this.#server.on('upgrade', (...args) => this.#upgrade(upstream, ...args));
  }

  #upgrade(upstream, incoming, socket, head) {
    if (!this.upgrades || this.away) return void socket.destroy();
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    if (this.upgrades === 'hang') return;
    this.asked.push(incoming.url);
    const entry = { url: incoming.url, socket, isStream: false };
    this.#open.add(entry);
    socket.on('close', () => this.#open.delete(entry));
    passUpgradeOn(upstream, incoming, socket, head);
  }

  async #forward(upstream, incoming, outgoing) {
    if (this.away) return void incoming.socket.destroy();
    this.asked.push(incoming.url);
    await this.hold(incoming.url);
    const status = this.gate(incoming);
    if (status !== undefined) {
      const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', message: 'Unauthorized', code: status });
      return void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
    }
    const onward = request(upstream + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, { ...answer.headers, ...(this.cors && { 'access-control-allow-origin': '*' }) });
      if (!this.holdsHeaders) outgoing.flushHeaders(); // a watch may be silent for long
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    const entry = { url: incoming.url, socket: incoming.socket, isStream: true };
    this.#open.add(entry);
    outgoing.on('close', () => {
      this.#open.delete(entry);
      onward.destroy();
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }

  /**
   * The number of watches that are open now, by a part of their URL. Whether by fetch or over a WebSocket depends on the
   * machine: where the response to a fetch takes longer than a second, a WebSocket is tried in parallel.
   */
  watches(part) {
    return this.#watches(part).length;
  }

  /** Those by fetch. */
  streams(part) {
    return this.#watches(part).filter(({ isStream }) => isStream).length;
  }

  #watches = (part) => [...this.#open].filter(({ url }) => url.includes('watch=true') && url.includes(part));

  /** As when a laptop's lid closes: open streams end in the middle of a line. */
  goAway() {
    this.away = true;
    for (const { socket } of this.#open) socket.destroy();
    for (const socket of this.sockets) socket.destroy();
  }

  comeBack() {
    this.away = false;
  }

  listen() {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${this.#server.address().port}`)));
  }

  stop() {
    this.#server.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

function send(outgoing, extension, body) {
  const type = types[extension] ?? 'application/octet-stream';
  outgoing.writeHead(200, { 'content-type': type, 'content-security-policy': policy, 'cache-control': 'no-store' }).end(body);
}

/** Whether the tests run in Firefox (NPM_TEST_BROWSER): those of modes.test.mjs, rules.test.mjs and client.test.mjs can. */
export const isFirefox = process.env.NPM_TEST_BROWSER === 'firefox';

const launchChromium = () =>
  chromium.launch({
    executablePath: findChromium(),
    timeout: PATIENCE,
    chromiumSandbox: false, // it does not start as root otherwise
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });

/** Starts everything, with this many pods; `end` stops it. */
export async function setStage({ pods = 60 } = {}) {
  const ends = [];
  const end = async () => {
    for (const stop of ends.splice(0).reverse()) await stop();
  };
  try {
    const { folder, remove } = await unpack();
    ends.push(remove);
    const apiserver = await startApiserver(pods);
    ends.push(apiserver.stop);
    const front = new Front(apiserver.url, folder);
    const origin = await front.listen();
    ends.push(() => front.stop());
    const browser = await (isFirefox ? (await import('./firefox.mjs')).launchFirefox(PATIENCE) : launchChromium());
    ends.push(() => browser.close());
    return { apiserver: apiserver.url, browser, end, folder, front, origin };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A page with `in-page.js`. Its exceptions and logs are recorded; `errors` are the unexpected ones. */
export async function openPage(stage, context) {
  const page = await context.newPage();
  // Shorter than the test's timeout, whose error does not name the awaited condition.
  page.setDefaultTimeout(PATIENCE / 2);
  const kept = { errors: [], logs: [] };
  page.on('pageerror', (error) => kept.errors.push(String(error.stack ?? error)));
  page.on('console', (message) => kept.logs.push(message.text()));
  await page.addInitScript({ path: new URL('in-page.js', import.meta.url).pathname });
  if (stage.front.upgrades !== 'hang') await page.addInitScript(patience);
  await page.goto(stage.origin);
  return { page, ...kept };
}

/** Gives each test a page of its own, in a context of its own: `take(page, context)` is called before each. Every rejection is to be handled. */
export function pageForEach(stage, take) {
  let made;
  beforeEach(async () => {
    const context = await stage.browser.newContext();
    made = [(await openPage(stage, context)).page, context];
    take(...made);
  });
  afterEach(async () => {
    stage.front.comeBack();
    const [page, context] = made;
    assert.deepEqual(await page.evaluate('unhandled'), []);
    await context.close();
  });
}

let namespaces = 0;

/** Timeout of a test; long, because no test depends on the speed of the machine. */
export const PATIENCE = 300_000;

/** Creates tests whose second half runs in a page, with a factory (`connected`) and a separate namespace. */
const pageTests = (stage, context, worker) => (name, body, check = assert.deepEqual, expected = true) =>
  test(name, { timeout: PATIENCE }, async () => {
    const { page, errors } = await openPage(stage, context);
    const script = `(async () => {
      const { connect, init, InformerError } = await import("kube-informer");
      const connected = await connect({ worker: ${JSON.stringify(worker)} });
      const ns = await namespace(${JSON.stringify(`npm-${namespaces++}`)});
      const maps = (options) => connected.forResource("v1/configmaps", { namespace: ns, ...options });
      const body = ${body};
      return body({ connect, init, InformerError, connected, ns, maps, worker: ${JSON.stringify(worker)} });
    })()`;
    check(await page.evaluate(script), expected);
    assert.deepEqual(await page.evaluate('unhandled'), [], 'every rejection is handled');
    assert.deepEqual(errors, []);
    await page.close();
  });

/**
 * Creates tests for each host of the engine: a kind of `worker`, or false for the page itself. `create` gets the function of
 * `pageTests`, the host, and the browser's context of its pages.
 */
export function inEachHost(stage, workers, create) {
  for (const worker of workers) {
    describe(`the engine ${worker ? `in a worker (${worker})` : 'in the page'}`, async () => {
      const context = await stage.browser.newContext();
      after(() => context.close());
      await create(pageTests(stage, context, worker), worker, context);
    });
  }
}

/** Polls until `check` returns a truthy value; the error names `what`. */
export const eventually = (what, check, milliseconds = 120_000) => poll(what, milliseconds, check);
