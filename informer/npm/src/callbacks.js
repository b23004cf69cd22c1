// Callbacks of a renderer: called at most once per frame, however often the data changes.

/** Before the next paint; in a worker or in node, which have no frames, after 16 ms. */
const soon = (callback) => (globalThis.requestAnimationFrame ?? ((paint) => setTimeout(paint, 16)))(callback);

export class Callbacks {
  #callbacks = new Set();
  #isDue = false;

  /** Adds a callback; returns a function that removes it. */
  add(callback) {
    const subscription = () => callback();
    this.#callbacks.add(subscription);
    return () => this.#callbacks.delete(subscription);
  }

  clear() {
    this.#callbacks.clear();
  }

  schedule() {
    if (this.#isDue) return;
    this.#isDue = true;
    soon(() => {
      this.#isDue = false;
      for (const callback of [...this.#callbacks]) {
        try {
          callback();
        } catch (thrown) {
          globalThis.reportError?.(thrown);
        }
      }
    });
  }
}
