/** client-go's Indexer. The index "namespace" is built in. */
export interface Indexer<T> {
  /** "namespace/name", or "name" for what lives in no namespace. */
  getByKey(key: string): Promise<T | undefined>;
  list(): Promise<T[]>;
  /** Sorted. */
  listKeys(): Promise<string[]>;
  byIndex(index: string, value: string): Promise<T[]>;
  /** Sorted. */
  indexKeys(index: string, value: string): Promise<string[]>;
  /** Sorted. */
  listIndexFuncValues(index: string): Promise<string[]>;
  /** The paths of all indexes by name. */
  getIndexers(): Promise<Record<string, string>>;
}

/** A label selector that cannot be read rejects with code "bad-request". */
export interface Lister<T> {
  list(labelSelector?: string): Promise<T[]>;
  /** By key; rejects with code "not-found". */
  get(name: string): Promise<T>;
  /** One namespace, or all where it is empty. */
  namespace(namespace: string): { list(labelSelector?: string): Promise<T[]>; get(name: string): Promise<T> };
}
