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

/** Splits the kubelet's timestamp off: `{ time, text, cut }`. `time` is null for a line without a timestamp. */
export function stamped({ text, cut }) {
  const length = STAMPED.exec(text)?.[0].length;
  if (!length) return { time: null, text, cut };
  const time = text.slice(0, length).trimEnd();
  return { time, text: text.slice(length), cut };
}

let lastSecond = "";
let lastSeconds = 0;

/** A timestamp as whole seconds since 1970 and nanoseconds. */
export function instant(time) {
  const [, second, fraction = "", zone] = STAMPED.exec(time) ?? [];
  if (second === undefined) return [NaN, NaN];
  // Consecutive lines often have the same second.
  if (lastSecond !== second + zone) [lastSecond, lastSeconds] = [second + zone, Date.parse(second + zone) / 1000];
  return [lastSeconds, Number(fraction.padEnd(9, "0").slice(0, 9))];
}

/** Whether the first instant is later than the second. */
export const isLater = ([second, nanos], [otherSecond, otherNanos]) => second > otherSecond || (second === otherSecond && nanos > otherNanos);
