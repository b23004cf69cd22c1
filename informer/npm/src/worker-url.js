// The URL of a worker's file, for error messages and Trusted Types. Bundlers rewrite `new Worker(new URL("…",
// import.meta.url))` only as a whole, and a Worker has no property for its URL. The constructor is therefore wrapped in a
// proxy during the call.
import { packageURL } from "./package-url.js";

/** The Trusted Types policy `kube-informer`: accepts the URLs of this package's workers. Nothing else can reach it. */
let policy;

/** The URL as a TrustedScriptURL, if the page's policy requires and allows one. */
function trusted(url) {
  try {
    policy ??= globalThis.trustedTypes?.createPolicy("kube-informer", { createScriptURL: (address) => address });
  } catch {
    // The page forbids this policy: the browser checks the plain URL.
  }
  return policy?.createScriptURL(url) ?? url;
}

/** Calls `make`, which constructs one worker with the constructor `name`. Returns the worker and its URL. */
export function madeFrom(name, make) {
  const constructor = globalThis[name];
  let url = "worker.js";
  if (!constructor) return { made: make(), url };
  globalThis[name] = new Proxy(constructor, {
    construct(target, [address, ...options]) {
      url = packageURL(address);
      return Reflect.construct(target, [trusted(url), ...options]);
    },
  });
  try {
    return { made: make(), url };
  } finally {
    globalThis[name] = constructor;
  }
}
