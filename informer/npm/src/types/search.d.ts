/** Options of `SharedInformer.search()`. All of them are optional. */
export interface SearchOptions {
  /** Most matches to return, at most 1,000. Default: 50. `SearchResult.total` counts all of them. */
  limit?: number;
  /**
   * Columns of `kubectl get -o wide` whose texts are searched, for example `["IP"]`. Names that the resource does not have
   * are ignored, so one list serves all resources. Default: none.
   */
  columns?: readonly string[];
  /** Indexes whose values are searched: see `InformerOptions.indexers`. Unknown ones are ignored. Default: none. */
  indexes?: readonly string[];
}

/** Object that a search has found. */
export interface SearchMatch {
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  readonly uid: string;
  /**
   * Where the word was found that decides the rank: the one whose place is the last in this order.
   *
   * | `in` | a word is found if |
   * |---|---|
   * | `name` | the name is the word, begins with it, or contains it; ranked in this order |
   * | `key` | the word contains `/`, and `namespace/name` contains the word |
   * | `uid` | the uid begins with the word, which has at least four characters |
   * | `label` | the value of a label contains the word. With `=` in the word: the key ends and the value begins as written |
   * | `column` | a text of `SearchOptions.columns` contains the word |
   * | `index` | a value of `SearchOptions.indexes` contains the word |
   */
  readonly in: "name" | "key" | "uid" | "label" | "column" | "index";
  /** Name of the label, column or index; empty for the others. */
  readonly name: string;
  /** What was found there: the whole name, key, uid, value or text. */
  readonly text: string;
}

/** Result of `SharedInformer.search()`. */
export interface SearchResult {
  /** Number of objects that match. */
  readonly total: number;
  /** Number of objects in the cache. */
  readonly of: number;
  /** The best matches: by `in`, then by key. */
  readonly matches: readonly SearchMatch[];
}
