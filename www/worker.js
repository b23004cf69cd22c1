// The engine's place: a worker around the page's own wasm. The page passes the (hashed) names of its files.
//
// Ports may come before the wasm is there, so the handlers stand first and keep them. The first message of a port names a
// lock that its page holds: a tab that crashes says no goodbye, but its lock is let go.

const waiting = [];
const ports = new Set();
let glue;
let failure;

// A browser takes its time to open a database, but not for the second who asks. To make one is the engine's business.
try {
  const opening = indexedDB.open("kube-informer");
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onsuccess = () => opening.result.close();
  opening.onerror = (event) => event.preventDefault();
} catch {
  // It may not be used here; the engine finds that out, too.
}

function take(port) {
  if (failure) return refuse(port, failure);
  if (!glue) return waiting.push(port);
  let stop = () => {};
  port.onmessage = ({ data }) => {
    if (data?.ahead) stop = goAhead(data.ahead);
    else begin(port, data?.page, stop);
  };
}

function begin(port, page, stop) {
  glue.serve(port); // takes `onmessage` over
  ports.add(port);
  // The page asks for itself now. What it has left is kept for a while, in which it is found.
  port.addEventListener("message", stop, { once: true });
  const locks = self.navigator.locks;
  if (!page || !locks) return;
  const own = `kube-informer-ui worker ${crypto.randomUUID()}`;
  // Held until the worker ends, which is how the page learns of that.
  locks.request(own, () => {
    port.postMessage({ held: own });
    return new Promise(() => {});
  });
  locks.request(page, () => {
    stop();
    ports.delete(port);
    port.dispatchEvent(new MessageEvent("message", { data: { type: "close" } }));
  });
}

// Begins with what the page at this address will ask for first, in the same words, while its own code is on its way to it.
// Nobody hears what comes of that; it is in the cache when the page asks. A page that does not ask has gone.
function goAhead(address) {
  const { port1, port2 } = new MessageChannel();
  glue.serve(port2);
  for (const message of glue.ahead(address)) port1.postMessage(message);
  const stop = () => port1.postMessage({ type: "close" });
  setTimeout(stop, 20_000);
  return stop;
}

// The same words as FromEngine::Refused.
function refuse(port, message) {
  port.postMessage({ type: "refused", error: { code: "internal", message, retryable: false } });
}

self.onconnect = (event) => take(event.ports[0]);
self.onmessage = ({ data, ports }) => {
  if (ports[0]) take(ports[0]);
  // Who cannot serve must not lead: then it is another tab's turn.
  else if (data?.type === "lead") loaded.then(() => (failure ? self.postMessage({ failed: failure }) : lead(data.name)));
};

// The tab was elected: serves all of them, each by a channel of its own. The other side is informer/npm/src/elected.js.
async function lead(name) {
  const own = `kube-informer-ui leader ${crypto.randomUUID()}`;
  // Held until the worker ends. Who is told of it must find it taken.
  await new Promise((resolve) => {
    navigator.locks.request(own, () => {
      resolve();
      return new Promise(() => {});
    });
  });
  self.postMessage({ lock: own });
  const known = new Set();
  const control = new BroadcastChannel(name);
  control.onmessage = ({ data }) => {
    if (data?.type !== "open" || known.has(data.address)) return;
    known.add(data.address);
    const port = new BroadcastChannel(data.address);
    port.postMessage({ type: "here", lock: own });
    take(port);
  };
  control.postMessage({ type: "lead" });
}

// After a trap nothing in the wasm can be trusted: the pages are told, and start another worker.
function crashed({ error, reason }) {
  if (failure || !((error ?? reason) instanceof WebAssembly.RuntimeError)) return;
  failure = `it has crashed (${(error ?? reason).message})`;
  for (const port of ports) refuse(port, failure);
  // Its locks go with it, and nothing orders that and what was just said: heard first, its end would pass for that of a tab.
  setTimeout(() => self.close(), 100);
}
addEventListener("error", crashed);
addEventListener("unhandledrejection", crashed);

async function load() {
  const query = new URLSearchParams(self.location.search);
  const beside = (name) => {
    const file = query.get(name) ?? "";
    // Only a file of this folder may be run.
    if (!/^[\w.-]+$/.test(file)) throw new Error(`no usable file name for ${name}`);
    return new URL(file, self.location.href).href;
  };
  const wasm = beside("wasm");
  // At the same time, and as www/boot.js does it.
  const compiled = WebAssembly.compileStreaming(fetch(wasm)).catch(() => fetch(wasm));
  const loaded = await import(beside("js"));
  await loaded.default({ module_or_path: compiled });
  glue = loaded;
}

const loaded = load()
  .catch((error) => {
    failure = `its code could not be loaded: ${error?.message ?? error}`;
  })
  .then(() => {
    waiting.splice(0).forEach(take);
    // A shared one would refuse every tab to come for as long as one of them is open: the next one finds another.
    if (failure) setTimeout(() => self.close(), 100);
  });
