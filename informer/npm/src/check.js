// Validation of arguments and options. Each error names the invalid one.
import { badRequest } from "./error.js";

/** Throws: `name` must be `what`. */
export function refuse(name, what) {
  throw badRequest(`\`${name}\` must be ${what}`);
}

/** Validates the options of a call; `names` are the known ones. */
export function optionsOf(call, names, given = {}) {
  if (typeof given !== "object" || given === null) throw badRequest(`the options of ${call} must be an object`);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!names.split(" ").includes(name)) throw badRequest(`${call} has no option \`${name}\`; its options are ${names.replaceAll(" ", ", ")}`);
    if (name === "signal" && typeof value?.aborted !== "boolean") refuse(name, "an AbortSignal");
  }
  return given;
}

/** An optional number; `Infinity` is allowed. */
export function number(name, value, least = 0) {
  if (value !== undefined && !(typeof value === "number" && value >= least)) refuse(name, least < 0 ? "a number" : `a number, ${least} or more`);
  return value;
}

/** An optional whole number. */
export function whole(name, value, least = 0) {
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value < 2 ** 31)) {
    refuse(name, `a whole number, ${least} or more`);
  }
  return value;
}

/** An optional resync period in milliseconds: 0, or at least a second, as in client-go. */
export function period(name, value) {
  if (whole(name, value) > 0 && value < 1000) refuse(name, "0 (never) or at least 1000 milliseconds");
  return value;
}

/** An optional string. */
export function text(name, value) {
  if (value !== undefined && typeof value !== "string") refuse(name, "a string");
  return value;
}

/** An array of strings. */
export function texts(name, value) {
  if (!Array.isArray(value) || value.some((text) => typeof text !== "string")) refuse(name, "an array of strings");
  return value;
}

/** The key of an object. */
export function key(value) {
  if (typeof value !== "string" || value === "") refuse("key", 'a string: "namespace/name", or "name"');
  return value;
}

/** Optional JSONPaths by name. */
export function paths(name, value) {
  if (value !== undefined && (typeof value !== "object" || value === null)) refuse(name, "an object of JSONPaths by name");
  for (const [path, found] of Object.entries(value ?? {})) if (typeof found !== "string") refuse(`${name}.${path}`, "a JSONPath");
  return value;
}

/** A range of rows: the first, and one past the last. */
export function range(start, end) {
  if (whole("start", start ?? NaN) > whole("end", end ?? NaN)) refuse("window", '"all" or [start, end], with no end before its start');
  return [start, end];
}
