/** Options of `addEventHandler()`. */
export interface EventHandlerOptions {
  /**
   * Resync period of this handler in milliseconds: 0 (no resync) or at least 1,000. Default: `resync` of the informer.
   *
   * A handler is not resynced more often than its informer, and not at all if the informer has no `resync`. Only a handler
   * that is added before the start can shorten the period of its informer.
   */
  resyncPeriod?: number;
  /** Removes the handler. */
  signal?: AbortSignal;
}

/**
 * client-go's `ResourceEventHandler`: functions to call for changes. Changes of one object arrive in order; between objects
 * there is no order. When a function is called, reads of the cache already show the change.
 *
 * A function that throws loses that one call and raises an `error` event; later calls follow as usual.
 */
export interface ResourceEventHandler<T> {
  /** An object is new. `isInInitialList` is true for objects that were cached when the handler was added. */
  onAdd?(object: T, isInInitialList: boolean): void;
  /**
   * An object has changed. In a resync both arguments are the same object. After a change of engine only uid and
   * resourceVersion of `oldObject` are those of the earlier state; its other fields equal `newObject`.
   */
  onUpdate?(oldObject: T, newObject: T): void;
  /**
   * An object was deleted. With `finalStateUnknown` the deletion event was missed, and `object` is the last known state. After
   * a change of engine that state is reduced to apiVersion, kind, and `metadata` with name, namespace, uid and
   * resourceVersion.
   */
  onDelete?(object: T, finalStateUnknown: boolean): void;
}

/** client-go's `ResourceEventHandlerRegistration`: result of `addEventHandler()`. Disposing calls `remove()`. */
export interface Registration extends Disposable {
  /** True once the handler has received all objects that were cached when it was added. */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` becomes true. Rejects if the handler is removed, or the informer stops, or fails before its first list. */
  readonly synced: Promise<void>;
  /** Removes the handler. It is not called again, not even for the rest of a batch. Idempotent. */
  remove(): void;
}

/** Changes that arrived together: an element of `SharedInformer.changes()`. */
export interface ChangeBatch<T> {
  /** At most 500, except for deletions that were missed during a change of engine: those arrive in one batch. */
  readonly changes: readonly Change<T>[];
  /** Version of the cache after these changes. Empty in the first batch after a change of engine. */
  readonly resourceVersion: string;
  /** True if the changes come from a list, false if they come from a watch. */
  readonly relist: boolean;
}

/** Change of one object. */
export interface Change<T> {
  readonly type: "add" | "update" | "delete";
  /** `"namespace/name"`, or `"name"` for cluster-scoped objects. */
  readonly key: string;
  /** The object after the change; for a deletion, its last state. */
  readonly object: T;
  /** For an update, the object before it. In a resync it is the same as `object`. */
  readonly previous?: T;
  /** As in `ResourceEventHandler.onAdd`. */
  readonly isInInitialList: boolean;
  /** As in `ResourceEventHandler.onDelete`. */
  readonly finalStateUnknown: boolean;
}
