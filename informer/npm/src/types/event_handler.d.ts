export interface EventHandlerOptions {
  /**
   * Milliseconds between resyncs of this handler, at least 1000; 0 is never. As `resync` of its informer unless told. It
   * cannot be resynced more often than its informer, nor at all where that has no `resync`; only a handler that is added
   * before the start can make its informer look more often.
   */
  resyncPeriod?: number;
  /** Removes the handler. */
  signal?: AbortSignal;
}

export interface ResourceEventHandler<T> {
  onAdd?(object: T, isInInitialList: boolean): void;
  /** In a resync both are the same object. */
  /** When another engine took over, all that is known of the old object is its uid and version; the rest is as it is now. */
  onUpdate?(oldObject: T, newObject: T): void;
  /**
   * With `finalStateUnknown`, the deletion was missed and the object is only what was last seen; when another engine took
   * over, that is apiVersion, kind, and of the metadata name, namespace, uid and resourceVersion.
   */
  onDelete?(object: T, finalStateUnknown: boolean): void;
}

export interface Registration extends Disposable {
  /** Whether the handler has been told everything that was there when it was added. */
  readonly hasSynced: boolean;
  readonly synced: Promise<void>;
  /** Nothing more is told, not even the rest of a batch. */
  remove(): void;
}

export interface ChangeBatch<T> {
  readonly changes: readonly Change<T>[];
  readonly resourceVersion: string;
  /** Whether they come from a list. */
  readonly relist: boolean;
}

export interface Change<T> {
  readonly type: "add" | "update" | "delete";
  readonly key: string;
  readonly object: T;
  /** What was known before an update; in a resync the same object. */
  readonly previous?: T;
  readonly isInInitialList: boolean;
  readonly finalStateUnknown: boolean;
}
