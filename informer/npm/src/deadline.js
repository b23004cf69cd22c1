// The deadline of a connection: how long a worker may take to answer, and then how long its engine may take to start.
import { InformerError } from "./error.js";

/** For `begin`: a worker, by the URL of its file where that is known. */
export const workerAnswers = (url = "") => [
  `the worker ${url} did not answer`.replace("  ", " "),
  "Check that this is kube-informer's worker.js and that it runs without errors; if it is shared, close all tabs of this origin.",
];

/** For `begin`: an engine, by the URL of its wasm where that is known. */
export const engineStarts = (wasm) => [
  `the engine did not start from ${typeof wasm === "string" || wasm instanceof URL ? wasm : "what `wasm` gave"}`,
  "Check that the file comes; a slow network wants a longer `timeoutMs`.",
];

export class Deadline {
  #ms;
  #timer;
  #what;

  constructor(ms) {
    this.#ms = ms;
  }

  /** Begins anew, unless it is for the same. When it is over, `late` is told what did not happen, and what to do. */
  begin([what, advice], late) {
    if (what === this.#what) return;
    this.end();
    this.#what = what;
    // A timer holds 31 bits; more than that would ring at once.
    if (this.#ms >= 2 ** 31) return;
    const message = `${what} within ${this.#ms / 1000} s. ${advice}`;
    this.#timer = setTimeout(() => late(new InformerError("timeout", message, { retryable: true })), this.#ms);
  }

  end() {
    clearTimeout(this.#timer);
    this.#what = undefined;
  }
}
