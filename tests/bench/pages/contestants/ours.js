// kube-informer, through its package's public surface. The engine runs in this very thread (`worker: false`), which in
// the benchmarks is a worker, so that the same clock, the same `fetch` and the same heap are seen as with the others.

/** The engine's linear memory: the only one that is made in this thread. */
let memory;
for (const name of ['instantiate', 'instantiateStreaming']) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...args) => {
    const result = await original.apply(WebAssembly, args);
    memory = Object.values((result.instance ?? result).exports).find((item) => item instanceof WebAssembly.Memory) ?? memory;
    return result;
  };
}

export async function create() {
  const { connect } = await import('../package/index.js');
  const factory = await connect({ url: location.origin, worker: false });
  let informer;

  return {
    async sync() {
      informer = factory.forResource('v1/pods');
      informer.addEventListener('error', ({ message }) => console.error(`ours: ${message}`));
      factory.start();
      await informer.synced;
    },

    size: () => ({ objects: informer.status.objects, bytes_: informer.status.bytes, memory: memory.buffer.byteLength }),

    async until(key) {
      // A read is a message there and one back, so the engine works between two of them.
      while (!(await informer.indexer.getByKey(key))) await new Promise((resolve) => setTimeout(resolve));
    },

    status: () => ({ ...informer.status, lastError: informer.status.lastError?.message }),
    resourceVersion: () => informer.status.resourceVersion,
    memory: () => memory.buffer.byteLength,

    async stop() {
      await informer?.stop();
      informer = undefined;
      // The engine lets go when the message has come.
      await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
}
