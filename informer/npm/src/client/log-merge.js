// Merge of several logs by time: sources may join and leave while it runs.
import { instant } from "./log-lines.js";

/** A source without a line for so long holds up no other, in milliseconds; one whose connection is being opened, for longer. */
const QUIET = 250;
const OPENING = 2_000;
/** Lines of one source that wait, at most: those of a busy container while a quiet one is waited for. And lines in one batch. */
const MOST_WAITING = 20_000;
const MOST = 2_000;

export class Merge {
  #sources = new Set();
  #isClosed = false;
  #wake = () => {};
  #error;
  #failure;
  /** The whole seconds of the first timestamp. */
  #origin;

  /**
   * Adds a log: batches of lines, each of which gets the fields of `origin`. Resolves when it has ended. A log with a `past` has
   * lines before those of now: it holds up the others until it is `opened()`.
   */
  async add(batches, origin, { past = false } = {}) {
    const { namespace, pod, container } = origin;
    const source = { origin, lines: [], places: [], next: 0, at: Date.now() + (past ? OPENING - QUIET : 0), isOver: false, go: () => {} };
    this.#sources.add(source);
    let place = -Infinity;
    try {
      for await (const batch of batches) {
        // What was taken is let go, also of a log that never runs dry.
        if (source.next > MOST_WAITING) {
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
        while (source.lines.length - source.next > MOST_WAITING && !this.#isClosed) await new Promise((resolve) => (source.go = resolve));
        if (this.#isClosed) return;
      }
    } finally {
      source.isOver = true;
      this.#wake();
    }
  }

  /** The connection of a log is open, or has failed. */
  opened(origin) {
    for (const source of this.#sources) if (source.origin === origin) source.at = Math.min(source.at, Date.now());
  }

  /** A timestamp as nanoseconds since the first one: a number is exact for a hundred days. */
  #place(time) {
    const [seconds, nanos] = instant(time);
    this.#origin ??= seconds;
    return (seconds - this.#origin) * 1e9 + nanos;
  }

  /** Declares that no source joins any more: the merge ends after the last one. */
  close(error) {
    [this.#isClosed, this.#error] = [true, error];
    this.#wake();
    for (const { go } of this.#sources) go();
  }

  /** The merge ends when all sources have ended, or fails with the error; they go on to be read. */
  finish(error) {
    [this.isComplete, this.#failure] = [true, error];
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
      if (this.isComplete && this.#sources.size === 0) {
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

  /** Returns the lines before which no source can still have an earlier one. */
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
      // Lines of one log mostly stand together: all that come before the next line of another one.
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
