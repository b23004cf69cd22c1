// Host of a contestant, in a worker or in the page: loads it, serves its input, and calls its methods.
import { Feed } from './feed.js';

const modules = {
  ours: './contestants/ours.js',
  'ours in JSON': './contestants/ours.js',
  javascript: './contestants/javascript.js',
  download: './contestants/download.js',
  'download in protobuf': './contestants/download.js',
  reads: './contestants/reads.js',
  'client-node': './client-node.js', // bundled
};

/** Options of those that are another one with options. */
const options = { 'ours in JSON': { protobuf: false }, 'download in protobuf': { protobuf: true } };

/** Resolves to a function that calls a method of the contestant. */
export async function open(name) {
  // 250 by default: a large list has more pages.
  performance.setResourceTimingBufferSize?.(10_000);
  const { create } = await import(modules[name]);
  const contestant = await create(options[name]);
  const feed = new Feed();

  const methods = {
    /** Serves the apiserver's responses from memory from now on. */
    async record(path) {
      await feed.load(path);
      return feed.summary;
    },

    /** Lists into an empty cache. Resolves to the milliseconds until all objects are cached. */
    async sync() {
      performance.clearResourceTimings();
      const start = performance.now();
      await contestant.sync();
      const milliseconds = performance.now() - start;
      return { milliseconds, ...requests(), ...(await contestant.size?.()) };
    },

    /** As `sync`; the following watch waits. */
    async syncAndHold() {
      feed.hold();
      await contestant.sync();
    },

    /** Sends everything recorded to the watch. Resolves when its last event is cached. */
    async watch() {
      const start = performance.now();
      feed.release();
      await feed.drained;
      await contestant.until(feed.summary.last);
      return { milliseconds: performance.now() - start, events: feed.summary.events };
    },

    async stop() {
      await contestant.stop();
      globalThis.gc?.();
    },
  };
  return (method, args) => (methods[method] ? methods[method](...args) : contestant[method](...args, feed));
}

/** Decoded and encoded bytes of finished lists, since the timings were cleared. */
function requests() {
  const lists = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/pods') && !name.includes('watch='));
  const sum = (field) => lists.reduce((total, entry) => total + entry[field], 0);
  return {
    requests: lists.length,
    bytes: sum('decodedBodySize'),
    wire: sum('encodedBodySize'),
  };
}
