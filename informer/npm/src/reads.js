// Reads of the cache. `read` sends a request to the engine; names and values are converted to strings, which it requires.
import { InformerError } from "./error.js";

export class Indexer {
  #read;

  constructor(read) {
    this.#read = read;
  }

  async getByKey(key) {
    return (await this.#read({ getByKey: { key: `${key}` } })) ?? undefined;
  }

  list() {
    return this.#read({ list: {} });
  }

  listKeys() {
    return this.#read("listKeys");
  }

  byIndex(index, value) {
    return this.#read({ byIndex: { index: `${index}`, value: `${value}` } });
  }

  indexKeys(index, value) {
    return this.#read({ indexKeys: { index: `${index}`, value: `${value}` } });
  }

  listIndexFuncValues(index) {
    return this.#read({ listIndexFuncValues: { index: `${index}` } });
  }

  getIndexers() {
    return this.#read("getIndexers");
  }
}

export class Lister {
  #read;
  #what;

  constructor(read, what) {
    this.#read = read;
    this.#what = what;
  }

  list(labelSelector) {
    return this.namespace("").list(labelSelector);
  }

  async get(name) {
    const object = await this.#read({ getByKey: { key: `${name}` } });
    if (object === null) throw new InformerError("not-found", `${this.#what} "${name}" is not in the cache`, { retryable: true });
    return object;
  }

  namespace(namespace) {
    return {
      list: (labelSelector = "") => this.#read({ list: { namespace: `${namespace}`, labelSelector: `${labelSelector}` } }),
      get: (name) => this.get(namespace ? `${namespace}/${name}` : name),
    };
  }
}
