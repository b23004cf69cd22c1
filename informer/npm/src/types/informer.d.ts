import type { Aggregate, AggregateOptions } from "./aggregate.js";
import type { InformerError } from "./error.js";
import type { ChangeBatch, EventHandlerOptions, Registration, ResourceEventHandler } from "./event_handler.js";
import type { Indexer, Lister } from "./indexer.js";
import type { Inspection } from "./inspection.js";
import type { ObjectStore } from "./object.js";
import type { GroupVersionResource } from "./resource.js";
import type { InformerStatus } from "./status.js";
import type { TableRow } from "./table.js";
import type { View, ViewOptions } from "./view.js";
import type { WorkQueue, WorkQueueOptions } from "./workqueue.js";

/** Options of `forResource()`. All of them are optional. */
export interface InformerOptions {
  /** Namespace to list and watch. Default: all namespaces. */
  namespace?: string;
  /** Label selector, evaluated by the server. Default: no selection. */
  labelSelector?: string;
  /** Field selector, evaluated by the server. Default: no selection. */
  fieldSelector?: string;
  /**
   * Part of each object that is fetched and cached: the whole object (`"object"`, the default), or only apiVersion, kind and
   * metadata (`"metadata"`, about a tenth of the bytes).
   */
  mode?: "object" | "metadata";
  /**
   * Additional indexes, as JSONPath or relation by index name. The index `namespace` is built in. Indexes belong to the
   * shared informer: an index that another user of it has added already is reused.
   *
   * A JSONPath has kubectl's dialect, with braces: `{ node: "{.spec.nodeName}" }`. An object is indexed under every value
   * that the path finds.
   *
   * A relation is one of these names: `{ byOwner: "relation:owner" }`.
   *
   * | relation | an object is indexed under |
   * |---|---|
   * | `relation:owner` | the uid of each owner |
   * | `relation:controller` | the uid of the owner that controls it |
   * | `relation:label` | `namespace/key=value` of each label; `key=value` for cluster-scoped objects |
   * | `relation:node` | the node of a pod |
   * | `relation:involvedObject` | for an event, the uid of its object and `Kind/namespace/name` |
   * | `relation:references` | `Kind/namespace/name` of each object that it names; `Kind/name` for cluster-scoped ones |
   *
   * `relation:references` covers: config maps, secrets, claims and service account of a pod or pod template; services,
   * secrets and class of an ingress; service and pods of an endpoint slice; volume of a claim and claim of a volume; target
   * of an autoscaler; role and accounts of a role binding.
   *
   * Errors: an invalid path, or a name that another user has given to a different path (compared as text), raises an
   * `error` event with code `"bad-request"`, adds no index, and does not stop the informer. If this page itself has given
   * the name to a different path, `forResource()` throws. `addIndexers()` reports the outcome as a promise.
   */
  indexers?: Record<string, string>;
  /**
   * Objects per page of a list, 1 or more. Default: 500 for the first page, 2,000 for the others. If users of the same
   * informer differ, the first one decides.
   */
  pageSize?: number;
  /**
   * Resync period in milliseconds: 0, or at least 1,000. Default: `defaultResync` of `connect()`.
   *
   * A resync calls `onUpdate(object, object)` for every cached object, so that a handler can correct earlier failures. It
   * makes no request. 0 disables it. If users of the same informer differ, the first one in any tab decides. A handler can
   * have its own period: see `EventHandlerOptions`.
   */
  resync?: number;
}

/** Events of a `SharedInformer`, by name. */
export interface InformerEventMap {
  /** The first list is in the cache. Once per informer. */
  synced: Event;
  /** A list has begun that replaces the cache. */
  relist: Event;
  /** `status` has changed. */
  status: Event;
  /** An attempt, an index or a handler has failed. */
  error: InformerErrorEvent;
}

/**
 * Event for an error of an informer. The informer continues unless its phase is `"failed"`.
 *
 * If an informer has no `error` listener, its first error is logged to the console. If a handler threw, `error.cause` is
 * the thrown value and the event is cancelable: without `preventDefault()` it is also reported as an uncaught exception.
 */
export interface InformerErrorEvent extends Event {
  readonly error: InformerError;
  /** The same text as `error.message`. */
  readonly message: string;
}

/**
 * client-go's `SharedInformer`: lists and watches one resource, caches its objects, and calls handlers for changes. Made
 * by `forResource()`. Disposing calls `stop()`.
 *
 * ```ts
 * const pods = factory.forResource<Pod>("v1/pods");
 * pods.addEventHandler({ onAdd: (pod) => console.log("+", pod.metadata?.name) });
 * factory.start();
 * await pods.synced;
 * ```
 */
export interface SharedInformer<T> extends EventTarget, AsyncDisposable {
  readonly resource: GroupVersionResource;
  /** The most recent status: a new object after each `status` event. */
  readonly status: InformerStatus;
  /** True once the first list is in the cache. Stays true. */
  readonly hasSynced: boolean;
  /** Resolves once the first list is in the cache. Rejects if the informer is stopped or fails permanently. */
  readonly synced: Promise<void>;
  /** Reads of the cache by key and by index. */
  readonly indexer: Indexer<T>;
  /** Reads of the cache by name, namespace and labels. */
  readonly lister: Lister<T>;
  /**
   * Adds a handler. Allowed at any time: a late handler first receives all cached objects as `onAdd`. Throws
   * `"bad-request"` if `handler` is not an object of functions, `"closed"` if the informer is stopped.
   *
   * Cost: for each handler the page stores the identity of each cached object (its key, uid and resourceVersion, about
   * 140 bytes), so that a change of engine delivers only differences. `changes()` with
   * `replay: false` stores nothing.
   */
  addEventHandler(handler: ResourceEventHandler<T>, options?: EventHandlerOptions): Registration;
  /**
   * Adds indexes, before or after the start; see `InformerOptions.indexers`. Resolves once they are complete. An index that
   * exists with the same path is accepted. Rejects with `"bad-request"`, and adds nothing, if a path is invalid or a name
   * has a different path already.
   */
  addIndexers(indexers: Record<string, string>): Promise<void>;
  /**
   * Iterates over changes from now on, in batches (see `ChangeBatch`).
   *
   * The cached objects come first unless `replay` is false. With `replay: false` and after a change of engine, missed
   * changes are unknown; an empty batch with `relist: true` marks the gap. The engine sends a few batches ahead. While the
   * reader is slow, further changes of the same object are merged into one.
   *
   * ```ts
   * for await (const { changes } of pods.changes()) {
   *   for (const { type, key } of changes) console.log(type, key);
   * }
   * ```
   *
   * @param options `replay`, default true. `signal` ends the iteration and rejects with its reason.
   */
  changes(options?: { replay?: boolean; signal?: AbortSignal }): AsyncIterableIterator<ChangeBatch<T>>;
  /**
   * Opens a view: rows that the engine filters and sorts. Only the rows of its window are sent to the page. Without
   * `columns` the rows are the objects, with `"kubectl"` they are `TableRow`s. Throws `"bad-request"` if an option is invalid, `"closed"` if the informer is
   * stopped.
   */
  view(options: ViewOptions & { columns: "kubectl" }): View<TableRow>;
  view<R = T>(options?: ViewOptions): View<R>;
  /**
   * Opens an aggregate: counts, sums, minima and maxima by group, which the engine keeps up to date. Its code is loaded on
   * first use. Rejects with `"bad-request"` if an option has the wrong type, `"closed"` if the informer is stopped.
   */
  aggregate(options?: AggregateOptions): Promise<Aggregate>;
  /**
   * Follows one object by its key, `namespace/name` or `name`. Throws `"bad-request"` if the key is empty, `"closed"` if the
   * informer is stopped.
   */
  object(key: string): ObjectStore<T>;
  /**
   * Creates a work queue. It holds the key of every cached object, then of every object that is added, updated, deleted or
   * resynced. Each call creates a separate queue. Throws `"closed"` if the informer is stopped.
   */
  workQueue(options?: WorkQueueOptions): WorkQueue;
  /**
   * Returns counters, traffic and the last 200 protocol steps of the informer. Works before the first list and while the
   * server is unreachable; makes no request. Rejects with `"closed"` if the informer is stopped.
   */
  inspect(): Promise<Inspection>;
  /**
   * Releases one use of the informer. The last release stops it. Call it exactly once for each `forResource()`: uses are
   * counted, so a second call by the same user releases the use of another. No effect on a stopped informer.
   */
  stop(): Promise<void>;

  addEventListener<K extends keyof InformerEventMap>(
    type: K,
    listener: (this: SharedInformer<T>, event: InformerEventMap[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof InformerEventMap>(
    type: K,
    listener: (this: SharedInformer<T>, event: InformerEventMap[K]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
}
