// Stage of the benchmarks: the embedded apiserver, which also serves the pages, and Chromium.
//
// Pages talk to the apiserver directly: a proxy in Node.js would add the same load for all contestants.
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium } from '../support/browser.mjs';
import { WorkerDevTools } from '../support/devtools.mjs';
import { startEmbedded } from '../support/start.mjs';
import { bundleClientNode } from './bundle.mjs';

export const here = fileURLToPath(new URL('.', import.meta.url));
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const targetDir = process.env.CARGO_TARGET_DIR ?? join(root, 'target');

/** Checks that a build output exists; the error names the command. */
export function required(path, how) {
  if (!existsSync(path)) throw new Error(`${path} is missing: ${how}`);
  return path;
}

/** Folder that the apiserver serves below /ui/: the pages, the package, client-node's bundle, the dashboard. */
export async function stageFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-bench-'));
  // Recordings of large clusters are several gigabytes: they are deleted with the process, however it ends.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  await cp(join(here, 'pages'), folder, { recursive: true });
  await cp(required(join(root, 'informer/npm/dist'), 'run make npm'), join(folder, 'package'), { recursive: true });
  const dist = join(root, 'dist');
  if (existsSync(join(dist, 'index.html'))) await cp(dist, join(folder, 'dashboard'), { recursive: true });
  await mkdir(join(folder, 'recorded'));
  await bundleClientNode(join(folder, 'client-node.js'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts an embedded apiserver with this many pods; `www` is the folder of its pages. */
export async function startApiserver({ pods, churn = 0, history = 4096, www }) {
  const args = ['--pods', `${pods}`, '--churn', `${churn}`, '--history', `${history}`];
  if (www) args.push('--www', www, '--www-prefix', '/ui/');
  // A hundred thousand pods take a while to generate.
  return startEmbedded(args, { seconds: 300 });
}

/** One Chromium for a whole run. Each page has a profile, and therefore a process, of its own. */
export async function launch() {
  return chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: false, // it does not start as root otherwise
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Timers of a background page would be throttled.
      '--disable-background-timer-throttling',
      '--disable-renderer-backgrounding',
      '--disable-backgrounding-occluded-windows',
      '--enable-precise-memory-info',
      '--js-flags=--expose-gc',
    ],
  });
}

/**
 * A contestant in a place: `ours`, `javascript`, `client-node`, `download` or `parse`, in a worker or in the page.
 *
 * `call(method, ...args)` calls a method of it; see `pages/contestants/`.
 */
export class Runner {
  #session;

  static async open(browser, origin, contestant, place = 'worker') {
    const runner = new Runner();
    runner.name = `${contestant} (${place})`;
    runner.context = await browser.newContext();
    runner.page = await runner.context.newPage();
    runner.crashed = new Promise((resolve) => runner.page.on('crash', resolve)).then(() => {
      throw new Error(`${runner.name}: the page has crashed`);
    });
    runner.crashed.catch(() => {});
    runner.page.on('pageerror', (error) => console.error(`${runner.name}: ${error.stack ?? error}`));
    runner.page.on('console', (message) => message.type() === 'error' && console.error(`${runner.name}: ${message.text()}`));
    runner.devtools = await WorkerDevTools.attach(runner.page);
    await runner.page.goto(`${origin}/ui/index.html`);
    await runner.#evaluate(([name, where]) => window.open_(name, where), [contestant, place]);
    runner.#session = await runner.context.newCDPSession(runner.page);
    await runner.#session.send('Performance.enable');
    return runner;
  }

  call(method, ...args) {
    return this.#evaluate(([name, rest]) => window.call(name, rest), [method, args]);
  }

  /** Calls a method and adds the renderer's CPU milliseconds to its result. */
  async timed(method, ...args) {
    const before = await this.cpu();
    const result = await this.call(method, ...args);
    return { ...result, cpu: (await this.cpu()) - before };
  }

  /** CPU time of the renderer process with all threads, in steps of 10 ms; parallel garbage collection counts. */
  async cpu() {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'ProcessTime').value;
  }

  #evaluate(what, args) {
    return Promise.race([this.crashed, this.page.evaluate(what, args)]);
  }

  close() {
    return this.context.close();
  }
}
