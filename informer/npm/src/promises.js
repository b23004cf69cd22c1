// Small things around promises and signals that several modules need.

/** The well-known symbols, also where the browser does not have them yet. */
export const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
export const asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** A promise with its handles. Its rejection is handled already: not everybody waits for it. */
export function deferred() {
  const handles = {};
  handles.promise = new Promise((resolve, reject) => Object.assign(handles, { resolve, reject }));
  handles.promise.catch(() => {});
  return handles;
}

/** Calls back with the signal's reason, at once where it is aborted; returns what takes the callback back. */
export function onAbort(signal, callback) {
  if (!signal) return () => {};
  const abort = () => callback(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}
