import type { InformerError } from "./error.js";

/** View query: which rows a view shows, and in which order. An omitted field resets that part. */
export interface ViewWish {
  /**
   * Filter expression: words, `status=Running`, `restarts>3`, `age<30m`, `label=app=web`… The README describes the
   * language. Default: empty, which matches all rows.
   */
  filter?: string;
  /** Namespaces to show. Default: empty, which shows all namespaces. */
  namespaces?: readonly string[];
  /**
   * Sort order: columns by name (case-insensitive) with direction, the most significant first. Ties are sorted by namespace
   * and name. Rows without a value come last. Default: by namespace and name.
   *
   * `namespace`, `name` and `age` always exist. The other columns are those of the view or, if it has none, those that
   * `kubectl get` prints.
   */
  orderBy?: readonly (readonly [column: string, direction?: "asc" | "desc"])[];
}

/** Options of `SharedInformer.view()`. */
export interface ViewOptions extends ViewWish {
  /** Label selector that the engine applies to the cache. Default: no selection. */
  labelSelector?: string;
  /**
   * Columns as JSONPath by name; braces are optional. Rows are then plain objects with these columns and `key`. A column
   * cannot be named `key`. Default: rows are the objects.
   */
  columns?: Record<string, string>;
  /** Rows that are sent to the page: all of them, or from `start` (inclusive) to `end` (exclusive). Default: `"all"`. */
  window?: "all" | readonly [start: number, end: number];
}

/**
 * View of a cache for a table or list: the engine filters and sorts, and sends the rows of the window. Disposing closes it.
 *
 * With `columns`, a row is `{ key, ...columns }` with strings, or null if the object has no such value. Rows are frozen. A
 * row that has not changed is the same object in the next snapshot. A stopped informer sends no further changes.
 *
 * ```ts
 * const view = pods.view({ columns: { phase: "{.status.phase}" }, orderBy: [["phase"]], window: [0, 50] });
 * await view.ready;
 * view.subscribe(() => console.log(view.getSnapshot().rows));
 * ```
 */
export interface View<R> extends Disposable {
  /**
   * Resolves once the first list is complete; rows may arrive before that. Rejects with `"bad-request"` if the options of
   * `view()` are invalid, with `"closed"` if the view is closed before. A failed `change()` does not reject it.
   */
  readonly ready: Promise<void>;
  /**
   * The error of the most recent `change()` or, before the first one, of the options of `view()`. Null if it succeeded; its
   * rows have arrived by then. Keeps its value while a change is pending, for example until the columns of a custom resource
   * are known. Results of earlier changes are not reported once a later one is pending.
   *
   * A change that fails leaves the previous filter and order in force. If the options of `view()` fail, there are no rows.
   */
  readonly error: InformerError | null;
  /**
   * Returns the rows of the window: `rows[0]` is row number `start` of `total`. The result is the same object until
   * something changes, as React's `useSyncExternalStore` requires; `revision` increases with each change. O(1).
   */
  getSnapshot(): { readonly rows: readonly R[]; readonly start: number; readonly total: number; readonly revision: number };
  /** Moves the window to the rows from `start` (inclusive) to `end` (exclusive). Throws `"bad-request"` if `end < start`. */
  setWindow(start: number, end: number): void;
  /**
   * Replaces filter, namespaces and order as a whole: an omitted field has its default. The change is applied completely or,
   * if any part is invalid, not at all; see `error`. Throws `"bad-request"` if a field has the wrong type.
   */
  change(wish: ViewWish): void;
  /**
   * Calls `callback` after `getSnapshot()` or `error` has changed, at most once per animation frame. Returns a function that
   * unsubscribes.
   */
  subscribe(callback: () => void): () => void;
}
