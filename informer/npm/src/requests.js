// Messages that are answered, and who waits for the answer.
import { fromReport } from "./error.js";

export class Requests {
  #waiting = new Map();
  /** Informers whose cache is being filled again: nobody reads of them meanwhile. */
  #held = new Set();

  /** `owner` is the informer that it is about. */
  add(message, owner, signal) {
    return new Promise((resolve, reject) => this.#waiting.set(message.request, { message, resolve, reject, owner, signal }));
  }

  /** Those without an answer that can be given one, in their order. */
  messages() {
    return [...this.#waiting.values()].map(({ message }) => message).filter((message) => this.isDue(message));
  }

  isDue({ type, informer }) {
    return type !== "read" || !this.#held.has(informer);
  }

  hold(informer) {
    this.#held.add(informer);
  }

  /** Returns the reads that were held. */
  release(informer) {
    if (!this.#held.delete(informer)) return [];
    return this.messages().filter((message) => message.type === "read" && message.informer === informer);
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
    this.#held.delete(owner);
    for (const [request, waiting] of this.#waiting) {
      if (owner !== undefined && waiting.owner !== owner) continue;
      this.#waiting.delete(request);
      waiting.reject(error);
    }
  }
}
