// Fake Web Locks, as far as the package uses them.
export class Locks {
  #held = new Map(); // by name: what lets it go
  #waiting = new Map();

  get names() {
    return [...this.#held.keys()];
  }

  request(name, options, callback = options) {
    const { signal } = typeof options === 'object' ? options : {};
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const entry = { callback, resolve, reject };
      signal?.addEventListener('abort', () => {
        const queue = this.#waiting.get(name) ?? [];
        if (!queue.includes(entry)) return;
        queue.splice(queue.indexOf(entry), 1);
        reject(signal.reason);
      });
      if (!this.#waiting.has(name)) this.#waiting.set(name, []);
      this.#waiting.get(name).push(entry);
      this.#next(name);
    });
  }

  /** The holder dies. */
  release(name) {
    this.#held.delete(name);
    this.#next(name);
  }

  #next(name) {
    if (this.#held.has(name) || !this.#waiting.get(name)?.length) return;
    const { callback, resolve, reject } = this.#waiting.get(name).shift();
    const mine = {};
    this.#held.set(name, mine);
    const free = () => {
      if (this.#held.get(name) === mine) this.release(name);
    };
    Promise.resolve()
      .then(() => callback({ name }))
      .then((value) => (free(), resolve(value)), (error) => (free(), reject(error)));
  }
}

/** Puts locks where modules look for them, or takes them away. */
export function setLocks(locks) {
  Object.defineProperty(globalThis, 'navigator', { value: locks ? { locks } : {}, configurable: true, writable: true });
  return locks;
}
