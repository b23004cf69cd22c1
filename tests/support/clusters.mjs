// Stage of several clusters: apiservers, the installed launcher with a context for each, and Chromium.
//
// Between each `kubectl proxy` of the launcher and its apiserver is a front that records requests. E2E_CLUSTER chooses the kind of the
// apiservers, as in harness.mjs.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { install, pack, unavailable } from '../launcher/artefacts.mjs';
import { launch as start } from '../launcher/launched.mjs';
import { Unavailable, apiservers, findKubectl } from './apiservers.mjs';
import { Front } from './front.mjs';
import { eventually, launch as launchBrowser, PATIENCE, watchSharedWorkers } from './harness.mjs';
import { run } from './processes.mjs';
import { startProxy } from './start.mjs';

class Clusters {
  unavailable = unavailable;
  /** Errors that pages and workers threw or logged, and violations of their policies. */
  errors = [];
  /** For each name: `{ requests, kubectl(args, input), front }`. `requests` are texts such as `GET /api/v1/pods?limit=500`. */
  by = {};
  #ends = [];

  async set(names, options) {
    if (unavailable) return this;
    try {
      await this.#set(names, options);
    } catch (error) {
      await this.end();
      if (!(error instanceof Unavailable)) throw error;
      this.unavailable = error.message;
    }
    return this;
  }

  async #set(names, options) {
    const folder = await mkdtemp(join(tmpdir(), 'clusters-stage-'));
    this.#ends.push(() => rm(folder, { recursive: true, force: true }));
    const kubectl = await findKubectl();
    const urls = [];
    for (const name of names) urls.push(await this.#add(name, kubectl));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(names, urls)));
    const artefacts = await pack();
    const bin = await install(artefacts.npm, join(folder, 'installed')).finally(artefacts.end);
    const env = { PATH: `${dirname(kubectl)}${delimiter}${process.env.PATH}`, KUBECONFIG: '/dev/null' };
    const contexts = names.map((name) => `--context=${name}`);
    this.launcher = start(join(bin, 'kube-informer-dashboard'), ['--no-open', '--port=0', `--kubeconfig=${kubeconfig}`, ...contexts, ...options], env);
    this.#ends.push(() => this.launcher.stop());
    this.origin = new URL((await this.launcher.address()).url).origin;
    this.browser = await launchBrowser();
    this.#ends.push(() => this.browser.close());
    await watchSharedWorkers(this.browser, (error) => this.errors.push(error));
  }

  /** Starts an apiserver with a recording front. Resolves to the front's URL. */
  async #add(name, kubectl) {
    const server = await apiservers[process.env.E2E_CLUSTER ?? 'embedded'](['--still']);
    this.#ends.push(server.stop);
    const proxy = await startProxy(kubectl, server.kubeconfig);
    this.#ends.push(proxy.stop);
    const requests = [];
    const front = new Front(proxy.url, '', (method, path) => requests.push(`${method} ${path}`));
    const url = await front.listen();
    this.#ends.push(() => front.stop());
    this.by[name] = { requests, front, kubectl: (args, input) => run(kubectl, args, { env: { KUBECONFIG: server.kubeconfig }, input }) };
    return url;
  }

  /** Opens a path, or another address, in a new profile, which has Playwright's options of a context. Resolves to the page. */
  async open(path = '/', profile = {}) {
    const page = await (await this.browser.newContext(profile)).newPage();
    page.on('pageerror', (error) => this.errors.push(`page: ${error.stack ?? error}`));
    await page.exposeFunction('violated', (violation) => this.errors.push(`policy: ${violation}`));
    await page.addInitScript(() => addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => globalThis.violated([violatedDirective, blockedURI, sample].join(' '))));
    await page.goto(new URL(path, this.origin).href);
    return page;
  }

  /** The process id of the `kubectl proxy` of a context. */
  async proxyOf(name) {
    const lines = (await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='])).split('\n').map((line) => line.trim().split(/\s+/));
    const [pid] = lines.find(([, parent, ...args]) => Number(parent) === this.launcher.pid && args.includes(`--context=${name}`));
    return Number(pid);
  }

  async end() {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}

/** A kubeconfig with a context for each URL. */
function kubeconfigOf(names, urls) {
  const clusters = urls.map((server, at) => ({ name: `${at}`, cluster: { server } }));
  const contexts = names.map((name, at) => ({ name, context: { cluster: `${at}`, user: '' } }));
  return { apiVersion: 'v1', kind: 'Config', 'current-context': names[0], clusters, users: [], contexts };
}

/** Starts everything. `names` are those of the contexts, and `options` further options of the launcher. */
export const setClusters = (names, options = []) => new Clusters().set(names, options);

// Markup of the page of several clusters.
export const tab = (page, name) => page.locator(`[role=tab][data-cluster=${JSON.stringify(name)}]`);

/** Resolves to the frame of a cluster, once its page is there. */
export const frameOf = (page, name) =>
  eventually(`the frame of ${name}`, PATIENCE, () => page.frames().find((frame) => frame.url().includes(`/clusters/${encodeURIComponent(name)}/ui/`)));

/** Waits until a cluster is the current one, and only its frame is visible. */
export const isCurrent = (page, name) =>
  eventually(`${name} is the current cluster`, PATIENCE, () =>
    page.evaluate((name) => {
      const selected = [...document.querySelectorAll('[role=tab][aria-selected=true]')].map((tab) => tab.dataset.cluster);
      const shown = [...document.querySelectorAll('iframe')].filter((frame) => frame.checkVisibility({ checkVisibilityCSS: true }) && !frame.closest('[inert]'));
      return selected.join() === name && shown.length === 1 && shown[0].contentWindow.location.pathname === `/clusters/${encodeURIComponent(name)}/ui/` && new URL(location).searchParams.get('cluster') === name;
    }, name),
  );

/** Waits until the tab of a cluster has a state. */
export const inState = (page, name, state) => tab(page, name).and(page.locator(`[data-state="${state}"]`)).waitFor({ timeout: PATIENCE });
