// Promises, abort signals and disposal.

/** The well-known symbols, with a fallback for browsers without them. */
export const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
export const asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** A promise with its `resolve` and `reject`. Its rejection counts as handled: not every user awaits it. */
export function deferred() {
  const handles = {};
  handles.promise = new Promise((resolve, reject) => Object.assign(handles, { resolve, reject }));
  handles.promise.catch(() => {});
  return handles;
}

/** Calls back with the signal's reason, at once if it is aborted. Returns a function that removes the callback. */
export function onAbort(signal, callback) {
  if (!signal) return () => {};
  const abort = () => callback(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}
