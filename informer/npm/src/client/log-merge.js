// Merge of several logs by time. Sources may join and leave while it runs.
import { instant } from "./log-lines.js";

/** Longest wait for a line of a source, in milliseconds; then the lines of the others are delivered. */
const QUIET = 250;
/** The same while the connection of a source is being opened. */
const OPENING = 2_000;
/** Maximum number of waiting lines of one source: those of a busy container while the merge waits for a quiet one. */
const MAX_WAITING = 20_000;
/** Maximum number of lines in one batch. */
const MOST = 2_000;

export class Merge {
  #sources = new Set();
  #isClosed = false;
  /** Whether no source will be added. */
  #isComplete = false;
  #wake = () => {};
  #error;
  #failure;
  /** The whole seconds of the first timestamp. */
  #origin;

  /**
   * Adds a log: batches of lines. Each line gets the fields of `origin`. Resolves when the log has ended. A log with a `past` has
   * existing lines: the merge waits longer for the first of them, until `opened()`.
   */
  async add(batches, origin, { past = false } = {}) {
    const { namespace, pod, container } = origin;
    const source = { origin, lines: [], places: [], next: 0, at: Date.now() + (past ? OPENING - QUIET : 0), isOver: false, go: () => {} };
    this.#sources.add(source);
    let place = -Infinity;
    try {
      for await (const batch of batches) {
        // Delivered lines are freed, even if the source always has further ones.
        if (source.next > MAX_WAITING) {
          for (const list of [source.lines, source.places]) list.splice(0, source.next);
          source.next = 0;
        }
        for (const { time, text, cut } of batch) {
          if (time !== null) place = this.#place(time);
          source.lines.push({ time, text, cut, namespace, pod, container });
          source.places.push(place);
        }
        source.at = Date.now();
        this.#wake();
        // Backpressure: further lines wait in the source.
        while (source.lines.length - source.next > MAX_WAITING && !this.#isClosed) await new Promise((resolve) => (source.go = resolve));
        if (this.#isClosed) return;
      }
    } finally {
      source.isOver = true;
      this.#wake();
    }
  }

  /** Reports that the connection of a log is open, or has failed. */
  opened(origin) {
    for (const source of this.#sources) if (source.origin === origin) source.at = Math.min(source.at, Date.now());
  }

  /** A timestamp as nanoseconds since the first one: a number is exact for a hundred days. */
  #place(time) {
    const [seconds, nanos] = instant(time);
    this.#origin ??= seconds;
    return (seconds - this.#origin) * 1e9 + nanos;
  }

  /** Ends the merge at once, or with an error; sources are not read any further. */
  close(error) {
    [this.#isClosed, this.#error] = [true, error];
    this.#wake();
    for (const { go } of this.#sources) go();
  }

  /** Declares that no source will be added. The merge reads the existing ones to their ends; then it ends, or throws `error`. */
  finish(error) {
    [this.#isComplete, this.#failure] = [true, error];
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#error) throw this.#error;
      if (this.#isClosed) return;
      const batch = this.#take();
      if (batch.length > 0) {
        yield batch;
        continue;
      }
      if (this.#isComplete && this.#sources.size === 0) {
        if (this.#failure) throw this.#failure;
        return;
      }
      let timer;
      await new Promise((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, QUIET / 2);
      });
      clearTimeout(timer);
    }
  }

  /** Takes the lines that can be delivered in order. A source that was silent for `QUIET` is not waited for: its lines may come late. */
  #take() {
    const batch = [];
    const now = Date.now();
    for (const source of this.#sources) {
      if (source.next < source.lines.length) continue;
      [source.lines, source.places, source.next] = [[], [], 0];
      if (source.isOver) this.#sources.delete(source);
      else if (now - source.at < QUIET) return batch;
    }
    const filled = [...this.#sources].filter(({ lines }) => lines.length > 0);
    while (filled.length > 0 && batch.length < MOST) {
      let first = filled[0];
      let limit = Infinity;
      for (const source of filled) {
        const place = source.places[source.next];
        if (place < first.places[first.next]) [first, limit] = [source, first.places[first.next]];
        else if (source !== first && place < limit) limit = place;
      }
      // Lines of one log are usually consecutive: takes all before the next line of another log.
      do batch.push(first.lines[first.next++]);
      while (first.places[first.next] <= limit && batch.length < MOST);
      if (first.next < first.lines.length) continue;
      first.go();
      filled.splice(filled.indexOf(first), 1);
      // The source may have more lines in a moment.
      if (!first.isOver && now - first.at < QUIET) break;
    }
    for (const { go } of filled) go();
    return batch;
  }
}
