// How often an engine that crashes is started again: three times a minute, later each time.
const PAUSES = [0, 1000, 5000];
const MINUTE = 60_000;

export class Restarts {
  #times = [];

  /** Milliseconds to wait before the next one; nothing where there were too many. */
  next() {
    const now = performance.now();
    this.#times = this.#times.filter((at) => now - at < MINUTE);
    const pause = PAUSES[this.#times.length];
    if (pause !== undefined) this.#times.push(now);
    return pause;
  }
}
