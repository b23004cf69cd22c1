// The indexes that `forResource` requests in this page: JSONPaths by name.
import { paths, refuse } from "./check.js";
import { badRequest } from "./error.js";

/** The request that adds indexes to an informer. */
export function addIndexers(informer, request, indexers = refuse("indexers", "an object of JSONPaths by name")) {
  return { type: "addIndexers", request, informer, indexers: { ...paths("indexers", indexers) } };
}

export class RequestedIndexers {
  #paths = new Map();
  #informer;
  #add;
  #fail;

  /** `informer` is its name; `add` adds indexes to it, `fail` is called with the error if that fails. */
  constructor(informer, add, fail) {
    [this.#informer, this.#add, this.#fail] = [informer, add, fail];
  }

  /** Adds missing indexes. Throws if a name has another path already. */
  add(indexers = {}) {
    const missing = {};
    for (const [name, path] of Object.entries(indexers)) {
      const known = this.#paths.get(name) ?? path;
      if (known !== path) throw badRequest(`the index "${name}" of ${this.#informer} already has the path ${known}; choose another name`);
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
