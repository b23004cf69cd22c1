// Line splitter of a log: turns chunks of bytes, split anywhere, into lines of limited length.

const NEWLINE = 10;

export class LineSplitter {
  #limit;
  #decoder = new TextDecoder();
  /** Beginning of an incomplete line, and the number of its bytes that were left out. */
  #rest = new Uint8Array(0);
  #cut = 0;

  /** `limit` is in bytes. */
  constructor(limit) {
    this.#limit = limit;
  }

  /** Returns the lines that the bytes complete, as `{ text, cut }`: `cut` bytes at the end of a line are left out. */
  push(bytes) {
    const first = bytes.indexOf(NEWLINE);
    if (first < 0) {
      this.#keep(bytes);
      return [];
    }
    const lines = [];
    let start = 0;
    if (this.#rest.length > 0) {
      this.#keep(bytes.subarray(0, first));
      lines.push(this.#take());
      start = first + 1;
    }
    const end = bytes.lastIndexOf(NEWLINE);
    // All at once: decoding line by line takes several times as long.
    if (start <= end) for (const text of this.#decoder.decode(bytes.subarray(start, end)).split("\n")) lines.push(this.#short(text));
    this.#keep(bytes.subarray(end + 1));
    return lines;
  }

  /** Returns the last line if it has no line break. */
  end() {
    return this.#rest.length > 0 ? [this.#take()] : [];
  }

  #keep(bytes) {
    const kept = bytes.subarray(0, Math.max(0, this.#limit - this.#rest.length));
    this.#cut += bytes.length - kept.length;
    if (kept.length === 0) return;
    const joined = new Uint8Array(this.#rest.length + kept.length);
    joined.set(this.#rest);
    joined.set(kept, this.#rest.length);
    this.#rest = joined;
  }

  #take() {
    const line = { text: this.#decoder.decode(this.#rest), cut: this.#cut };
    [this.#rest, this.#cut] = [new Uint8Array(0), 0];
    return line;
  }

  #short(text) {
    // In UTF-8 a unit of text is at most three bytes.
    if (text.length * 3 <= this.#limit) return { text, cut: 0 };
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= this.#limit) return { text, cut: 0 };
    return { text: this.#decoder.decode(bytes.subarray(0, this.#limit)), cut: bytes.length - this.#limit };
  }
}

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)(?: |$)/;
const [ZERO, NINE, DOT, Z, BLANK] = [48, 57, 46, 90, 32];

/** The last second that was read, in UTC. Lines of one second stand together, and are read without the expression, which takes longer than all the rest. */
let knownSecond = "\0";
let knownSeconds = NaN;

/** Where the `Z` of a timestamp of the known second is; 0 for any other text. */
function endOfKnown(text) {
  if (!text.startsWith(knownSecond) || text.charCodeAt(19) !== DOT) return 0;
  let at = 20;
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at++;
  return at > 20 && text.charCodeAt(at) === Z ? at : 0;
}

/** The parts of a timestamp at the beginning of a text, and its second as a number. */
function parts(text) {
  const found = STAMPED.exec(text);
  if (!found) return undefined;
  const [whole, second, fraction = "", zone] = found;
  const seconds = Date.parse(second + zone) / 1000;
  if (zone === "Z") [knownSecond, knownSeconds] = [second, seconds];
  return { length: whole.length, seconds, fraction };
}

/** Splits the kubelet's timestamp off: `{ time, text, cut }`. `time` is null for a line without a timestamp. */
export function stamped({ text, cut }) {
  const end = endOfKnown(text);
  if (end > 0 && (text.length === end + 1 || text.charCodeAt(end + 1) === BLANK)) {
    return { time: text.slice(0, end + 1), text: text.slice(end + 2), cut };
  }
  const length = parts(text)?.length;
  if (!length) return { time: null, text, cut };
  return { time: text.slice(0, length).trimEnd(), text: text.slice(length), cut };
}

/** The whole seconds of a timestamp, since 1970. */
export const secondsOf = (time) => (endOfKnown(time) === time.length - 1 ? knownSeconds : (parts(time)?.seconds ?? NaN));

/** A timestamp as whole seconds since 1970 and nanoseconds. */
export function instant(time) {
  if (endOfKnown(time) !== time.length - 1) {
    const { seconds = NaN, fraction } = parts(time) ?? {};
    return [seconds, fraction === undefined ? NaN : Number(fraction.padEnd(9, "0").slice(0, 9))];
  }
  let nanos = 0;
  for (let at = 20; at < 29; at++) nanos = 10 * nanos + (at < time.length - 1 ? time.charCodeAt(at) - ZERO : 0);
  return [knownSeconds, nanos];
}

/** Whether the first instant is later than the second. */
export const isLater = ([second, nanos], [otherSecond, otherNanos]) => second > otherSecond || (second === otherSecond && nanos > otherNanos);
