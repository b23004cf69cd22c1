// Latency of requests of a page: reads of the cache, and sorted and filtered views. The engine is in a worker of its
// own, as for users.
//
// One view stays open and is changed: cells of the first 64 rows, with the dashboard's value counts.
import { connectOver, FACETS } from './tapped.js';

/** Type and request id come first in a response. */
const answers = (text, request) => text.startsWith(`{"type":"reply","request":${request},`);

export async function create() {
  const worker = new Worker(new URL('../package/worker.js', import.meta.url), { type: 'module', name: 'reads' });
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage({ type: 'port' }, [port2]);
  const { factory, hearers, send, informer: number } = await connectOver(port);
  const informer = factory.forResource('v1/pods', { indexers: { node: '{.spec.nodeName}' } });
  let last = 1_000_000;

  /** Sends a message. Resolves to the milliseconds until the response, which `is` recognizes. */
  const round = (asked, is) =>
    new Promise((resolve) => {
      const start = performance.now();
      hearers.add(function hear(data) {
        // Parsing is included: the page must parse to read the response.
        const message = JSON.parse(data);
        if (!is(message)) return false;
        hearers.delete(hear);
        resolve({ milliseconds: performance.now() - start, message });
        return true;
      });
      send(asked);
    });

  /** Resolves to the milliseconds until the response is there, as text. */
  const read = (what) =>
    new Promise((resolve) => {
      const request = ++last;
      const start = performance.now();
      hearers.add(function hear(data) {
        if (!answers(data, request)) return false;
        hearers.delete(hear);
        resolve(performance.now() - start);
        return true;
      });
      send({ type: 'read', request, informer: number(), read: what });
    });

  const view = ++last;
  let queryId = 1;
  let total = 0;
  let open = false;
  /** Opens the view. Resolves when it contains the whole list, and no message is in flight. */
  const ready = async () => {
    if (open) return;
    open = true;
    const options = { start: 0, end: 64, facets: FACETS };
    const message = { type: 'openView', view, informer: number(), queryId, options };
    ({ total } = (await round(message, ({ type, view: of, synced }) => type === 'view' && of === view && synced)).message);
  };

  /**
   * Changes the view; resolves when the new rows and the result, which follows them, have arrived. A change that keeps the
   * same rows has only a result.
   */
  const change = async (wanted) => {
    await ready();
    queryId += 1;
    const answer = `{"type":"result","view":${view},"queryId":${queryId}`;
    let settle;
    const settled = new Promise((resolve) => (settle = resolve));
    hearers.add(function hear(data) {
      if (!data.startsWith(answer)) return false;
      hearers.delete(hear);
      settle(JSON.parse(data).rejection);
      return true;
    });
    const isOfIt = (message) => message.view === view && message.queryId === queryId && message.type !== 'facets';
    const asked = { type: 'changeView', view, queryId, filter: '', orderBy: [], facets: FACETS, namespaces: [], ...wanted };
    const { milliseconds, message } = await round(asked, isOfIt);
    const rejection = await settled;
    if (rejection) throw new Error(rejection.error.message);
    const patched = message.type === 'view';
    if (patched) ({ total } = message);
    return { milliseconds, total, patched };
  };

  return {
    async sync() {
      factory.start();
      await informer.synced;
    },
    size: () => ({ objects: informer.status.objects }),
    stop: () => factory.shutdown(),

    /** Round trips of an index: the objects as text, their keys, and the parsed objects. */
    async index(times) {
      const nodes = await informer.indexer.listIndexFuncValues('node');
      const result = { objects: [], keys: [], parsed: [], each: 0 };
      for (let time = 0; time < times; time++) {
        const value = nodes[(time * 7919) % nodes.length];
        result.keys.push(await read({ indexKeys: { index: 'node', value } }));
        result.objects.push(await read({ byIndex: { index: 'node', value } }));
        const start = performance.now();
        const found = await informer.indexer.byIndex('node', value);
        result.parsed.push(performance.now() - start);
        result.each += found.length / times;
      }
      return result;
    },

    /** Round trips of sorting by each column: milliseconds by column. */
    async sort(times) {
      const orders = [
        { column: 'Age', descending: true },
        { column: 'Name', descending: false },
        { column: 'Status', descending: false },
        { column: 'Age', descending: false },
        { column: 'Name', descending: true },
        { column: 'Status', descending: true },
      ];
      await change({});
      const result = { milliseconds: [], by: {} };
      for (let time = 0; time < times; time++) {
        const order = orders[time % orders.length];
        const { milliseconds, patched } = await change({ orderBy: [order] });
        if (!patched) throw new Error(`another order, by ${order.column}, shows the same rows`);
        result.milliseconds.push(milliseconds);
        (result.by[order.column] ??= []).push(milliseconds);
      }
      return result;
    },

    /** Round trips of keystrokes: a word is typed, deleted, and typed again. */
    async filter(times) {
      const word = 'worker';
      await change({});
      const result = { milliseconds: [], by: {}, totals: {} };
      for (let time = 0; time < times; time++) {
        const filter = word.slice(0, 1 + (time % word.length));
        const { milliseconds, total } = await change({ filter });
        result.milliseconds.push(milliseconds);
        (result.by[filter] ??= []).push(milliseconds);
        result.totals[filter] = total;
        if (filter === word) await change({});
      }
      return result;
    },
  };
}
