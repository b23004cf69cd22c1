// A lock is let go when its holder dies, however that happens: the only sign of it that both sides of a port can see.
// Where there are no locks (no secure context), who crashes is not missed until the worker ends.
import { onAbort } from "./promises.js";

/** Holds a new lock until the signal, or for ever; resolves to its name, or to nothing where there are no locks. */
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

/** Calls back when the holder of a lock is gone, unless the signal comes first. */
export function whenGone(name, signal, callback) {
  if (name) navigator.locks.request(name, { signal }, callback).catch(() => {});
}
