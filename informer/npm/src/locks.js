// Liveness locks: Web Locks, released when their holder ends or crashes, which a port does not report. Without Web Locks (no
// secure context) a crashed tab is not detected until the worker ends.
import { onAbort } from "./promises.js";

/** Holds a new lock until the signal is aborted; resolves to its name, or to undefined without Web Locks. */
export const hold = (signal) =>
  new Promise((resolve) => {
    const { locks } = globalThis.navigator ?? {};
    if (!locks) return resolve();
    const name = `kube-informer ${crypto.randomUUID()}`;
    const held = () => {
      resolve(name);
      return new Promise((free) => onAbort(signal, free));
    };
    return locks.request(name, held).catch(() => resolve());
  });

/** Calls back when a lock is released, unless the signal is aborted first. */
export function whenGone(name, signal, callback) {
  if (name) navigator.locks.request(name, { signal }, callback).catch(() => {});
}
