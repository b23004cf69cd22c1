// Cursor: how far a log has been delivered, so that it is resumed without gap or duplicate.
//
// The apiserver passes `sinceTime` to the kubelet in whole seconds, so a resumed log begins with delivered lines: those of
// the last second. They are counted, because several lines may have the same timestamp and the streams of a container
// (stdout, stderr) may be slightly out of order.
import { instant, isLater, secondsOf } from "./log-lines.js";

export class Cursor {
  #second;
  /** Lines delivered of `#second` and later, and the last of them. */
  #count = 0;
  #last;

  /** Records a delivered line. */
  note({ time }) {
    if (time === null) return;
    const second = secondsOf(time);
    if (this.#second === undefined || second > this.#second) [this.#second, this.#count] = [second, 0];
    if (second < this.#second) return;
    this.#count++;
    this.#last = time;
  }

  /** `sinceTime` of the next request; undefined before the first line. */
  get since() {
    return this.#second === undefined ? undefined : new Date(this.#second * 1000).toISOString().replace(".000Z", "Z");
  }

  /** Starts another run of the container, whose log contains none of the counted lines. */
  startRun() {
    this.#count = 0;
  }

  /**
   * Returns a filter that drops delivered lines from the next request. It buffers lines until it finds the last delivered
   * one at its place. If that line is missing, because the log was rotated, only later lines pass.
   */
  resume() {
    const [count, last, second] = [this.#count, this.#last, this.#second];
    const later = (lines) => (last === undefined ? lines : lines.filter(({ time }) => time === null || isLater(instant(time), instant(last))));
    if (count === 0) return { filter: later, rest: () => [] };
    let held = [];
    let isLost = false;
    const filter = (lines) => {
      if (!held) return isLost ? later(lines) : lines;
      const passed = [];
      for (const [place, line] of lines.entries()) {
        // The server may send lines from before `sinceTime`.
        if (line.time === null || instant(line.time)[0] < second) continue;
        held.push(line);
        // A delivered line cannot follow a line that is so much later: the log no longer contains it.
        const isLate = instant(line.time)[0] > instant(last)[0] + 1;
        if (held.length < count && !isLate) continue;
        isLost = line.time !== last;
        if (isLost) passed.push(...later(held));
        held = undefined;
        const rest = lines.slice(place + 1);
        passed.push(...(isLost ? later(rest) : rest));
        break;
      }
      return passed;
    };
    /** Returns the buffered lines if the log ends before the last delivered line was found. */
    const rest = () => later(held ?? []);
    return { filter, rest };
  }
}
