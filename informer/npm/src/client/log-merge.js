// Merge of several logs by time: sources may join and leave while it runs.
import { instant, isLater } from "./log-lines.js";

/** Silence of a source in milliseconds after which the merge does not wait for it. */
const QUIET = 250;
/** Maximum of buffered lines per source, and of lines in a batch. */
const MOST_WAITING = 10_000;
const MOST = 5_000;

export class Merge {
  #sources = new Set();
  #isClosed = false;
  #wake = () => {};
  #error;
  #failure;

  /** Adds a log: batches of lines, each of which gets the fields of `origin`. Resolves when it has ended. */
  async add(batches, origin) {
    const source = { lines: [], next: 0, times: [], at: Date.now(), isOver: false, go: () => {} };
    this.#sources.add(source);
    try {
      for await (const batch of batches) {
        // What was taken is let go, also of a log that never runs dry.
        if (source.next > MOST_WAITING) {
          for (const list of [source.lines, source.times]) list.splice(0, source.next);
          source.next = 0;
        }
        for (const line of batch) {
          source.lines.push({ ...line, ...origin });
          source.times.push(line.time === null ? (source.times.at(-1) ?? [0, 0]) : instant(line.time));
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
      [source.lines, source.times, source.next] = [[], [], 0];
      if (source.isOver) this.#sources.delete(source);
      else if (now - source.at < QUIET) return batch;
    }
    const filled = [...this.#sources].filter(({ lines }) => lines.length > 0);
    while (filled.length > 0 && batch.length < MOST) {
      let first = filled[0];
      for (const source of filled) if (isLater(first.times[first.next], source.times[source.next])) first = source;
      batch.push(first.lines[first.next++]);
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
