// Time slices of log processing: after each slice the page handles its own tasks.
import { onAbort } from "../promises.js";

/** Length of a slice, and interval of batches, in milliseconds. */
const SLICE = 8;
const FRAME = 16;

export class Pace {
  #began = performance.now();
  #last = -Infinity;

  /** Gives others a turn when a slice has been used. Many small chunks become one batch for each frame, unless more has come already. */
  async turn(bytes, isLast = true) {
    const now = performance.now();
    const rest = this.#last + FRAME - now;
    this.#last = now;
    if (isLast && bytes < 32 << 10 && rest > 0) await sleep(rest);
    else if (now - this.#began >= SLICE) await turn();
    else return;
    this.#began = performance.now();
  }
}

/** Yields by a message: browsers clamp nested timers of 0 ms to four milliseconds. */
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/** Ends early, without an error, when one of the signals is aborted. */
export async function sleep(milliseconds, ...signals) {
  let timer;
  let forget = [];
  await new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
    // A signal that is aborted already fires no event.
    forget = signals.map((signal) => onAbort(signal, resolve));
  });
  clearTimeout(timer);
  for (const once of forget) once();
}
