// Bodies of writes: the caller's object or text, as text for the server.
import { refuse } from "../check.js";

/** Reference to the object of a write; `text` if the caller gave text, which is sent unchanged. */
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
