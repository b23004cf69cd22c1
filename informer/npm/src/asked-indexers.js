// The indexes that `forResource` was asked for in this page: paths by name.
import { badRequest } from "./error.js";

export class AskedIndexers {
  #paths = new Map();
  #informer;
  #add;
  #fail;

  /** `informer` is its name; `add` adds indexes to it, and `fail` is told if that fails. */
  constructor(informer, add, fail) {
    [this.#informer, this.#add, this.#fail] = [informer, add, fail];
  }

  /** Adds those that are missing. Throws where a name stands for another path. */
  ask(indexers = {}) {
    const missing = {};
    for (const [name, path] of Object.entries(indexers)) {
      const known = this.#paths.get(name) ?? path;
      if (known !== path) throw badRequest(`the index "${name}" of ${this.#informer} is over ${known} already`);
      if (!this.#paths.has(name)) missing[name] = known;
    }
    const names = Object.keys(missing);
    if (names.length === 0) return;
    for (const name of names) this.#paths.set(name, missing[name]);
    this.#add(missing).catch((error) => {
      for (const name of names) this.#paths.delete(name);
      this.#fail(error);
    });
  }
}
