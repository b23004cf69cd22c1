// Integers beyond 2^53, which `JSON.parse` rounds: read as BigInt or as text, for who asks for that.
import { refuse } from "./check.js";

const AS = { number: undefined, bigint: BigInt, text: String };

/** A string, or a number, in JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

/** `JSON.parse`, with large integers as `largeIntegers` says. */
export function reader(largeIntegers = "number") {
  if (!Object.hasOwn(AS, largeIntegers)) refuse("largeIntegers", '"number", "bigint" or "text"');
  const read = AS[largeIntegers];
  if (!read) return JSON.parse;
  const isLarge = (value, source) => !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  const revive = (_, value, { source } = {}) => (typeof value === "number" && isLarge(value, source) ? read(source) : value);
  // Most messages hold none, and are read as ever.
  return (text) => (!/\d{16}/.test(text) ? JSON.parse(text) : hasSource() ? JSON.parse(text, revive) : scan(text, isLarge, read));
}

/** Whether a reviver is told the text of a number: Chrome 114, Firefox 135, Safari 18.4. */
const hasSource = () => JSON.parse("1", (_, value, context) => context?.source === "1");

/** The same where it is not: large integers are put into strings that nothing else in the text begins with. */
function scan(text, isLarge, read) {
  let mark = "#";
  while (text.includes(`"${mark}`)) mark += "#";
  const marked = text.replace(TOKEN, (token) => (token[0] !== '"' && isLarge(Number(token), token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, value) => (typeof value === "string" && value.startsWith(mark) ? read(value.slice(mark.length)) : value));
}
