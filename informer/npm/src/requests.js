// Messages that are answered, and who waits for the answer.
import { fromReport } from "./error.js";

export class Requests {
  #waiting = new Map();

  /** `owner` is the informer that it is about. */
  add(message, owner, signal) {
    return new Promise((resolve, reject) => this.#waiting.set(message.request, { message, resolve, reject, owner, signal }));
  }

  /** Those without an answer, in their order. */
  messages() {
    return [...this.#waiting.values()].map(({ message }) => message);
  }

  /** An answer: `reply` or `failed`. */
  settle({ type, request, json, error }) {
    const waiting = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (type === "reply") waiting?.resolve(json);
    else waiting?.reject(waiting.signal?.aborted ? waiting.signal.reason : fromReport(error));
  }

  /** Rejects those about an informer, or all. */
  reject(error, owner) {
    for (const [request, waiting] of this.#waiting) {
      if (owner !== undefined && waiting.owner !== owner) continue;
      this.#waiting.delete(request);
      waiting.reject(error);
    }
  }
}
