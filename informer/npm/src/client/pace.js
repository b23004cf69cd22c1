// Time slices of log processing: after each slice the page handles its own tasks.

/** Length of a slice, and interval of batches, in milliseconds. */
const SLICE = 8;
const FRAME = 16;

export class Pace {
  #began = performance.now();
  #last = -Infinity;

  /** Yields to other tasks at the end of a slice. Many small chunks become one batch per frame. */
  async turn(bytes) {
    const now = performance.now();
    const rest = this.#last + FRAME - now;
    this.#last = now;
    if (bytes < 32 << 10 && rest > 0) await sleep(rest);
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

/** Sleeps. An abort of the signal ends it early, without an error. */
export function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
