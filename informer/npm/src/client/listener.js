// Listener: a function of a caller that is told something.
import { refuse } from "../check.js";

/** A function that calls an optional listener. One that throws costs itself that one call. */
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
