import type { InformerError } from "./error.js";

/** Value of a group: the number of its objects, or the sum, minimum or maximum of a column. */
export type AggregateValue =
  | { readonly op: "count" }
  | { readonly op: "sum" | "min" | "max"; readonly column: string };

/** Options of `SharedInformer.aggregate()`. All of them are optional. */
export interface AggregateOptions {
  /**
   * Columns to group by, by name (case-insensitive): at most two. Default: none, then there is only the total.
   *
   * The columns are those of `columns` or, without it, those that `kubectl get -o wide` prints, and computed columns, for which
   * the engine decompresses each object: `phase`, `cpu-requests`, `cpu-limits`, `memory-requests`, `memory-limits`,
   * `last-restart` and `restart-minute` of pods; `readiness` of daemon sets; `memory-pressure`, `disk-pressure`,
   * `pid-pressure` and `network-unavailable` of nodes; `minute` of events. Requests and limits are those of the whole pod, as
   * the scheduler counts them; minutes are the second of the Unix epoch at which they begin. `namespace` always exists.
   * `name`, `age` and columns of times or durations cannot be grouped by: nearly every object has its own value.
   */
  by?: readonly string[];
  /**
   * Values of each group, 1 to 16. Default: `[{ op: "count" }]`.
   *
   * - `count`: the number of objects, with or without values in other columns.
   * - `sum`, `min`, `max` of a column, over the objects that have a value in it. Without any, a sum is 0, the others are null.
   *
   * | column of | unit | operations |
   * |---|---|---|
   * | numbers | as in the object | all |
   * | quantities (`500m`, `1Gi`) | 1: cores, bytes | all |
   * | durations with an end | milliseconds | all |
   * | times, also `age` (the creation time) | milliseconds since the Unix epoch | `min`, `max` |
   *
   * If a JSONPath finds several values in an object, for example one in each container, the object's value is their sum.
   * A text that is no number, a ratio such as `1/2`, and a list with such a text are no value. As in Kubernetes, quantities
   * are multiples of 10⁻⁹ up to 2^63 − 1: finer ones are rounded away from zero, larger ones are capped.
   */
  of?: readonly AggregateValue[];
  /** Filter expression, as in `ViewQuery.filter`. Default: empty, which matches all objects. */
  filter?: string;
  /** Namespaces to count. Default: empty, which counts all namespaces. */
  namespaces?: readonly string[];
  /** Label selector that the engine applies to the cache. Default: no selection. */
  labelSelector?: string;
  /**
   * Columns of the aggregate's own: JSONPaths by name; braces are optional. The engine decompresses each object for them, which
   * takes about a second for 100,000 objects at the start. Default: the columns of `kubectl get -o wide`.
   */
  columns?: Record<string, string>;
  /**
   * Further columns after those, JSONPaths by name, as `ViewOptions.extraColumns`: with kubectl's columns they can be mixed in `by`,
   * `of` and `filter`. The engine decompresses each object for them. Default: none.
   */
  extraColumns?: Record<string, string>;
  /** Maximum number of groups in the snapshot, 1 to 10,000: those with the largest first value. Default: 1,000. */
  limit?: number;
}

/** Objects with the same values in the columns of `by`. Frozen. */
export interface AggregateGroup {
  /** Text of each column of `by`; empty if the objects have no value. */
  readonly key: readonly string[];
  /** One for each of `of`. Null if it is a `min` or `max` and no object has a value. */
  readonly values: readonly (number | null)[];
}

/** Groups of an aggregate. Frozen. */
export interface AggregateSnapshot {
  /** The groups with the largest first value, in descending order; ties in natural order of the key. Empty without `by`. */
  readonly groups: readonly AggregateGroup[];
  /** Number of further groups, beyond `limit`. */
  readonly more: number;
  /** Values over all objects that match, also of groups that are not listed. Null before the first patch. */
  readonly total: readonly (number | null)[] | null;
  /** Whether the first list is complete. Before that the values are of the objects received so far. */
  readonly hasSynced: boolean;
  /** Increases with each change. */
  readonly revision: number;
}

/** Error of the options of an aggregate. */
export interface AggregateOptionsError extends InformerError {
  /** Invalid range of `filter`, in UTF-16 code units, end exclusive. Null if the filter is not the reason. */
  readonly range: readonly [start: number, end: number] | null;
}

/**
 * Counts, sums, minima and maxima of the cached objects by group, kept up to date by the engine. Disposing closes it.
 *
 * A change updates the groups of its object, without a scan: O(1) for counts and sums, O(log d) for a minimum or maximum,
 * where d is the number of different values in the group. The page receives the changed groups, at most once per frame.
 * Sums are exact; a value is rounded once, to a number of JavaScript, when it is read. A group that has not changed is the
 * same object in the next snapshot. At 100,000 pods a change costs a few microseconds in the engine. An aggregate takes about
 * 50 bytes there for each object that it counts, and for each different value of a minimum or maximum. While the server is
 * unreachable, and after a change of engine, groups stay, as the rows of a view do; `SharedInformer.status` reports how fresh
 * they are. A stopped informer sends no further changes.
 *
 * ```ts
 * using usage = await pods.aggregate({
 *   by: ["node"],
 *   of: [{ op: "count" }, { op: "sum", column: "cpu" }],
 *   columns: { node: "{.spec.nodeName}", cpu: "{.spec.containers[*].resources.requests.cpu}" },
 *   filter: "node!=",
 * });
 * await usage.ready;
 * for (const { key, values } of usage.getSnapshot().groups) console.log(key[0], values[0], "pods", values[1], "cores");
 * ```
 */
export interface Aggregate extends Disposable {
  /**
   * Resolves once the first list is complete; groups may arrive before that. Rejects with an `AggregateOptionsError` (code
   * `"bad-request"`) if the filter, a column or an operation is invalid, with `"closed"` if the aggregate is closed before, with
   * the informer's error if the informer has failed before its first list.
   */
  readonly ready: Promise<void>;
  /** The error that `ready` rejected with because of the options; the aggregate has no groups then. Null otherwise. */
  readonly error: AggregateOptionsError | null;
  /**
   * Returns the groups. The result is the same object until something changes, as React's `useSyncExternalStore` requires.
   * O(1).
   */
  getSnapshot(): AggregateSnapshot;
  /**
   * Calls `callback` after `error` or `getSnapshot()` has changed, at most once per animation frame and within one. Returns
   * a function that unsubscribes.
   */
  subscribe(callback: () => void): () => void;
  /** Closes the aggregate, as disposing does. Idempotent. */
  close(): void;
}
