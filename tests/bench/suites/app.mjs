// A user's page with a live table, with the package and with a hand-written informer in the page: the time until it is ready, the
// longest task of its main thread, and the memory of its process.
//
// Memory is the proportional set size (PSS, Linux) of the page's renderer process, which contains its shared worker, minus
// that of the empty page. Code of the browser that its processes share is divided among them.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'a whole page with a table';

/** In a run of all sizes, smaller clusters: the difference between both begins there. */
export const sizes = (wanted) => (wanted.includes(100_000) ? [500, 2_000, 10_000, 50_000] : wanted);

/** The renderer processes of the browser. */
async function renderers(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/** PSS of processes together, in bytes. One that has ended has none. */
async function memoryOf(ids) {
  const read = (id) => readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch((error) => {
    if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
    return 'Pss: 0 kB';
  });
  const sizes = (await Promise.all(ids.map(read))).map((text) => 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(text)[1]));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Opens the page in a new profile; resolves to its figures. */
async function visit(browser, session, origin, contestant) {
  const others = new Set(await renderers(session));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${origin}/ui/app.html?with=${contestant}`);
    const figures = await page.evaluate(() => window.app);
    await page.evaluate(() => globalThis.gc());
    const own = async () => memoryOf((await renderers(session)).filter((id) => !others.has(id)));
    let memory = await own();
    // The heap shrinks a while after the collection.
    await eventually('the memory no longer changes', 30_000, async () => {
      await page.waitForTimeout(1000);
      const last = memory;
      memory = await own();
      return Math.abs(memory - last) < 1e6;
    });
    return { ...figures, memory };
  } finally {
    await context.close();
  }
}

export async function measure({ browser, size, pairs, serving }) {
  const about = { size, against: 'hand-written informer in the page' };
  if (!existsSync('/proc/self/smaps_rollup')) return [unmeasured({ ...about, name: 'page', unit: '', reason: 'the memory of a process is read from /proc, which only Linux has' })];
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
    const note = 'PSS of the page with its worker, minus the empty page';
    return [
      figure({ ...about, name: 'page, memory', unit: 'MB', value: memory('ours'), baseline: memory('javascript'), note }),
      figure({ ...about, name: 'page, until all pods are cached and shown', unit: 'ms', value: samples('ours', 'ready'), baseline: samples('javascript', 'ready') }),
      // Each by itself: a ratio to 0 has no meaning.
      figure({ size, name: 'page, longest task of the main thread', unit: 'ms', value: samples('ours', 'longest'), note: '0: none took 50 ms' }),
      figure({ size, name: 'page of the hand-written informer, longest task of the main thread', unit: 'ms', value: samples('javascript', 'longest'), note: '0: none took 50 ms' }),
    ];
  });
}
