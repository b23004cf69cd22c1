import type { InformerError } from "./error.js";
import type { ColumnCounts, TableColumn } from "./table.js";

/** View query: which rows a view shows, and in which order. An omitted field resets that part. */
export interface ViewQuery {
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
  /** Columns whose values are counted, by name: see `View.counts`. Default: empty, which counts nothing. */
  counts?: readonly string[];
}

/** Options of `SharedInformer.view()`. */
export interface ViewOptions extends ViewQuery {
  /** Label selector that the engine applies to the cache. Default: no selection. */
  labelSelector?: string;
  /**
   * Type of the rows.
   *
   * - omitted: each row is the object.
   * - `"kubectl"`: a `TableRow` with the columns that `kubectl get -o wide` prints; `View.columns` has their names.
   * - JSONPaths by name; braces are optional: a plain object with these columns and `key`. A column cannot be named `key`.
   */
  columns?: Record<string, string> | "kubectl";
  /**
   * With `columns: "kubectl"`: further columns, JSONPaths by name; braces are optional. They follow kubectl's columns, sorted by
   * name, and are filtered, sorted and counted as those are. A cell is the values at the path, joined by commas, or null. If
   * kubectl has a column of the same name, queries mean that one. Default: none.
   *
   * Each object that changes is decompressed for them once.
   */
  extraColumns?: Record<string, string>;
  /** Rows that are sent to the page: all of them, or from `start` (inclusive) to `end` (exclusive). Default: `"all"`. */
  window?: "all" | readonly [start: number, end: number];
}

/** Rows of a view, with their totals. Frozen. */
export interface ViewSnapshot<R> {
  /** Rows of the window: `rows[0]` is row number `start`. */
  readonly rows: readonly R[];
  readonly start: number;
  /** Number of rows that match the query. */
  readonly total: number;
  /** Number of rows without the filter. */
  readonly unfiltered: number;
  /** Whether the first list is complete. Before that the totals are of the objects received so far. */
  readonly hasSynced: boolean;
  /** Query that the rows match, the same object until another one is applied. Null before the first one is applied. */
  readonly query: Required<ViewQuery> | null;
  /** Increases with each change. */
  readonly revision: number;
}

/** Value counts of a view. Frozen. */
export interface ViewCounts {
  /** Query whose rows are counted. Null before the first counts. */
  readonly query: Required<ViewQuery> | null;
  /** One entry for each column of `ViewQuery.counts`. */
  readonly columns: readonly ColumnCounts[];
}

/** Error of a view query. */
export interface ViewError extends InformerError {
  /** The query that was rejected. */
  readonly query: Required<ViewQuery>;
  /** Invalid range of `query.filter`, in UTF-16 code units, end exclusive. Null if the filter is not the reason. */
  readonly range: readonly [start: number, end: number] | null;
}

/**
 * View of a cache for a table or list: the engine filters and sorts, and sends the rows of the window. Disposing closes it.
 *
 * With columns by JSONPath, a row is `{ key, ...columns }` with strings, or null if the object has no such value. Rows are
 * frozen. A row that has not changed is the same object in the next snapshot. A stopped informer sends no further changes.
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
   * `view()` are invalid, with `"closed"` if the view is closed before, with the informer's error if the informer has failed
   * before its first list: a later `retry()` does not revive it. A failed `change()` does not reject it.
   */
  readonly ready: Promise<void>;
  /**
   * The error of the most recent `change()` or, before the first one, of the options of `view()`. Null if it succeeded; its
   * rows have arrived by then. Keeps its value while a change is pending, for example until the columns of a custom resource
   * are known. Results of earlier changes are not reported once a later one is pending.
   *
   * A change that fails leaves the previous query in force. If the options of `view()` fail, there are no rows.
   */
  readonly error: ViewError | null;
  /** Whether the options of `view()` or a `change()` have no result yet. */
  readonly pending: boolean;
  /** Columns of the rows, the same array until they change. Empty until they are known, and for rows that are objects. */
  readonly columns: readonly TableColumn[];
  /** Value counts over all rows that match the query. The same object until they change. */
  readonly counts: ViewCounts;
  /**
   * Returns the rows of the window. The result is the same object until something changes, as React's
   * `useSyncExternalStore` requires. O(1).
   */
  getSnapshot(): ViewSnapshot<R>;
  /** Moves the window to the rows from `start` (inclusive) to `end` (exclusive). Throws `"bad-request"` if `end < start`. */
  setWindow(start: number, end: number): void;
  /**
   * Replaces the query as a whole: an omitted field has its default. The change is applied completely or, if any part is
   * invalid, not at all; see `error`. With `window`, the window moves when the change is applied. Throws `"bad-request"` if a
   * field has the wrong type.
   */
  change(query: ViewQuery & Pick<ViewOptions, "window">): void;
  /**
   * Freezes the order of the rows of the window, for example while the pointer is over them: their cells change, but no row
   * moves. Rows that no longer match, or whose object was deleted, keep their place (`TableRow.gone`). `freezeOrder(false)` and
   * the next applied `change()` end it.
   */
  freezeOrder(frozen: boolean): void;
  /**
   * Counts the values of a column once, over the rows that match `filter` instead of the view's filter, for example to
   * complete a term while it is typed. Rejects with `"bad-request"` if the filter or the column is invalid. O(rows).
   *
   * @param options `column` by name. `filter`: default all rows. `containing`: only values that contain this text, case-insensitive.
   */
  countValues(options: { column: string; filter?: string; containing?: string }): Promise<ColumnCounts>;
  /**
   * Calls `callback` after any other property or `getSnapshot()` has changed, at most once per animation frame and within
   * one. Returns a function that unsubscribes.
   */
  subscribe(callback: () => void): () => void;
  /** Closes the view, as disposing does. Idempotent. */
  close(): void;
}
