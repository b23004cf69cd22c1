// Cursor: how far a log has been delivered, so that it is resumed without gap or duplicate.
//
// The apiserver hands `sinceTime` to the kubelet in whole seconds, so a resumed log begins with lines that are known: those
// of the last second. They are counted, as several lines may have the same timestamp and the streams of a container (stdout,
// stderr) may be a little out of order.
import { instant, isLater, secondsOf } from "./log-lines.js";

export class Cursor {
  #second;
  /** Lines delivered of `#second` and later, and the last of them. */
  #count = 0;
  #last;

  /** Notes a delivered line. */
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

  /** The next request reads another run of the container: none of the lines that were counted are in its log. */
  startRun() {
    this.#count = 0;
  }

  /**
   * Returns a filter for the lines of the next request. It drops those that were delivered. They are held until the last of
   * them is found where it must be; if it is not, because the log was rotated, only later ones pass.
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
        // The server may send more than was asked for.
        if (line.time === null || instant(line.time)[0] < second) continue;
        held.push(line);
        // What was delivered cannot be behind a line that is so much later: it is there no longer.
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
    /** What is held when the log ends first. */
    const rest = () => later(held ?? []);
    return { filter, rest };
  }
}
