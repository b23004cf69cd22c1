/**
 * client-go's `Indexer`: reads of the cache by key and by index. The index `namespace` is built in; `addIndexers()` adds
 * others. Each read is a message to the engine.
 *
 * All methods reject with `"bad-request"` if the index does not exist, and with `"closed"` if the informer is stopped.
 */
export interface Indexer<T> {
  /** Returns the object with a key: `"namespace/name"`, or `"name"` for cluster-scoped objects. O(1). */
  getByKey(key: string): Promise<T | undefined>;
  /** Returns all objects. */
  list(): Promise<T[]>;
  /** Returns all keys, sorted. */
  listKeys(): Promise<string[]>;
  /** Returns the objects with a value in an index. Cost depends on the result, not on the size of the cache. */
  byIndex(index: string, value: string): Promise<T[]>;
  /** Returns the keys of the objects with a value in an index, sorted. */
  indexKeys(index: string, value: string): Promise<string[]>;
  /** Returns all values of an index, sorted. */
  listIndexFuncValues(index: string): Promise<string[]>;
  /** Returns the paths of all indexes by name. */
  getIndexers(): Promise<Record<string, string>>;
}

/**
 * client-go's lister: reads of the cache by name, namespace and labels. An invalid label selector rejects with
 * `"bad-request"`.
 *
 * ```ts
 * const web = await pods.lister.namespace("shop").list("app in (web, api)");
 * ```
 */
export interface Lister<T> {
  /** Returns all objects, or those that a label selector selects. */
  list(labelSelector?: string): Promise<T[]>;
  /** Returns the object with a key. Rejects with `"not-found"` if it is not cached. */
  get(name: string): Promise<T>;
  /** Restricts reads to one namespace. An empty string means all namespaces. */
  namespace(namespace: string): { list(labelSelector?: string): Promise<T[]>; get(name: string): Promise<T> };
}
