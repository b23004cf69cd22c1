// Restarts of an engine that crashes: three within a minute, after growing pauses.
const PAUSES = [0, 1000, 5000];
const MINUTE = 60_000;

export class Restarts {
  #times = [];

  /** Milliseconds before the next restart; undefined after too many. */
  next() {
    const now = performance.now();
    this.#times = this.#times.filter((at) => now - at < MINUTE);
    const pause = PAUSES[this.#times.length];
    if (pause !== undefined) this.#times.push(now);
    return pause;
  }
}
