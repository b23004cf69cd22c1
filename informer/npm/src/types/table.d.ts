/** Column of a view, as in kubectl's table. */
export interface TableColumn {
  /** Header, for example `"Restarts"`. */
  readonly name: string;
  /** `"number"` if the cells are ordered as numbers, otherwise `"string"`. */
  readonly type: "string" | "number";
  /** 0 for the columns of `kubectl get`, 1 for those that only `-o wide` prints. */
  readonly priority: number;
}

/**
 * Cell as kubectl prints it: a text, a number, or null if there is no value. A cell whose text changes with time is an object
 * with moments in milliseconds since the Unix epoch:
 *
 * - `time`: a moment, printed as its age.
 * - `restarts`: a number; `lastAt` is the time of the last restart.
 * - `from`, `to`: a duration; `to` is null while it continues.
 */
export type TableCell =
  | string
  | number
  | null
  | { readonly time: number }
  | { readonly restarts: number; readonly lastAt: number | null }
  | { readonly from: number; readonly to: number | null };

/** Row of a view with `columns: "kubectl"`. Frozen. */
export interface TableRow {
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  /** Distinguishes an object from an earlier one with the same key. */
  readonly uid: string;
  /** One for each of `View.columns`. */
  readonly cells: readonly TableCell[];
  /** Whether the object no longer matches or was deleted, and the row only keeps its place: see `View.freezeOrder()`. */
  readonly gone: boolean;
}

/** Value counts of a column. */
export interface ColumnCounts {
  /** Name of the column, as in the query. */
  readonly column: string;
  /** Most frequent first, at most 100. */
  readonly values: readonly ValueCount[];
  /** Number of values that are not listed. */
  readonly more: number;
}

/** Value and the number of rows that have it. */
export interface ValueCount {
  /** Text of the cell; empty for rows without a value. */
  readonly value: string;
  readonly count: number;
}
