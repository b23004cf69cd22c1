// kube-informer, through its package. The engine runs in this thread, which is a worker in the benchmarks, so that
// clock, `fetch` and heap are the same as for the other contestants.
import { connectOver, FACETS } from './tapped.js';

/** The engine's linear memory: the only one created in this thread. */
let memory;
for (const name of ['instantiate', 'instantiateStreaming']) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...args) => {
    const result = await original.apply(WebAssembly, args);
    memory = Object.values((result.instance ?? result).exports).find((item) => item instanceof WebAssembly.Memory) ?? memory;
    return result;
  };
}

/** Linger of an unused informer. No round may find that of the previous one. */
const GRACE = 10_000;

/** Skips the linger from the connection on. */
function withoutGrace() {
  const later = globalThis.setTimeout;
  globalThis.setTimeout = (callback, ms, ...rest) => later(callback, ms === GRACE ? 0 : ms, ...rest);
}

export async function create({ protobuf } = {}) {
  const { take } = await import('../package/host.js'); // what the package's own worker does with a port
  const { port1: port, port2 } = new MessageChannel();
  take(port2);
  const { factory, hearers, send, informer: number } = await connectOver(port, { protobuf });
  withoutGrace();
  let informer;

  return {
    async sync() {
      informer = factory.forResource('v1/pods');
      informer.addEventListener('error', ({ message }) => console.error(`ours: ${message}`));
      const began = Date.now();
      factory.start();
      await informer.synced;
      if (informer.status.lastContactAt < began) throw new Error('the informer of the round before was found running');
    },

    /** Opens a view of the first 50 rows, with the dashboard's value counts. Resolves when it is complete. */
    view() {
      return new Promise((resolve) => {
        hearers.add(function patched(data) {
          const { type, rows, total, synced } = typeof data === 'string' ? JSON.parse(data) : data;
          if (type !== 'view' || !synced) return;
          hearers.delete(patched);
          resolve({ rows: rows.length, total });
        });
        send({ type: 'openView', view: 1, informer: number(), queryId: 1, options: { start: 0, end: 50, facets: FACETS } });
      });
    },

    size: () => ({ objects: informer.status.objects, held: informer.status.bytes, memory: memory.buffer.byteLength }),

    async until(key) {
      // A read is a round trip of messages, so the engine works between two of them.
      while (!(await informer.indexer.getByKey(key))) await new Promise((resolve) => setTimeout(resolve));
    },

    status: () => ({ ...informer.status, lastError: informer.status.lastError?.message }),
    memory: () => memory.buffer.byteLength,

    async stop() {
      await informer?.stop();
      informer = undefined;
      // The engine releases the informer when the message has arrived.
      await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
}
