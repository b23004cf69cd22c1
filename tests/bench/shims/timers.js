// `timers/promises`: setTimeout as a promise.
export const setTimeout = (milliseconds, value) => new Promise((resolve) => globalThis.setTimeout(resolve, milliseconds, value));
