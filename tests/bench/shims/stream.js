// `Readable.fromWeb`, as far as a reader of chunks needs it.
export class Readable {
  #listeners = new Map();

  static fromWeb(body) {
    const readable = new Readable();
    // Listeners are added in the same task.
    queueMicrotask(() => readable.#pump(body.getReader()));
    return readable;
  }

  on(event, listener) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return this;
  }

  #emit(event, value) {
    for (const listener of this.#listeners.get(event) ?? []) listener(value);
  }

  async #pump(reader) {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        this.#emit('data', value);
      }
      this.#emit('end');
      this.#emit('close');
    } catch (error) {
      this.#emit('error', error);
      this.#emit('close');
    }
  }
}
