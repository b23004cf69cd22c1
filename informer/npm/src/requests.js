// Pending requests, by id.
import { fromReport } from "./error.js";

export class Requests {
  #pending = new Map();
  /** Informers whose cache is being filled again: their reads are held back. */
  #held = new Set();

  /** Adds a request about the informer `owner`; resolves to its response. */
  add(message, owner, signal) {
    return new Promise((resolve, reject) => this.#pending.set(message.request, { message, resolve, reject, owner, signal }));
  }

  /** The pending requests that can be sent, in order. */
  messages() {
    return [...this.#pending.values()].map(({ message }) => message).filter((message) => this.isDue(message));
  }

  isDue({ type, informer }) {
    return type !== "read" || !this.#held.has(informer);
  }

  hold(informer) {
    this.#held.add(informer);
  }

  /** Returns the reads that were held back. */
  release(informer) {
    if (!this.#held.delete(informer)) return [];
    return this.messages().filter((message) => message.type === "read" && message.informer === informer);
  }

  /** Settles a request with a `reply` or `failed` message. Returns undefined if it is not pending. */
  settle({ type, request, json, error }) {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    if (type === "reply") pending?.resolve(json);
    else pending?.reject(pending.signal?.aborted ? pending.signal.reason : fromReport(error));
    return pending;
  }

  /** Rejects the requests about an informer, or all. */
  reject(error, owner) {
    this.#held.delete(owner);
    for (const [request, pending] of this.#pending) {
      if (owner !== undefined && pending.owner !== owner) continue;
      this.#pending.delete(request);
      pending.reject(error);
    }
  }
}
