// Start of the dashboard: time until the first row is on screen. Cold, without a file in the cache and without a snapshot; and warm,
// from a snapshot, with all files in the cache.
import { hasSnapshot } from '../../support/snapshot.mjs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../stage.mjs';
import { figure, median, unmeasured } from '../statistics.mjs';

export const title = 'a start of the dashboard';
export const sizes = (wanted) => wanted.filter((size) => size === 10_000);

const STARTS = 10;
const RELOADS = 15;
const COLD = { value: true, atMost: 1500 };
const WARM = { value: true, atMost: 300 };

/** Steps in order, as far as a page can observe them. */
const STEPS = ['boot', 'wasm', 'connected', 'view', 'row', 'painted'];

export async function measure({ browser, size, serving, say }) {
  const about = { name: 'start', unit: 'ms', size };
  if (!existsSync(join(root, 'dist/index.html'))) return [unmeasured({ ...about, reason: 'the dashboard is not built: make build' })];
  return serving({ pods: size }, async (origin) => {
    const cold = await starts(browser, origin);

    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(watchStart);
    await page.goto(`${origin}/ui/dashboard/#/v1/pods`);
    await live(page);
    await page.waitForFunction(hasSnapshot, null, { timeout: 60_000, polling: 500 });

    const alone = await reloads(page);
    if (!alone.every(({ same }) => !same)) throw new Error('the worker outlived a reload of its only tab');

    const other = await context.newPage();
    await other.goto(`${origin}/ui/dashboard/#/v1/pods`);
    await live(other);
    await page.bringToFront();
    const beside = await reloads(page);
    if (!beside.every(({ same }) => same)) throw new Error('the worker of two tabs went with one of them');
    await context.close();

    return [
      ['cold start to the first row', cold, COLD],
      ['warm reload to the first row', alone, WARM],
      ['warm reload to the first row, the worker still there', beside, WARM],
    ].map(([name, samples, goal]) => {
      const note = STEPS.map((step) => `${step} ${Math.round(median(samples.map((sample) => sample[step])))}`).join(', ');
      say(`${name}: ${note}`);
      return figure({ ...about, name, value: samples.map(({ painted }) => painted), goal, note: `medians of its steps, in ms since the navigation: ${note}` });
    });
  });
}

async function live(page) {
  await page.locator('[data-freshness=live]').first().waitFor({ timeout: 120_000 });
}

/** Starts in new profiles, and the times of each; the first one is not counted. */
async function starts(browser, origin) {
  const samples = [];
  for (let time = 0; time <= STARTS; time++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(watchStart);
    await page.goto(`${origin}/ui/dashboard/#/v1/pods`);
    await page.waitForFunction(() => window.steps?.painted, null, { timeout: 60_000 });
    if (time > 0) samples.push(await page.evaluate(() => window.steps));
    // The whole list would take time of the next one.
    await live(page);
    await context.close();
  }
  return samples;
}

/** Reloads, and the times of each; the first one is not counted. */
async function reloads(page) {
  const samples = [];
  for (let time = 0; time <= RELOADS; time++) {
    const before = await page.evaluate(lockHolders);
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => window.steps?.painted, null, { timeout: 30_000 });
    const steps = await page.evaluate(() => window.steps);
    await live(page);
    // Work after the rows has ended, and executed code is in the browser's cache.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const after = await page.evaluate(lockHolders);
    if (time > 0) samples.push({ ...steps, same: after.some((holder) => before.includes(holder)) });
  }
  return samples;
}

/** In the page: returns the holders of the package's locks. The worker holds one for its life, a page until it is reloaded. */
async function lockHolders() {
  const { held } = await navigator.locks.query();
  return held.filter(({ name }) => name.startsWith('kube-informer ')).map(({ clientId }) => clientId);
}

/** In the page, before its own scripts: records when each step is done, in milliseconds since the navigation. */
function watchStart() {
  const steps = (window.steps = {});
  const note = (name) => (steps[name] ??= performance.now());

  const { SharedWorker } = window;
  window.SharedWorker = class extends SharedWorker {
    constructor(...options) {
      super(...options);
      note('boot');
      this.port.addEventListener('message', ({ data }) => {
        if (typeof data !== 'string') return;
        if (data.startsWith('{"type":"connected"')) note('connected');
        // Namespaces have a view, too, but their keys contain none.
        if (data.startsWith('{"type":"view"') && /"key":"[^"/]+\//.test(data)) note('view');
      });
    }
  };
  for (const name of ['compileStreaming', 'instantiateStreaming']) {
    const compile = WebAssembly[name].bind(WebAssembly);
    WebAssembly[name] = (...options) => {
      const compiled = compile(...options);
      compiled.then(() => note('wasm'), () => {});
      return compiled;
    };
  }

  const nextFrame = window.requestAnimationFrame.bind(window);
  // A message arrives after the current frame.
  const afterwards = (call) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = call;
    port2.postMessage(null);
  };
  let inFrame = false;
  window.requestAnimationFrame = (callback) =>
    nextFrame((time) => {
      inFrame = true;
      afterwards(() => (inFrame = false));
      callback(time);
    });
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.canvas [role=row][data-key] [role=gridcell]:not(:empty)')) return;
    observer.disconnect();
    note('row');
    const painted = () => afterwards(() => note('painted'));
    if (inFrame) painted();
    else nextFrame(painted);
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-key'] });
}
