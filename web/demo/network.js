// Network of the demo's worker: its `fetch` passes requests below the cluster's URL to the simulated cluster, and serves those of
// the page (client.js). All other requests, such as those for the engine's wasm, go to the real network.
import load, { DemoCluster } from './cluster.js';

/** The size of the simulated cluster; each second, so many objects change. */
const [PODS, CHANGES_PER_SECOND, SEED] = [500, 20, 1];

/** URL of the cluster. Nothing listens there. */
const base = new URL('../demo-cluster', import.meta.url).href;
const realFetch = globalThis.fetch.bind(globalThis);
const cluster = load().then(() => new DemoCluster(PODS, CHANGES_PER_SECOND, SEED));

/** Whether the page is disconnected, and the functions that break the open responses. */
let isCut = false;
const open = new Set();

/** The error of a browser without a network. */
const noNetwork = () => new TypeError('Failed to fetch');

/** Resolves as `work` does, or rejects when the signal is aborted. */
function unlessAborted(work, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
    work.then(resolve, reject);
  });
}

/** Sends a request to the cluster. Resolves to a response whose body arrives chunk by chunk. */
async function send(request) {
  const { signal } = request;
  const headers = [...request.headers].flat();
  const body = /^(GET|HEAD)$/.test(request.method) ? undefined : new Uint8Array(await request.arrayBuffer());
  const target = request.url.slice(base.length);
  const answering = cluster.then((cluster) => {
    if (isCut) throw noNetwork();
    return cluster.respond(request.method, target, headers, body);
  });
  const answer = await unlessAborted(answering, signal).catch((error) => {
    // A response that comes too late has no reader.
    answering.then((late) => late.free(), () => {});
    throw error;
  });
  if (isCut) {
    answer.free();
    throw noNetwork();
  }
  return new Response(bodyOf(answer, signal), { status: answer.status, headers: pairs(answer.headers) });
}

/** Alternating names and values, as pairs. */
const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(2 * at, 2 * at + 2));

/** The body of a response as a stream. It breaks when the page is disconnected, and with the signal. */
function bodyOf(answer, signal) {
  let breakOff;
  const end = () => {
    open.delete(breakOff);
    answer.close();
  };
  const stream = new ReadableStream({
    start(controller) {
      breakOff = (error) => {
        end();
        controller.error(error);
      };
      open.add(breakOff);
      signal.addEventListener('abort', () => breakOff(signal.reason));
    },
    async pull(controller) {
      try {
        const chunk = await answer.next();
        if (!open.has(breakOff)) return;
        if (chunk) return controller.enqueue(chunk);
        end();
        controller.close();
      } catch {
        breakOff(new TypeError('network error'));
      }
    },
    cancel: end,
  });
  return [204, 304].includes(answer.status) ? (end(), null) : stream;
}

globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  return request.url.startsWith(`${base}/`) ? send(request) : realFetch(request);
};

// The engine learns from the browser's resource timing whether requests share a connection. Here they do.
const realEntries = performance.getEntriesByType.bind(performance);
performance.getEntriesByType = (type) =>
  type === 'resource' ? [...realEntries(type), { name: `${base}/api`, nextHopProtocol: 'h2' }] : realEntries(type);

/** Serves a request of the page on its port: the head, and then a chunk for each `next`. */
async function serve(port, { url, method, headers, body }) {
  const aborted = new AbortController();
  let reader;
  const fail = (error) => port.postMessage({ error: `${error?.message ?? error}` });
  port.onmessage = async ({ data }) => {
    if (data === 'abort') return aborted.abort();
    try {
      const { done, value } = await reader.read();
      port.postMessage({ done, value });
    } catch (error) {
      fail(error);
    }
  };
  try {
    const response = await fetch(url, { method, headers, body, signal: aborted.signal });
    reader = response.body?.getReader();
    port.postMessage({ status: response.status, headers: [...response.headers], hasBody: reader !== undefined });
  } catch (error) {
    fail(error);
  }
}

addEventListener('message', ({ data, ports }) => {
  if (data?.type === 'demo-request') serve(ports[0], data);
  if (data?.type !== 'demo-connection') return;
  isCut = data.isCut;
  if (isCut) for (const breakOff of [...open]) breakOff(new TypeError('network error'));
});
