// What a page waits for when it asks: reads of the cache, and views that are sorted and filtered. The engine is in a
// worker of its own, as it is for users.
//
// Views are asked for with the messages that the dashboard sends. When sorting and filtering an open view gets messages
// of its own, `reopen` is the place for them: today a new view is opened and the old one closed, as the dashboard does.

export async function create() {
  const { connect } = await import('../package/index.js');
  const worker = new Worker(new URL('../package/worker.js', import.meta.url), { type: 'module', name: 'reads' });
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage({ type: 'port' }, [port2]);
  const sent = port.postMessage.bind(port);
  let informerId;
  port.postMessage = (message) => {
    if (message.type === 'informer') informerId = message.informer;
    sent(message);
  };
  const factory = await connect({ url: location.origin, worker: port });
  const informer = factory.forResource('v1/pods', { indexers: { node: '{.spec.nodeName}' } });
  let last = 1_000_000;

  /** Sends a message; resolves to the milliseconds until one comes back that `is` the answer. */
  const round = (message, is) =>
    new Promise((resolve) => {
      const start = performance.now();
      port.addEventListener('message', function heard({ data }) {
        if (!is(data)) return;
        port.removeEventListener('message', heard);
        resolve({ milliseconds: performance.now() - start, data });
      });
      sent(message);
    });

  const read = (what) => {
    const request = ++last;
    return round({ type: 'read', request, informer: informerId, read: what }, (data) => data.request === request);
  };

  let open;
  const reopen = async (options) => {
    const view = ++last;
    if (open) sent({ type: 'closeView', view: open });
    open = view;
    const { milliseconds, data } = await round(
      { type: 'openView', view, informer: informerId, options: { start: 0, end: 64, ...options } },
      (answer) => answer.type === 'view' && answer.view === view,
    );
    return { milliseconds, total: data.total };
  };

  return {
    async sync() {
      factory.start();
      await informer.synced;
    },
    size: () => ({ objects: informer.status.objects }),
    stop: () => factory.shutdown(),

    /** Round trips of an index: the objects as text, their keys, and the objects parsed. */
    async index(times) {
      const nodes = await informer.indexer.listIndexFuncValues('node');
      const result = { objects: [], keys: [], parsed: [], each: 0 };
      for (let time = 0; time < times; time++) {
        const value = nodes[(time * 7919) % nodes.length];
        result.keys.push((await read({ indexKeys: { index: 'node', value } })).milliseconds);
        result.objects.push((await read({ byIndex: { index: 'node', value } })).milliseconds);
        const start = performance.now();
        const found = await informer.indexer.byIndex('node', value);
        result.parsed.push(performance.now() - start);
        result.each += found.length / times;
      }
      return result;
    },

    /** Round trips of a sort, by one column after the other. */
    async sort(times) {
      const orders = [
        { column: 'name', descending: false },
        { column: 'age', descending: true },
        { column: 'namespace', descending: true },
        { column: 'age', descending: false },
      ];
      await reopen({});
      const result = [];
      for (let time = 0; time < times; time++) result.push((await reopen({ orderBy: orders[time % orders.length] })).milliseconds);
      return result;
    },

    /** Round trips of keystrokes: a word is typed, and taken back, and typed. */
    async filter(times) {
      const word = 'billing-worker';
      await reopen({});
      const result = { milliseconds: [], left: 0 };
      for (let time = 0; time < times; time++) {
        const { milliseconds, total } = await reopen({ filter: word.slice(0, 1 + (time % word.length)) });
        result.milliseconds.push(milliseconds);
        result.left = total;
      }
      return result;
    },
  };
}
