// A user's page with a live table, with the package and with a hand-written informer in the page: until when it is ready,
// how long its main thread was blocked, and the memory of its process.
//
// Memory is the proportional set size (PSS, Linux) of the page's renderer process, in which its shared worker runs, minus
// that of the empty page: the code of the browser, which all of its processes share, counts once.
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.mjs';
import { figure } from '../statistics.mjs';

export const title = 'a whole page with a table';

/** Smaller clusters than in the other suites: here the gain begins. */
export const sizes = (wanted) => (wanted.includes(100_000) ? [500, 2_000, 10_000, 50_000] : wanted);

/** PSS of all renderer processes, in bytes. */
async function rendererMemory(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const read = async ({ id }) => {
    // It may have ended meanwhile.
    const text = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
    return 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
  };
  const sizes = await Promise.all(processInfo.filter(({ type }) => type === 'renderer').map(read));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Opens the page in a new profile; resolves to its figures. */
async function visit(browser, session, origin, contestant) {
  const context = await browser.newContext();
  try {
    const before = await rendererMemory(session);
    const page = await context.newPage();
    await page.goto(`${origin}/ui/app.html?with=${contestant}`);
    const figures = await page.evaluate(() => window.app);
    await page.evaluate(() => globalThis.gc());
    // The heap shrinks a while after the collection.
    let memory = await rendererMemory(session);
    await eventually('the memory no longer changes', 30_000, async () => {
      await page.waitForTimeout(1000);
      const last = memory;
      memory = await rendererMemory(session);
      return Math.abs(memory - last) < 1e6;
    });
    return { ...figures, memory: memory - before };
  } finally {
    await context.close();
  }
}

export async function measure({ browser, size, pairs, serving }) {
  const session = await browser.newBrowserCDPSession();
  return serving({ pods: size }, async (origin) => {
    const of = { nothing: [], ours: [], javascript: [] };
    for (let pair = 0; pair < pairs; pair++) {
      for (const contestant of Object.keys(of)) {
        const figures = await visit(browser, session, origin, contestant);
        if (contestant !== 'nothing' && figures.pods < size) throw new Error(`${contestant} has ${figures.pods} pods of ${size}`);
        of[contestant].push(figures);
      }
    }
    const samples = (contestant, field) => of[contestant].map((figures) => figures[field]);
    const memory = (contestant) => of[contestant].map((figures, pair) => (figures.memory - of.nothing[pair].memory) / 1e6);
    const against = 'hand-written informer in the page';
    return [
      figure({ name: 'page, memory', unit: 'MB', size, against, value: memory('ours'), baseline: memory('javascript'), note: 'PSS of the page with its worker, minus the empty page' }),
      figure({ name: 'page, until all pods are cached and shown', unit: 'ms', size, against, value: samples('ours', 'ready'), baseline: samples('javascript', 'ready') }),
      figure({ name: 'page, longest task of the main thread', unit: 'ms', size, against, value: samples('ours', 'longest'), baseline: samples('javascript', 'longest'), note: '0: none took 50 ms' }),
    ];
  });
}
