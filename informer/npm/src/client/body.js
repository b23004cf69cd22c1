// Bodies of writes: what a caller gives, as text for the server.
import { refuse } from "../check.js";

/** The object that a write is about, as a reference; `text` if it was given as text, which is sent as it is. */
export function read(given, ref) {
  if (typeof given !== "string") {
    if (typeof given !== "object" || given === null) refuse("object", "an object of Kubernetes, or its text");
    return { ref: ref ?? given };
  }
  if (ref) return { ref, text: given };
  try {
    return { ref: JSON.parse(given), text: given };
  } catch (cause) {
    throw Object.assign(refused(), { cause });
  }
}

function refused() {
  try {
    refuse("object", "JSON; for YAML give `ref` beside it");
  } catch (error) {
    return error;
  }
}

/** JSON text. A BigInt becomes a number with all its digits. */
export function stringify(value) {
  const { rawJSON } = JSON;
  if (rawJSON) return JSON.stringify(value, (_, found) => (typeof found === "bigint" ? rawJSON(`${found}`) : found));
  const mark = crypto.randomUUID();
  const text = JSON.stringify(value, (_, found) => (typeof found === "bigint" ? `${mark}${found}` : found));
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
