// waitFor(): waits until one object of an informer has a state.
import { number, optionsOf, refuse } from "./check.js";
import { InformerError } from "./error.js";
import { deferred, onAbort } from "./promises.js";

export async function waitFor(informer, name, predicate, key, given) {
  const { signal, timeoutMs = Infinity } = optionsOf("waitFor()", "signal timeoutMs", given);
  if (typeof predicate !== "function") refuse("predicate", "a function of the object");
  number("timeoutMs", timeoutMs);
  signal?.throwIfAborted();
  const over = deferred();
  const first = (promise) => Promise.race([promise, over.promise]);
  let change = deferred();
  const wake = () => change.resolve();
  const object = informer.object(key);
  object.subscribe(wake);
  // After its end the next read rejects with the reason.
  const wakeAtEnd = () => ["stopped", "failed"].includes(informer.status.phase) && wake();
  informer.addEventListener("status", wakeAtEnd);
  const unsubscribe = onAbort(signal, over.reject);
  const late = () => over.reject(new InformerError("timeout", `${name}: ${key} has not reached the awaited state within ${timeoutMs} ms`));
  const timer = timeoutMs < 2 ** 31 ? setTimeout(late, timeoutMs) : undefined;
  try {
    // Before the first list is complete, a missing object may only be unread.
    if (!informer.hasSynced) await first(informer.synced);
    for (;;) {
      change = deferred();
      const current = await first(informer.indexer.getByKey(key));
      if (await first(predicate(current))) return current;
      await first(change.promise);
    }
  } finally {
    clearTimeout(timer);
    unsubscribe();
    informer.removeEventListener("status", wakeAtEnd);
    object.close();
  }
}
