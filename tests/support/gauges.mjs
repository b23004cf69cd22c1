// Memory of the page and its worker, each after a garbage collection: only the rest can be a leak.
import { SharedWorkerDevTools } from './devtools.mjs';

const MEGA = 1e6;

/** Measured values; changes below `slack` are noise, even if they exceed 5 %. */
export const gauges = {
  // It grows by steps: a table that doubles is a megabyte and a half.
  // It fills: the page has the changes of the table recorded, 8 MiB with the space between the blocks, in some three minutes.
  workerWasm: { title: 'wasm of the worker', unit: 'MB', slack: 2, fills: 10 },
  workerHeap: { title: 'heap of the worker', unit: 'MB', slack: 1 },
  pageWasm: { title: 'wasm of the page', unit: 'MB', slack: 2 },
  pageHeap: { title: 'heap of the page', unit: 'MB', slack: 1 },
  nodes: { title: 'DOM nodes', unit: '', slack: 100 },
  listeners: { title: 'listeners', unit: '', slack: 25 },
};

/**
 * The linear memory of a thread, which never shrinks. The glue returns the exports of a loaded module to a caller that
 * requests it again. Requesting all objects of that kind from DevTools has crashed the page occasionally.
 */
async function wasm(target) {
  const expression = `(async () => {
    // The page's glue is named in its loader; the worker's lies beside the worker's file.
    const file = self.document?.querySelector("script[data-js]").dataset.js ?? "engine.js";
    const { memory } = await (await import(new URL(file, location.href))).default();
    return memory.buffer.byteLength;
  })()`;
  const { result } = await target.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  if (!(result.value > 0)) throw new Error(`there is no wasm here: ${result.description}`);
  return result.value / MEGA;
}

/** V8's heap after two collections: the second one frees objects that the finalisers of the first one release. */
async function heap(target) {
  await target.send('HeapProfiler.collectGarbage');
  await target.send('HeapProfiler.collectGarbage');
  return (await target.send('Runtime.getHeapUsage')).usedSize / MEGA;
}

export class Gauges {
  #page;
  #worker;

  static async attach(browser, page) {
    const gauges = new Gauges();
    gauges.#page = await page.context().newCDPSession(page);
    gauges.#worker = await SharedWorkerDevTools.attach(browser);
    return gauges;
  }

  async read() {
    const workerWasm = await wasm(this.#worker);
    const workerHeap = await heap(this.#worker);
    const pageWasm = await wasm(this.#page);
    const pageHeap = await heap(this.#page);
    const { nodes, jsEventListeners: listeners } = await this.#page.send('Memory.getDOMCounters');
    return { workerWasm, workerHeap, pageWasm, pageHeap, nodes, listeners };
  }
}
