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
 * Cell as kubectl prints it: a text, a number, or null if there is no value. What changes as time goes by is an object with
 * moments in milliseconds since the Unix epoch:
 *
 * - `time`: a moment, printed as its age.
 * - `restarts`: a number, and when the last restart was.
 * - `from`, `to`: a duration; `to` is null while it goes on.
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
  /** Whether the object is gone and only its place is kept: see `View.freezeOrder()`. */
  readonly gone: boolean;
}

/** How many rows have which value of a column. */
export interface ColumnCounts {
  /** Name of the column, as it was asked for. */
  readonly column: string;
  /** Most frequent first, at most 100. */
  readonly values: readonly ValueCount[];
  /** Number of values that are not listed. */
  readonly more: number;
}

/** A value, and how many rows have it. */
export interface ValueCount {
  /** As the cell shows it; empty for rows without a value. */
  readonly value: string;
  readonly count: number;
}
