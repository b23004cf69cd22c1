// Callbacks of what is rendered: told once a frame at the most, however often there is something to tell.

/** Paints happen once a frame, and where there are no frames some sixty times a second. */
const soon = (callback) => (globalThis.requestAnimationFrame ?? ((paint) => setTimeout(paint, 16)))(callback);

export class Callbacks {
  #callbacks = new Set();
  #isDue = false;

  /** Gives what takes it back. */
  add(callback) {
    const subscription = () => callback();
    this.#callbacks.add(subscription);
    return () => this.#callbacks.delete(subscription);
  }

  clear() {
    this.#callbacks.clear();
  }

  tell() {
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
