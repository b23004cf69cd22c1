// Integers beyond 2^53, which `JSON.parse` rounds: read as BigInt or as text, by the option `largeIntegers`.
import { refuse } from "./check.js";

const AS = { number: undefined, bigint: BigInt, text: String };

/** A string, or a number, in JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

/** A variant of `JSON.parse` that reads large integers according to `largeIntegers`. */
export function reader(largeIntegers = "number") {
  if (!Object.hasOwn(AS, largeIntegers)) refuse("largeIntegers", '"number", "bigint" or "text"');
  const read = AS[largeIntegers];
  if (!read) return JSON.parse;
  const isLarge = (value, source) => !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  const revive = (_, value, { source } = {}) => (typeof value === "number" && isLarge(value, source) ? read(source) : value);
  // Most messages contain none, and are read by plain `JSON.parse`.
  return (text) => (!/\d{16}/.test(text) ? JSON.parse(text) : hasSource() ? JSON.parse(text, revive) : scan(text, isLarge, read));
}

/** Whether a reviver receives the source text of a number: Chrome 114, Firefox 135, Safari 18.4. */
const hasSource = () => JSON.parse("1", (_, value, context) => context?.source === "1");

/** Fallback: replaces large integers by strings with a prefix that no other string of the text has. */
function scan(text, isLarge, read) {
  let mark = "#";
  while (text.includes(`"${mark}`)) mark += "#";
  const marked = text.replace(TOKEN, (token) => (token[0] !== '"' && isLarge(Number(token), token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, value) => (typeof value === "string" && value.startsWith(mark) ? read(value.slice(mark.length)) : value));
}
