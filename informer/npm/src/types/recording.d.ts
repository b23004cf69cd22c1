/** Options of `SharedInformer.recordChanges()`. */
export interface RecordingOptions {
  /** Maximum size of the recorded changes in bytes, at least 1. The oldest are dropped. Default: 33,554,432 (32 MiB). */
  maxBytes?: number;
}

/** Options of `Recording.changes()`. All of them are optional. */
export interface RecordedChangesOptions {
  /** `namespace/name`, or `name`, of the object. Default: all objects. */
  key?: string;
  /** Earliest time, in milliseconds since the Unix epoch. Default: `keptSince`. */
  since?: number;
  /** Latest time. Default: now. */
  until?: number;
  /** `id` of a change: only older ones are returned. For reading in portions, because many changes can have one time. */
  before?: number;
  /** Most changes to return, 1 to 1,000. Default: 100. */
  limit?: number;
}

/** Changed field of an object. */
export interface FieldChange {
  /**
   * JSONPath as in kubectl, without braces: `.spec.replicas`, `.metadata.labels.app\.kubernetes\.io/name`. Elements of
   * a list are named by their merge key, if Kubernetes merges the list by one (containers, env, ports, conditions and
   * others): `.spec.containers[?(@.name=="web")].image`; otherwise by place: `.spec.args[0]`. If such elements only
   * changed their order, the field is the list.
   */
  readonly path: string;
  /** Value before the change. Missing if the field did not exist. */
  readonly before?: unknown;
  /** Value after the change. Missing if the field no longer exists. */
  readonly after?: unknown;
}

/** Recorded change of an object. */
export interface RecordedChange {
  /** Number of the change: increases with each one, and begins anew with a replacement engine. */
  readonly id: number;
  /** When the engine applied the change: whole milliseconds since the Unix epoch. Never less than the change before. */
  readonly time: number;
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  /** An object that was deleted and created again while the server was unreachable has `changed`, and another `.metadata.uid`. */
  readonly type: "added" | "changed" | "deleted";
  /** `.metadata.uid` after the change. Missing unless `type` is `changed`, and for secrets. */
  readonly uid?: string;
  /** The changed fields. Empty unless `type` is `changed`, and for secrets. */
  readonly fields: readonly FieldChange[];
}

/** Options of `Recording.countChanges()`. Times are in milliseconds since the Unix epoch. */
export interface ChangeCountsOptions {
  /** Begin of the span of time. */
  since: number;
  /** End of the span of time. */
  until: number;
  /** Number of equal parts, 1 to 1,000. */
  parts: number;
}

/** Options of `Recording.differences()`. Times are in milliseconds since the Unix epoch. */
export interface DifferencesOptions {
  /** The earlier time, at least `keptSince`. */
  since: number;
  /** The later time. Default: now. */
  until?: number;
  /** Most objects to return, 1 to 1,000. Default: 100. */
  limit?: number;
}

/** Difference of an object between two times. */
export interface ObjectDifference {
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  /** `added` exists only at the later time, `deleted` only at the earlier one. */
  readonly type: "added" | "changed" | "deleted";
  /** The changed fields. Empty unless `type` is `changed`. */
  readonly fields: readonly FieldChange[];
}

/** State of a recording. Frozen. */
export interface RecordingSnapshot {
  /** As `Recording.keptSince`. */
  readonly keptSince: number | null;
  /** Number of recorded changes, including those without a changed field. */
  readonly count: number;
  /** Their size in bytes. */
  readonly bytes: number;
  /**
   * Time that the informer's views show, in milliseconds since the Unix epoch: see `Recording.rewind()`. Null is the
   * present.
   */
  readonly time: number | null;
}

/**
 * What changed in the objects of an informer, and when: recorded by the engine from the call of `recordChanges()` on,
 * or from the first complete list. Disposing deletes what was recorded.
 *
 * `resourceVersion`, `managedFields` and heartbeats
 * (`lastHeartbeatTime` and `lastProbeTime` of conditions, `renewTime` of leases) are no changed fields, and a change of
 * nothing else is not returned; `objectAt()` has all of them but `managedFields`. Of secrets nothing is recorded but
 * that they changed. Changes that the informer missed, for example while the server was unreachable, are one change at
 * the time of the next list. Each page has its own recordings. A replacement engine begins anew.
 *
 * ```ts
 * using recording = await pods.recordChanges();
 * await recording.ready;
 * for (const { time, key, fields } of await recording.changes({ limit: 10 })) console.log(new Date(time), key, fields);
 * const before = await recording.objectAt("default/web", Date.now() - 60_000);
 * ```
 */
export interface Recording<T> extends Disposable {
  /**
   * Resolves when recording has begun. Rejects with `"closed"` if the recording is closed before, with the informer's
   * error if the informer has failed before its first list, with `"internal"` if the code cannot be loaded.
   */
  readonly ready: Promise<void>;
  /**
   * Time from which on all states are known, in milliseconds since the Unix epoch; null before recording has begun. It
   * increases when old changes are dropped.
   */
  readonly keptSince: number | null;
  /** Returns the state of the recording. The result is the same object until something changes. O(1). */
  getSnapshot(): RecordingSnapshot;
  /** Calls `callback` after a change, at most four times a second. Returns a function that unsubscribes. */
  subscribe(callback: () => void): () => void;
  /**
   * Returns recorded changes, the newest first. O(recorded changes), or O(changes of the object) with `key`. Rejects
   * with `"bad-request"` if an option is invalid, `"closed"` if the recording is closed.
   */
  changes(options?: RecordedChangesOptions): Promise<RecordedChange[]>;
  /**
   * Returns an object as the cache had it at a time, in milliseconds since the Unix epoch, after all changes of that
   * time; null if it did not exist. Rejects with `"expired"` if the time is before `keptSince`, `"bad-request"` if an
   * argument is invalid or the objects are secrets, `"closed"` if the recording is closed.
   */
  objectAt(key: string, time: number): Promise<T | null>;
  /**
   * Counts the changes in equal parts of a span of time, as for a chart: those that `changes()` would return. O(changes of
   * the span), without reading the objects. Rejects with `"bad-request"` if an option is invalid, `"closed"` if the
   * recording is closed.
   */
  countChanges(options: ChangeCountsOptions): Promise<number[]>;
  /**
   * Compares the objects of two times: one difference for each object, however often it changed, in the order of their
   * first changes. Objects that are as before are left out. O(changes between the times). Rejects with `"expired"` if
   * `since` is before `keptSince`, `"bad-request"` if an option is invalid or the objects are secrets, `"closed"` if the
   * recording is closed.
   */
  differences(options: DifferencesOptions): Promise<ObjectDifference[]>;
  /**
   * Rewinds the informer to a time, in milliseconds since the Unix epoch: until the next call, its views, aggregates and
   * followed objects show the objects as the cache had them then, with the filters, orders and windows that they have
   * or are given; also those that are opened later. `Date.now()` pauses them: the latest time is the last millisecond.
   * With null they show the present again, as they do when the recording ends or the engine is replaced. Only this page
   * is affected; the cache, its status, handlers, listers and searches stay in the present. If changes after the time are
   * dropped, what is open stands still, and what is opened later shows the time `keptSince`. If two recordings of an
   * informer are rewound, the one that was opened first counts.
   *
   * O(changes between the shown time and the other one). The promise settles before the rows are there. Rejects with
   * `"expired"` if the time is before `keptSince`, `"bad-request"` if it is invalid or the objects are secrets,
   * `"closed"` if the recording is closed; nothing changes then.
   */
  rewind(time: number | null): Promise<void>;
  /** Ends the recording and deletes what it has recorded, as disposing does. Idempotent. */
  close(): void;
}
