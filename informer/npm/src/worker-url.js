// The URL of a worker's file, for error messages. Bundlers rewrite `new Worker(new URL("…", import.meta.url))` only as a
// whole, and a Worker does not tell its URL: so the constructor is watched while it is called.

/** Calls `make`, which makes one worker by the constructor `name`; gives the worker, and the URL that it was made from. */
export function madeFrom(name, make) {
  const constructor = globalThis[name];
  let url = "worker.js";
  if (!constructor) return { made: make(), url };
  globalThis[name] = new Proxy(constructor, {
    construct(target, args) {
      url = String(args[0]);
      return Reflect.construct(target, args);
    },
  });
  try {
    return { made: make(), url };
  } finally {
    globalThis[name] = constructor;
  }
}
