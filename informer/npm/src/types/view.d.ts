import type { InformerError } from "./error.js";

/** What a view shows, and in which order. */
export interface ViewWish {
  /** Keeps what it matches: words, `status=Running`, `restarts>3`, `age<30m`, `label=app=web`… README has the language. */
  filter?: string;
  /** Of these namespaces only; of all if it is empty. */
  namespaces?: readonly string[];
  /**
   * By the names of columns in any case, first the first; in the end by namespace and name. Those are always there, as
   * `age` is; the others are the view's own, or those that `kubectl get` prints. What is missing comes last.
   */
  orderBy?: readonly (readonly [column: string, direction?: "asc" | "desc"])[];
}

export interface ViewOptions extends ViewWish {
  /** Keeps what it selects. */
  labelSelector?: string;
  /**
   * Columns by name, each a JSONPath, whose braces may be left out: rows are plain objects of these, and their key. No
   * column can be called `key`.
   */
  columns?: Record<string, string>;
  /** The rows that are kept here, from the first to one past the last; `"all"` unless told. */
  window?: "all" | readonly [start: number, end: number];
}

/**
 * Rows in an order, filtered and sorted beside the cache; only those of the window are here. A row that did not change is
 * the same frozen object from one snapshot to the next. Rows of columns are `{ key, ...columns }`, texts, or null where the
 * object does not say. When the informer is stopped, nothing more comes.
 */
export interface View<R> extends Disposable {
  /**
   * Resolves when the first list is complete; rows may be here before. Rejects when the view cannot be as it was opened
   * (code "bad-request"), and when it ends before. What comes of `change` is nothing to it.
   */
  readonly ready: Promise<void>;
  /**
   * Why the last wish, which is the last `change` or what the view was opened with, was refused: then all of what was in
   * force before still is, and without anything before there are no rows. Null when it was granted; the rows are here by
   * then. While the last wish is not judged yet it is as before: that of a custom resource waits for its columns. What
   * came of earlier wishes is not told any more.
   */
  readonly error: InformerError | null;
  /** The same reference until something changes. */
  getSnapshot(): { readonly rows: readonly R[]; readonly start: number; readonly total: number; readonly revision: number };
  setWindow(start: number, end: number): void;
  /**
   * Asks for other rows, in another order; what is left out is as if it had never been asked for. Granted as a whole or
   * refused as a whole: see `error`.
   */
  change(wish: ViewWish): void;
  /** Calls back after snapshot or `error` changed (also to null), once a frame at the most; gives what ends that. */
  subscribe(callback: () => void): () => void;
}
