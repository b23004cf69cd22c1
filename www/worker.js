// The engine's place: a worker around the page's own wasm. The page passes the (hashed) names of its files.
//
// Ports may come before the wasm is there, so the handlers stand first and keep them.

const waiting = [];
let serve;
let failure;

function take(port) {
  if (failure) refuse(port);
  else if (serve) serve(port);
  else waiting.push(port);
}

// The same words as FromEngine::Refused.
function refuse(port) {
  const error = { code: "internal", message: `its code could not be loaded: ${failure}`, retryable: false };
  port.postMessage({ type: "refused", error });
}

self.onconnect = (event) => take(event.ports[0]);
self.onmessage = (event) => event.ports[0] && take(event.ports[0]);

async function load() {
  const query = new URLSearchParams(self.location.search);
  const beside = (name) => {
    const file = query.get(name) ?? "";
    // Only a file of this folder may be run.
    if (!/^[\w.-]+$/.test(file)) throw new Error(`no usable file name for ${name}`);
    return new URL(file, self.location.href);
  };
  const glue = await import(beside("js").href);
  await glue.default({ module_or_path: beside("wasm") });
  serve = glue.serve;
}

load()
  .catch((error) => {
    failure = error?.message ?? String(error);
  })
  .then(() => waiting.splice(0).forEach(take));
