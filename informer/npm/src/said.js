// What an engine has to know of a page, so that the one that comes after it can be told the same.
export class Said {
  /** By number. A map keeps the order in which it was said. */
  #messages = new Map();

  keep(id, message) {
    // The last word counts: `start` is for all that was said before it.
    this.#messages.delete(id);
    this.#messages.set(id, message);
  }

  /** An informer takes along all that hangs on it. */
  forget(id) {
    this.#messages.delete(id);
    for (const [other, { informer }] of this.#messages) if (informer === id) this.#messages.delete(other);
  }

  messages() {
    return [...this.#messages.values()];
  }
}
