// Host of the engine, in a worker or in the page: loads the engine and serves ports.
//
// The first message of a port contains the source of the wasm. Later messages are the engine's, and wait until it is loaded.
import { attach, offer } from "./deferred.js";
import load, { serve } from "./engine.js";
import { hold, whenGone } from "./locks.js";
import { compile } from "./wasm.js";

let loading;
let crash;
const ports = new Set();

/**
 * Serves a port once the engine is loaded. `lock` is the liveness lock of an elected worker; `fetch` sends the requests of an
 * engine in the page.
 */
export function take(port, lock, fetch) {
  if (crash) return; // a page without an answer tries again, and finds another worker
  const early = [];
  const life = new AbortController();
  const hand = (data) => port.dispatchEvent(new MessageEvent("message", { data }));
  port.onmessage = async (event) => {
    if (event.data?.type !== "wasm") {
      early.push(event);
      return;
    }
    try {
      if (crash) throw crash;
      const { wasm, persist } = event.data;
      // Snapshots are read first, by deferred code: both are loaded in parallel with the engine.
      offer(event.data, persist);
      if (persist) openDatabase();
      // Before the engine is loaded: a page does not notice the end of a worker whose lock it does not know.
      port.postMessage({ type: "lock", lock: await hold(life.signal) });
      // A tab that crashes sends no `close`; without this its watches would stay open forever.
      whenGone(event.data.lock, life.signal, () => hand({ type: "close" }));
      // After a failure the next page may name another source.
      loading ??= compile(wasm)
        .then(async (module) => attach(await load({ module_or_path: module }), module))
        .catch((error) => {
          loading = undefined;
          throw error;
        });
      await loading;
      ports.add(port);
      serve(port, fetch); // takes `onmessage` over
      for (const { data } of early.splice(0)) hand(data);
    } catch (error) {
      refuse(port, `the engine could not be loaded: ${error?.message ?? error}`);
    }
  };
  port.addEventListener("message", ({ data }) => {
    if (data?.type !== "close") return;
    ports.delete(port);
    // Releases the lock, also if nothing was loaded: the page reconnects when it is free. The reason was sent before, so
    // that the page does not take this for a closed tab.
    life.abort();
  });
  // The worker runs, and the lock shows for how long.
  port.postMessage({ type: "hello", lock });
  port.onmessageerror = () => refuse(port, "a message to the worker could not be deserialised");
}

/** Opens the database once: the first connection takes a browser long. The engine creates the database. */
function openDatabase() {
  try {
    const opening = indexedDB.open("kube-informer");
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onsuccess = () => opening.result.close();
    opening.onerror = (event) => event.preventDefault();
  } catch {
    // Storage is blocked; the engine handles that itself.
  }
}

/** Sends the engine's `refused` message. */
function refuse(port, message) {
  port.postMessage({ type: "refused", error: { code: "internal", message, retryable: true } });
}

/**
 * Reports a crash of the engine (a wasm trap) to all pages, and closes the worker. Only for a worker: in a page, other wasm
 * may trap.
 */
export function reportCrashes() {
  const report = ({ error, reason }) => {
    if (crash || !((error ?? reason) instanceof WebAssembly.RuntimeError)) return;
    crash = new Error(`the engine has crashed (${(error ?? reason).message})`);
    for (const port of ports) refuse(port, crash.message);
    // Closing releases the locks, without an order relative to the messages above. A page that noticed the lock first would
    // take the crash for a closed tab.
    setTimeout(() => self.close(), 100);
  };
  addEventListener("error", report);
  addEventListener("unhandledrejection", report);
}
