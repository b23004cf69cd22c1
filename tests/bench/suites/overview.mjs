// Overview of a changing cluster: tasks of its main thread, CPU time of the worker that keeps the informers and the sums, and memory.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Gauges } from '../../support/gauges.mjs';
import { changing } from '../churn.mjs';
import { root } from '../stage.mjs';
import { figure, quantile, unmeasured } from '../statistics.mjs';
import { tasksOfThreads, total } from '../tracing.mjs';

export const title = 'the overview while the cluster lives';
export const sizes = (wanted) => wanted.filter((size) => size === 10_000 || size === 50_000);

const ROUNDS = 5;
const SECONDS = 6;
const RATE = 1000;

export async function measure({ browser, size, serving }) {
  const about = { name: 'overview', unit: 'ms', size, churn: RATE };
  if (!existsSync(join(root, 'dist/index.html'))) return [unmeasured({ ...about, reason: 'the dashboard is not built: make build' })];
  return serving({ pods: size, history: 100_000 }, async (origin) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const start = performance.now();
    await page.goto(`${origin}/ui/dashboard/#/overview`);
    await page.waitForFunction(isLoaded, null, { timeout: 120_000 });
    const loaded = performance.now() - start;
    const [p99, longest, share] = [[], [], []];
    const rate = await changing(origin, RATE, async () => {
      await pause(3);
      for (let round = 0; round < ROUNDS; round++) {
        const { main, worker, took } = await tasksOfThreads(browser, () => pause(SECONDS));
        if (main.length === 0 || worker.length === 0) throw new Error('the trace has no tasks of a main thread, or none of a worker');
        p99.push(quantile(main, 0.99));
        longest.push(Math.max(...main));
        share.push((100 * total(worker)) / took);
      }
    });
    const { workerWasm, workerHeap, pageWasm, pageHeap } = await (await Gauges.attach(browser, page)).read();
    await page.evaluate(() => (location.hash = '#/inspector'));
    const summary = page.getByText(/^[\d,]+ informers · /);
    await summary.waitFor({ timeout: 30_000 });
    const [informers] = (await summary.innerText()).split(' · ');
    await context.close();
    // A machine that is too busy for the changes cannot measure their cost.
    const judged = rate >= 0.9 * RATE;
    const note = `${informers}; ${judged ? '' : 'not judged: '}${Math.round(rate)} events a second came`;
    const at = { ...about, judged, note };
    const goal = (value) => (size === 50_000 ? { value: true, ...value } : undefined);
    return [
      figure({ ...at, name: 'overview, cold start until all cards have their figures', value: [loaded], churn: 0, judged: true, note: informers }),
      figure({ ...at, name: "overview, 99 % of the main thread's tasks", value: p99, goal: goal({ atMost: 8 }) }),
      figure({ ...at, name: 'overview, longest task of the main thread', value: longest, goal: goal({ atMost: 50 }) }),
      figure({ ...at, name: "overview, share of a core that the worker's tasks take", unit: '%', value: share, goal: goal({ atMost: 50 }) }),
      figure({ ...at, name: 'overview, memory of the worker', unit: 'MB', value: [workerWasm + workerHeap], note: `wasm ${workerWasm.toFixed(1)}, heap ${workerHeap.toFixed(1)}; ${informers}` }),
      figure({ ...at, name: 'overview, memory of the page', unit: 'MB', value: [pageWasm + pageHeap], note: `wasm ${pageWasm.toFixed(1)}, heap ${pageHeap.toFixed(1)}` }),
    ];
  });
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** In the page: whether each block of the overview shows its figures, or why it has none. */
function isLoaded() {
  const blocks = document.querySelectorAll('.overview .block');
  return blocks.length > 0 && [...blocks].every((block) => block.querySelector('.rows, table, .note'));
}
