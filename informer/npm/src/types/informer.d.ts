import type { InformerError } from "./error.js";
import type { ChangeBatch, EventHandlerOptions, Registration, ResourceEventHandler } from "./event_handler.js";
import type { Indexer, Lister } from "./indexer.js";
import type { Inspection } from "./inspection.js";
import type { GroupVersionResource } from "./resource.js";
import type { InformerStatus } from "./status.js";
import type { View, ViewOptions } from "./view.js";
import type { WorkQueue, WorkQueueOptions } from "./workqueue.js";

export interface InformerOptions {
  /** One namespace, or all. */
  namespace?: string;
  /** Evaluated by the server. */
  labelSelector?: string;
  /** Evaluated by the server. */
  fieldSelector?: string;
  /** `"metadata"` fetches and keeps only apiVersion, kind and metadata of each object: a tenth of the bytes. */
  mode?: "object" | "metadata";
  /**
   * Indexes by name: where in an object the values are, as JSONPath in kubectl's dialect, braces included:
   * `{ node: "{.spec.nodeName}" }`. A path may find several values; an object is under each of them. Indexes belong to the
   * informer, so one that others asked for already is not made twice. A bad path, and a name that stands for another path
   * (as text), come as `error` event (code "bad-request"; the message has path and place) and add nothing, and the informer
   * goes on; where this page itself asked for that other path, `forResource` throws. Who wants to wait for the outcome calls
   * `addIndexers`.
   *
   * In place of a path may stand a relation: `{ byOwner: "relation:owner" }`. Its values are
   * - `relation:owner`, `relation:controller`: the uid of each owner, of the owner that controls it;
   * - `relation:label`: `namespace/key=value` for each label (`key=value` where there is no namespace);
   * - `relation:node`: the node of a pod;
   * - `relation:involvedObject`: of an event, the uid of what it is about, and `Kind/namespace/name`;
   * - `relation:references`: `Kind/namespace/name` (`Kind/name` where it lives in no namespace) of every object that this one
   *   names: config maps, secrets, claims and service account of a pod or of what has a template of one; services, secrets and
   *   class of an ingress; service and pods of an endpoint slice; volume of a claim and claim of a volume; what an autoscaler
   *   scales; role and accounts of a role binding.
   */
  indexers?: Record<string, string>;
  /**
   * Objects in a page of a list; unless told, 500 in the first and 2,000 in those after it. It is no part of what is asked
   * for: the first user decides.
   */
  pageSize?: number;
  /**
   * Milliseconds between resyncs, at least 1000; 0 is never. In a resync every handler that does not say otherwise is told
   * of everything cached as `onUpdate(object, object)`, so that it can mend what it did wrong; the server is not asked. As
   * with `pageSize`, the first user decides, in whichever tab.
   */
  resync?: number;
}

export interface InformerEventMap {
  synced: Event;
  relist: Event;
  status: Event;
  error: InformerErrorEvent;
}

/**
 * Something went wrong in an informer that goes on, unless its phase is "failed". The first error of an informer without a
 * listener is shown on the console. When a handler threw, the event is
 * cancelable and `error.cause` is what was thrown; unless prevented, that is also reported as an uncaught exception.
 */
export interface InformerErrorEvent extends Event {
  readonly error: InformerError;
  readonly message: string;
}

export interface SharedInformer<T> extends EventTarget, AsyncDisposable {
  readonly resource: GroupVersionResource;
  /** The last that the engine told: a new object each time. */
  readonly status: InformerStatus;
  readonly hasSynced: boolean;
  /** Resolves once the first list is in the cache. Rejects when the informer is stopped or fails for good. */
  readonly synced: Promise<void>;
  readonly indexer: Indexer<T>;
  readonly lister: Lister<T>;
  /**
   * At any time: a late handler is first told of everything that is cached. Throws once the informer is stopped, and
   * without a handler.
   */
  addEventHandler(handler: ResourceEventHandler<T>, options?: EventHandlerOptions): Registration;
  /**
   * Adds indexes, before or after the start; resolves when they are complete. A name that stands for another path already
   * and a bad path reject with code "bad-request", and nothing is added. What is there already with the same path is fine.
   */
  addIndexers(indexers: Record<string, string>): Promise<void>;
  /**
   * The same as batches of at most 500 changes, from now on; what is cached comes first unless `replay` is false. (Then
   * nobody can say what changed while another engine took over: a batch without changes, `relist` set, says that it did.) A few
   * batches are sent ahead; while nobody reads, the changes of one object become one.
   */
  changes(options?: { replay?: boolean; signal?: AbortSignal }): AsyncIterableIterator<ChangeBatch<T>>;
  /**
   * A new view: rows in an order, filtered beside the cache, of which a window is here. Throws once the informer is
   * stopped. Without `columns` its rows are the objects themselves.
   */
  view<R = T>(options?: ViewOptions): View<R>;
  /**
   * A new work queue with the key of every cached object and, from then on, of every object that is added, updated,
   * deleted or resynced. Each call gives a queue of its own. Throws once the informer is stopped.
   */
  workQueue(options?: WorkQueueOptions): WorkQueue;
  /**
   * What it has done and what became of it, as of now: counters, bytes, rates, and the last 200 steps of its list/watch
   * protocol. Before the first list, too, and while the server is away; the server is not asked. Rejects once the informer
   * is stopped.
   */
  inspect(): Promise<Inspection>;
  /**
   * One user leaves; the last one ends it. Call it once for each `forResource`: users are counted, not told apart, so a
   * second call of the same user speaks for another. Once it has ended, more calls do nothing.
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
