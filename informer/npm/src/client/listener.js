// Listener: a callback in the options of a call.
import { refuse } from "../check.js";

/** Returns a function that calls an optional listener. What it throws is reported as an uncaught exception, after the caller has gone on. */
export function listener(name, given) {
  if (given !== undefined && typeof given !== "function") refuse(name, "a function");
  return (...args) => {
    try {
      given?.(...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
