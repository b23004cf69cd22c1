// Deadline of a connection: for the worker to answer, then for its engine to start.
import { InformerError } from "./error.js";

/** For `begin`: a worker; `url` of its file, if it is known. */
export const workerAnswers = (url = "") => [
  `the worker ${url} did not respond`.replace("  ", " "),
  "Check that this is kube-informer's worker.js and that it runs without errors; if it is shared, close all tabs of this origin.",
];

/** For `begin`: an engine; `wasm` is its source. */
export const engineStarts = (wasm) => [
  `the engine did not start from ${typeof wasm === "string" || wasm instanceof URL ? wasm : "the source in `wasm`"}`,
  "Check that the file can be loaded; on a slow network set a longer `timeoutMs`.",
];

export class Deadline {
  #ms;
  #timer;
  #what;

  constructor(ms) {
    this.#ms = ms;
  }

  /** Starts the deadline, unless it runs for the same. When it is over, calls `late` with the error. */
  begin([what, advice], late) {
    if (what === this.#what) return;
    this.end();
    this.#what = what;
    // A timer's delay has 31 bits; a larger one would fire at once.
    if (this.#ms >= 2 ** 31) return;
    const message = `${what} within ${this.#ms / 1000} s. ${advice}`;
    this.#timer = setTimeout(() => late(new InformerError("timeout", message, { retryable: true })), this.#ms);
  }

  end() {
    clearTimeout(this.#timer);
    this.#what = undefined;
  }
}
