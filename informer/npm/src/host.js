// The engine's side of a port: in a worker, or in the page itself.
//
// The first message of a port says where the wasm is; what comes after it is for the engine, and waits for it.
import { attach, offer } from "./deferred.js";
import load, { serve } from "./engine.js";
import { hold, whenGone } from "./locks.js";
import { compile } from "./wasm.js";

let loading;
let crash;
const ports = new Set();

/** Serves a port, as soon as the engine is there. `lock` is what an elected worker holds as long as it lives. */
export function take(port, lock) {
  if (crash) return; // who gets no answer asks again, and finds another worker
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
      const { wasm, deferred, persist } = event.data;
      // Snapshots are the deferred code's, and are wanted first: both are fetched beside the engine.
      offer(deferred, persist);
      if (persist) openDatabase();
      // Before what takes its time: the page does not miss a worker whose lock it does not know.
      port.postMessage({ type: "held", lock: await hold(life.signal) });
      // A tab that crashes says no goodbye, and would keep its watches for ever.
      whenGone(event.data.lock, life.signal, () => hand({ type: "close" }));
      // What failed for one page may succeed for the next, which may know a better place.
      loading ??= compile(wasm)
        .then(async (module) => attach(await load({ module_or_path: module }), module))
        .catch((error) => {
          loading = undefined;
          throw error;
        });
      await loading;
      ports.add(port);
      serve(port); // takes `onmessage` over
      for (const { data } of early.splice(0)) hand(data);
    } catch (error) {
      refuse(port, `the engine could not be loaded: ${error?.message ?? error}`);
    }
  };
  port.addEventListener("message", ({ data }) => {
    if (data?.type !== "close") return;
    ports.delete(port);
    // Also where nothing was loaded: a page asks again when the lock is free. Not before it has heard why, or that would
    // pass for a tab that was closed.
    life.abort();
  });
  // The first word: somebody is here, and this is how to tell for how long.
  port.postMessage({ type: "here", lock });
  port.onmessageerror = () => refuse(port, "a message did not survive its way to the worker");
}

/** A browser takes its time to open the first connection to a database; creating it is left to the engine. */
function openDatabase() {
  try {
    const opening = indexedDB.open("kube-informer");
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onsuccess = () => opening.result.close();
    opening.onerror = (event) => event.preventDefault();
  } catch {
    // It may not be used here; the engine finds that out, too.
  }
}

/** In the words of the engine's `Refused`. */
function refuse(port, message) {
  port.postMessage({ type: "refused", error: { code: "internal", message, retryable: true } });
}

/**
 * Tells all pages when the engine dies, which it does by a trap, and makes room for another one. For a worker: in a page,
 * others may trap, too.
 */
export function reportCrashes() {
  const report = ({ error, reason }) => {
    if (crash || !((error ?? reason) instanceof WebAssembly.RuntimeError)) return;
    crash = new Error(`the engine has crashed (${(error ?? reason).message})`);
    for (const port of ports) refuse(port, crash.message);
    // Its locks go with it, and nothing orders that and what was just said. Heard first, the end of an elected worker would
    // pass for a tab that was closed.
    setTimeout(() => self.close(), 100);
  };
  addEventListener("error", report);
  addEventListener("unhandledrejection", report);
}
