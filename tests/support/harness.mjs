// Stage of a browser test: a cluster, `kubectl proxy` with the built page on one origin, Chromium.
//
//   const stage = await setStage();              // in the file's top level
//   after(() => stage.end());
//   test('…', { skip: stage.unavailable }, …);   // a reason, or false
//
// E2E_CLUSTER chooses the cluster: `embedded` (the default) or `kube`. See apiservers.mjs.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { chromium } from 'playwright-core';
import { Unavailable, apiservers, findKubectl } from './apiservers.mjs';
import { findHeadless } from './browser.mjs';
import { eventually } from './eventually.mjs';
import { run, serve } from './processes.mjs';
import { startProxy } from './start.mjs';

export { eventually };

/** The built page: dist/, or the folder that PAGE names (`web/build.sh quick`). */
const dist = process.env.PAGE ?? fileURLToPath(new URL('../../dist', import.meta.url));
const patience = fileURLToPath(new URL('patience.js', import.meta.url));

/** Fills `folder` with links to the built page. Its worker alone is another file, which waits longer: see patience.js. */
async function linkDist(folder) {
  const [engine, worker] = [join(folder, 'kube-informer'), 'kube-informer/worker.js'];
  await mkdir(engine);
  for (const name of await readdir(dist)) if (name !== 'kube-informer') await symlink(join(dist, name), join(folder, name));
  for (const name of await readdir(join(dist, 'kube-informer'))) if (name !== 'worker.js') await symlink(join(dist, 'kube-informer', name), join(engine, name));
  await writeFile(join(folder, worker), `${await readFile(patience)}${await readFile(join(dist, worker))}`);
}

/** Starts one Chromium for all pages. Timeouts are minutes, not Playwright's 30 seconds. */
export async function launch() {
  const browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath: findHeadless(),
    chromiumSandbox: false, // it does not start as root otherwise
    args: ['--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (profile) => {
    const context = await newContext(profile);
    context.setDefaultTimeout(PATIENCE);
    await context.addInitScript({ path: patience });
    return context;
  };
  return browser;
}

/**
 * Calls `report` with each error that a SharedWorker throws or logs. Playwright shows pages and dedicated
 * workers only, and the informers live in a SharedWorker: without this their errors would pass unseen.
 */
export async function watchSharedWorkers(browser, report) {
  const session = await browser.newBrowserCDPSession();
  const send = (sessionId, method) => session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: 1, method }) });
  session.on('Target.targetCreated', async ({ targetInfo }) => {
    if (targetInfo.type !== 'shared_worker') return;
    try {
      // Not "flatten": Playwright could not assign the messages.
      const { sessionId } = await session.send('Target.attachToTarget', { targetId: targetInfo.targetId, flatten: false });
      await send(sessionId, 'Runtime.enable');
    } catch {
      // The worker ended first.
    }
  });
  session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
    const { method, params } = JSON.parse(message);
    if (method === 'Runtime.exceptionThrown') {
      const { exception, text } = params.exceptionDetails;
      report(`shared worker: ${exception?.description ?? text}`);
    } else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
      report(`shared worker: ${params.args.map((arg) => arg.value ?? arg.description).join(' ')}`);
    } else if (method === 'Inspector.targetReloadedAfterCrash') {
      // A reload replaces the page's worker. The new one waits for a debugger if the old one had one.
      send(sessionId, 'Runtime.runIfWaitingForDebugger').catch(() => {});
    }
  });
  await session.send('Target.setDiscoverTargets', { discover: true });
}

class Stage {
  unavailable = false;
  /** Errors that pages and workers threw or logged. A test that leaves any has failed. */
  errors = [];
  #ends = [];
  #wasStopped = false;

  async #set(options) {
    if (!existsSync(join(dist, 'index.html'))) throw new Error(`${dist}/index.html is missing: make build`);
    this.www = await mkdtemp(join(tmpdir(), 'kube-informer-page-'));
    this.#ends.push(() => rm(this.www, { recursive: true, force: true }));
    await linkDist(this.www);
    this.kubectlPath = await findKubectl();
    const cluster = await apiservers[process.env.E2E_CLUSTER ?? 'embedded'](options.args ?? []);
    this.#ends.push(cluster.stop);
    this.kubeconfig = cluster.kubeconfig;
    this.openWatches = cluster.openWatches;
    this.kindWatches = cluster.kindWatches;
    this.user = options.user;
    this.proxyArgs = options.proxy ?? [];
    this.exec = options.exec ?? false;
    await this.startProxy();
    this.browser = await launch();
    this.#ends.push(() => this.browser.close());
    await watchSharedWorkers(this.browser, (error) => this.#note(error));
  }

  /** Starts everything; if a later part fails, the started parts are stopped. */
  async set(options) {
    try {
      await this.#set(options);
    } catch (error) {
      await this.end();
      if (!(error instanceof Unavailable)) throw error;
      this.unavailable = error.message;
    }
    return this;
  }

  async end() {
    for (const stop of this.#ends.splice(0).reverse()) await stop();
    await this.proxy?.stop();
  }

  /** Starts `kubectl proxy`, on its previous port, so that an open page finds it again. */
  async startProxy() {
    if (this.exec) return this.#startExecProxy();
    const args = [`--www=${this.www}`, '--www-prefix=/ui/', ...this.proxyArgs];
    if (this.user) args.push(`--as=${this.user}`);
    this.proxy = await startProxy(this.kubectlPath, this.kubeconfig, args, this.proxyPort);
    this.proxyPort = Number(new URL(this.proxy.url).port);
  }

  /** As `make dashboard EXEC=1`: the proxy allows shells, on a Unix socket; the Origin check listens before it. */
  async #startExecProxy() {
    const folder = await mkdtemp(join(tmpdir(), 'kube-informer-exec-'));
    this.#ends.push(() => rm(folder, { recursive: true, force: true }));
    const socket = join(folder, 'proxy.sock');
    const args = ['proxy', `--www=${this.www}`, '--www-prefix=/ui/', `--unix-socket=${socket}`, '--reject-paths=^$'];
    const proxy = await serve(this.kubectlPath, args, { env: { KUBECONFIG: this.kubeconfig }, ready: /Starting to serve on \S/ });
    this.#ends.push(proxy.stop);
    const check = fileURLToPath(new URL('../../web/parts/origin-check.mjs', import.meta.url));
    this.proxy = await serve(process.execPath, [check, socket, `${this.proxyPort ?? 0}`], { ready: /listening on \S+:(\d+)/ });
    this.proxyPort = Number(this.proxy.match[1]);
  }

  /** Starts another proxy for the test alone: access to the cluster while the page's own is stopped. Resolves to its URL. */
  async backdoor() {
    const proxy = await startProxy(this.kubectlPath, this.kubeconfig);
    this.#ends.push(proxy.stop);
    return proxy.url;
  }

  /** Waits until exactly this many watches are open on the apiserver, and those of the kinds as well unless `kinds` is false. */
  async watches(objects, { kinds = true } = {}) {
    const count = objects + (kinds ? this.kindWatches : 0);
    let open;
    await eventually(`${count} watches are open`, PATIENCE, async () => (open = await this.openWatches()) === count).catch((error) => {
      throw new Error(`${error.message}; there are ${open}`);
    });
  }

  /** Notes an error. A file that the engine was loading when a test stopped the proxy is none: it is loaded again when it is needed. */
  #note(error) {
    if (!this.#wasStopped || !/\.wasm could not be loaded: /.test(error)) this.errors.push(error);
  }

  /** Kills the proxy at once: open streams end in the middle of a line, as with a closed laptop lid. */
  async killProxy() {
    this.#wasStopped = true;
    await this.proxy.stop('SIGKILL');
  }

  url(hash = '') {
    return `http://127.0.0.1:${this.proxyPort}/ui/${hash}`;
  }

  /** Runs kubectl on the cluster itself, not through the proxy. `input` is its standard input. */
  kubectl(args, input) {
    return run(this.kubectlPath, args, { env: { KUBECONFIG: this.kubeconfig }, input });
  }

  /**
   * A new page in a new profile, at this hash. `profile` is Playwright's options of a context: viewport, permissions; `files`
   * are values that it reads as JSON in place of files, by pattern of their address; `prepare(page)` runs before it loads.
   */
  async open(hash, profile = {}, files = {}, prepare = () => {}) {
    const context = await this.browser.newContext(profile);
    for (const [pattern, json] of Object.entries(files)) await context.route(pattern, (route) => route.fulfill({ json }));
    const page = await context.newPage();
    page.on('pageerror', (error) => this.#note(`page: ${error.stack ?? error}`));
    page.on('console', (message) => {
      // The browser's own message on each failed request; tests check how the page handles failures.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.#note(`console: ${message.text()}`);
      }
    });
    await prepare(page);
    await page.goto(this.url(hash));
    return page;
  }
}

/** Starts everything. `args` are further arguments of the embedded apiserver, and mean the same on a real one (`--still`, `--pods N --churn 0`); the page has the permissions of `user`, not the administrator's; `proxy` are further arguments of `kubectl proxy`; `exec` allows shells, as `make dashboard EXEC=1`. */
export const setStage = (options = {}) => new Stage().set(options);

// Markup that the page guarantees for its tests.
export const grid = (page) => page.locator('[role=grid]');
export const row = (page, key) => page.locator(`[role=row][data-key=${JSON.stringify(key)}]`);
export const cell = (page, key, column) => row(page, key).locator(`[role=gridcell][data-column=${JSON.stringify(column)}]`);
export const freshness = (page, value) => page.locator(value ? `[data-freshness=${value}]` : '[data-freshness]');

/** Timeout of a condition: long, so that no test depends on the machine's speed. */
export const PATIENCE = 120_000;
/** Timeout of a whole test. */
export const TEST = { timeout: 600_000 };

/** Informers that the page keeps for their recorded changes after it has left them: `MAX_UNUSED` in web/src/timeline/recorder.rs. */
export const RECORDED = 4;

/** Polls `read` until its result deep-equals `expected`; the error has the difference. */
export async function settled(what, read, expected) {
  let actual;
  const deadline = performance.now() + PATIENCE;
  while (!isDeepStrictEqual((actual = await read()), expected)) {
    if (performance.now() > deadline) {
      const { message } = new assert.AssertionError({ actual, expected, operator: 'deepStrictEqual' });
      throw new assert.AssertionError({ actual, expected, operator: 'deepStrictEqual', message: `${what}: ${message}` });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
