// Replay log: the open subscriptions of a page, re-sent to a replacement engine.
export class ReplayLog {
  /** Messages by id, in the order in which they were recorded. */
  #messages = new Map();

  /** Records a message. A later one of the same id replaces it and moves to the end: `start` applies to everything before it. */
  record(id, message) {
    this.#messages.delete(id);
    this.#messages.set(id, message);
  }

  /** Deletes the message of an id and, if it is an informer, all messages about it. */
  delete(id) {
    this.#messages.delete(id);
    for (const [other, { informer }] of this.#messages) if (informer === id) this.#messages.delete(other);
  }

  messages() {
    return [...this.#messages.values()];
  }
}
