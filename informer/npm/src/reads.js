// Reads of the cache. `read` asks the engine; names and values become text here, for anything else would be refused.
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
    return this.#read("list");
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
}

export class Lister {
  #indexer;
  #what;

  constructor(indexer, what) {
    this.#indexer = indexer;
    this.#what = what;
  }

  list() {
    return this.#indexer.list();
  }

  async get(name) {
    const object = await this.#indexer.getByKey(name);
    if (object === undefined) throw new InformerError("not-found", `${this.#what} "${name}" is not in the cache`, { retryable: true });
    return object;
  }

  namespace(namespace) {
    return {
      list: () => this.#indexer.byIndex("namespace", namespace),
      get: (name) => this.get(`${namespace}/${name}`),
    };
  }
}
