// The URL of a worker's file, for error messages and Trusted Types. Bundlers rewrite `new Worker(new URL("…",
// import.meta.url))` only as a whole, and a Worker does not tell its URL: so the constructor is watched while it is called.

/** The Trusted Types policy `kube-informer`: accepts the URLs of this package's workers. Nothing else can reach it. */
let policy;

/** A URL as a policy of the page may demand it, where that lets the package make one. */
function trusted(url) {
  try {
    policy ??= globalThis.trustedTypes?.createPolicy("kube-informer", { createScriptURL: (address) => address });
  } catch {
    // The page's policy does not allow it: then the browser decides about the URL itself.
  }
  return policy?.createScriptURL(url) ?? url;
}

/** Calls `make`, which makes one worker by the constructor `name`; gives the worker, and the URL that it was made from. */
export function madeFrom(name, make) {
  const constructor = globalThis[name];
  let url = "worker.js";
  if (!constructor) return { made: make(), url };
  globalThis[name] = new Proxy(constructor, {
    construct(target, [address, ...options]) {
      url = String(address);
      return Reflect.construct(target, [trusted(url), ...options]);
    },
  });
  try {
    return { made: make(), url };
  } finally {
    globalThis[name] = constructor;
  }
}
