/** Where the bytes of `kube-informer/informer.wasm` are. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module | Promise<WasmSource>;

/** Compiles the engine in the page. Optional and idempotent: the first call that succeeds decides. */
export function init(wasm?: WasmSource): Promise<WebAssembly.Module>;

/**
 * Opens a way to an apiserver. Rejects when the engine cannot be loaded; an apiserver that is away is no reason.
 *
 * A worker or a wasm that does not come within `timeoutMs` rejects with code "timeout" and is named by its URL; a worker
 * whose file cannot be run, with code "internal". An option that does not exist, here and in all other calls, and a value
 * of a wrong kind are errors that name the option (code "bad-request").
 */
export function connect(options?: ConnectOptions): Promise<SharedInformerFactory>;

export interface ConnectOptions {
  /** `kubectl proxy`, or any prefix that leads to an apiserver; the page's own origin unless told. */
  url?: string | URL;
  /**
   * Where the engine runs: `"shared"` is one for all tabs; `"elected"` is the same where there is no `SharedWorker`, in the
   * worker of one tab, and when that tab goes, in another's; `"dedicated"` is one for this page, `false` is in the page.
   * Unless told, the first of these that there is and that the browser does not refuse. A worker of your own must run
   * `kube-informer/worker`; a `SharedWorker` and a `MessagePort` serve one `connect()`.
   *
   * An engine may go: its tab is closed, it crashes (told as `error` of each informer, code "internal"; after three times
   * in a minute it is given up), or the page is put away in the back/forward cache. Then another one takes over all that
   * is open here, unless the worker was yours. Meanwhile `freshness` is "catching-up" and `phase` "reconnecting"; views keep
   * their rows, what was asked is answered later, and handlers are told of what is different and of nothing else.
   */
  worker?: "shared" | "elected" | "dedicated" | false | Worker | SharedWorker | MessagePort;
  /** A `WebAssembly.Module` cannot be sent to a shared worker: give the URL or the bytes. */
  wasm?: WasmSource;
  /**
   * Where the bytes of `kube-informer/deferred.wasm` are, which are fetched when somebody first wants a view, an index over
   * a path, a work queue, `resources()`, `inspect()`, snapshots, or more connections than a browser has. Beside the wasm unless told, if that is a URL.
   */
  deferred?: WasmSource;
  /**
   * Whether caches outlive the worker, in IndexedDB: the next time, informers show at once what was known (`hasSynced` is
   * false, and `lastContactAt` says from when it is), and resume from there without a list. Unless told, so in a shared
   * worker. What is shown is of this cluster and this user; what is stored can be read by every script of this origin and
   * by whoever can read the browser's files. Never stored are resources whose name has `secret`, `token`, `credential`,
   * `password` or `configmap` in it. It takes `deferred.wasm`.
   */
  persist?: boolean;
  /** `resync` of the informers that do not say otherwise; 0, which is never, unless told. */
  defaultResync?: number;
  /**
   * What becomes of integers beyond `Number.MAX_SAFE_INTEGER` (2^53 - 1) in objects. `"number"`, the default, rounds them as
   * `JSON.parse` does; `"bigint"` gives a `BigInt`, and `"text"` the digits as a string. All other numbers are numbers.
   * Columns of a view are texts, with each number as the server wrote it, whatever is said here.
   */
  largeIntegers?: "number" | "bigint" | "text";
  /**
   * How long the worker may take to answer, and then its engine to load and start, in milliseconds: 10,000 by default,
   * `Infinity` for as long as it takes. An engine that takes over from another one has as long.
   */
  timeoutMs?: number;
  /** Gives up connecting, or shuts the factory down. */
  signal?: AbortSignal;
}

/** What every object has. Bring your own types for more, such as those of `kubernetes-types`. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** `"v1/pods"`, `"apps/v1/deployments"`, or the same in parts. */
export type ResourceRef = string | { group?: string; version: string; resource: string };

/** client-go's `GroupVersionResource`; the group is empty for core. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** What discovery says of a resource that can be listed and watched. */
export interface ResourceInfo extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}

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

export interface SharedInformerFactory extends AsyncDisposable {
  /**
   * The same resource, scope, selectors and mode give the same informer; each call wants one `stop()`. It runs from the
   * next `start()` on. Throws where the resource or an option cannot be meant.
   */
  forResource<T extends { metadata?: object } = KubeObject>(
    resource: ResourceRef,
    options?: InformerOptions,
  ): SharedInformer<T>;
  /** Starts the informers that are not started; may be called again. */
  start(): void;
  /**
   * Of the started informers: which have synced. Resolves when all have, or have ended, or the time is over. An informer
   * is named by its resource, with what narrows it as in a query: `"v1/pods"`, `"v1/pods?namespace=shop"`. Why one has not
   * synced is in its status:
   *
   * ```js
   * for (const [name, hasSynced] of Object.entries(await factory.waitForCacheSync({ timeoutMs: 5000 }))) {
   *   const status = factory.status().informers[name]; // undefined once it is stopped
   *   if (!hasSynced) console.warn(name, status?.phase, status?.lastError?.message, status?.nextRetryAt);
   * }
   * ```
   *
   * `lastError` is what the last attempt failed at: "forbidden", "not-found", "network"… While it is null, no attempt has
   * failed: the list is on its way (`listed` counts), or the server has not answered yet.
   */
  waitForCacheSync(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<Record<string, boolean>>;
  /** Discovery: what can be listed and watched, in the versions that the server prefers. */
  resources(): Promise<ResourceInfo[]>;
  /**
   * Removes everything that `persist` has stored, of all clusters of this origin. Informers that run in this page's worker
   * are not stored again before they are started anew; workers of other pages, if they do not share this one, go on.
   */
  forgetSnapshots(): Promise<void>;
  status(): FactoryStatus;
  /** Stops all informers, for good. */
  shutdown(): Promise<void>;
}

export interface FactoryStatus {
  readonly url: string;
  /** By the names of `waitForCacheSync`. */
  readonly informers: Record<string, InformerStatus>;
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

/** What a view shows, and in which order. */
export interface ViewWish {
  /** Keeps what it matches: words, `status=Running`, `restarts>3`, `age<30m`, `label=app=web`… README has the language. */
  filter?: string;
  /** Of these namespaces only; of all if it is empty. */
  namespaces?: readonly string[];
  /**
   * By the names of columns in any case, first the first; in the end by namespace and name. Those are always there, as
   * `age` is; the others are the view's own, or those that `kubectl get` prints. What is missing comes last.
   */
  orderBy?: readonly (readonly [column: string, direction?: "asc" | "desc"])[];
}

export interface ViewOptions extends ViewWish {
  /** Keeps what it selects. */
  labelSelector?: string;
  /**
   * Columns by name, each a JSONPath, whose braces may be left out: rows are plain objects of these, and their key. No
   * column can be called `key`.
   */
  columns?: Record<string, string>;
  /** The rows that are kept here, from the first to one past the last; `"all"` unless told. */
  window?: "all" | readonly [start: number, end: number];
}

/**
 * Rows in an order, filtered and sorted beside the cache; only those of the window are here. A row that did not change is
 * the same frozen object from one snapshot to the next. Rows of columns are `{ key, ...columns }`, texts, or null where the
 * object does not say. When the informer is stopped, nothing more comes.
 */
export interface View<R> extends Disposable {
  /**
   * Resolves when the first list is complete; rows may be here before. Rejects when the view cannot be as it was opened
   * (code "bad-request"), and when it ends before. What comes of `change` is nothing to it.
   */
  readonly ready: Promise<void>;
  /**
   * Why the last wish, which is the last `change` or what the view was opened with, was refused: then all of what was in
   * force before still is, and without anything before there are no rows. Null when it was granted; the rows are here by
   * then. While the last wish is not judged yet it is as before: that of a custom resource waits for its columns. What
   * came of earlier wishes is not told any more.
   */
  readonly error: InformerError | null;
  /** The same reference until something changes. */
  getSnapshot(): { readonly rows: readonly R[]; readonly start: number; readonly total: number; readonly revision: number };
  setWindow(start: number, end: number): void;
  /**
   * Asks for other rows, in another order; what is left out is as if it had never been asked for. Granted as a whole or
   * refused as a whole: see `error`.
   */
  change(wish: ViewWish): void;
  /** Calls back after snapshot or `error` changed (also to null), once a frame at the most; gives what ends that. */
  subscribe(callback: () => void): () => void;
}

/** client-go's rate limiter: the later of a wait for each key, and one for all keys together. */
export interface WorkQueueOptions {
  /** What a key waits after its first failure, 5 unless told; after each further one twice as long. */
  baseDelayMs?: number;
  /** What a key waits at the most; 1,000,000 unless told. */
  maxDelayMs?: number;
  /** Failures a second that are tried again, all keys together, once the burst is used up; 10 unless told. */
  qps?: number;
  /** Failures that are tried again without regard to `qps`; 100 unless told. */
  burst?: number;
  /** As that of a handler: a resync puts all keys in. */
  resyncPeriod?: number;
}

/**
 * client-go's work queue: keys ("namespace/name", or "name") of objects that somebody should look at.
 *
 * It is kept beside the cache and holds each key once, however often its object changes: a slow worker costs nothing. A
 * key that is added while it is being processed comes again after its `done`, so no two workers have the same key, and no
 * change is missed. Read the object when its key comes; where it is gone, it was deleted.
 *
 * Iterating is a worker: `get`, the body of the loop, `done`, until the queue is shut down. Several loops are several
 * workers. When the informer is stopped, the factory is shut down or the engine dies, whoever waits is rejected with the
 * reason, and the queue is gone. Disposing shuts down.
 */
export interface WorkQueue extends AsyncDisposable, AsyncIterable<string> {
  /**
   * The next key, as soon as there is one; undefined once the queue is shut down and empty. Each key wants one `done`.
   * Aborting rejects with the signal's reason and takes no key; a key that is on its way already comes all the same.
   */
  get(options?: { signal?: AbortSignal }): Promise<string | undefined>;
  /** A worker has finished with a key, whatever came of it. */
  done(key: string): void;
  /** Keys are strings with something in them. */
  add(key: string): void;
  /** A key that is delayed already keeps the earlier of both times. */
  addAfter(key: string, ms: number): void;
  /** For a key that failed: adds it when the rate limiter allows. It wants its `done` all the same. */
  addRateLimited(key: string): void;
  /** The key succeeded or is given up: its failures are forgotten. */
  forget(key: string): void;
  /** How often it failed (`addRateLimited`) since it was last forgotten. */
  numRequeues(key: string): Promise<number>;
  /** Keys that wait: neither those that are delayed nor those being processed. */
  length(): Promise<number>;
  /** Nothing is added any more, delayed keys are dropped, what waits is still given out, then `get` gives undefined. */
  shutDown(): void;
  /** The same; resolves when every key is done. Workers must go on until then. */
  shutDownWithDrain(): Promise<void>;
}

/** client-go's Indexer. The index "namespace" is built in. */
export interface Indexer<T> {
  /** "namespace/name", or "name" for what lives in no namespace. */
  getByKey(key: string): Promise<T | undefined>;
  list(): Promise<T[]>;
  /** Sorted. */
  listKeys(): Promise<string[]>;
  byIndex(index: string, value: string): Promise<T[]>;
  /** Sorted. */
  indexKeys(index: string, value: string): Promise<string[]>;
  /** Sorted. */
  listIndexFuncValues(index: string): Promise<string[]>;
  /** The paths of all indexes by name. */
  getIndexers(): Promise<Record<string, string>>;
}

/** A label selector that cannot be read rejects with code "bad-request". */
export interface Lister<T> {
  list(labelSelector?: string): Promise<T[]>;
  /** By key; rejects with code "not-found". */
  get(name: string): Promise<T>;
  /** One namespace, or all where it is empty. */
  namespace(namespace: string): { list(labelSelector?: string): Promise<T[]>; get(name: string): Promise<T> };
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

/** Times are milliseconds since the Unix epoch. */
export interface InformerStatus {
  readonly phase: "idle" | "listing" | "watching" | "reconnecting" | "stopped" | "failed";
  /**
   * How far the cache can be trusted. `polling`: lists work and the watch does not, because it is refused, keeps failing, or
   * has nothing to start from (a list without a version, as of metrics.k8s.io); the resource is listed every 30 s, and
   * `lastError` is the reason.
   */
  readonly freshness: "live" | "catching-up" | "polling" | "waiting" | "stale" | "forbidden" | "disconnected";
  readonly hasSynced: boolean;
  /** The namespaces that it holds, where it was to hold all and the user may list only some; else none. */
  readonly namespaces: readonly string[];
  /**
   * Whether the namespace that was asked for does not exist: its list is empty and no error. The server is asked while there
   * are no objects, each half a minute while it is missing; false where it does not let one know. It takes `deferred.wasm`.
   */
  readonly namespaceMissing: boolean;
  readonly resourceVersion: string;
  readonly objects: number;
  readonly bytes: number;
  /** Objects received so far by the list in flight. */
  readonly listed: number;
  /** When the last event came; `lastBookmarkAt` is that of bookmarks, by which a server says that nothing else changed. */
  readonly lastEventAt: number | null;
  readonly lastBookmarkAt: number | null;
  /** When the cache was last known to be what the server has. */
  readonly lastContactAt: number | null;
  /** When the next attempt is due, while it waits for one. */
  readonly nextRetryAt: number | null;
  readonly lists: number;
  readonly watches: number;
  readonly relists: number;
  readonly events: number;
  readonly droppedEvents: number;
  readonly queueDepth: number;
  /** What the last attempt failed at. Cleared by the next proof of health. While "polling", why there is no watch. */
  readonly lastError: InformerError | null;
}

/** What the engine that runs now has counted, for all who share the informer: another engine begins at zero. */
export interface Inspection {
  readonly metrics: InformerMetrics;
  readonly transport: Traffic;
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
}

/** Counts never go down, but for what is as of now. */
export interface InformerMetrics {
  /** Lists begun; their pages count as one. */
  readonly lists: number;
  /** Streaming lists begun. */
  readonly watchLists: number;
  /** Lists of either kind begun after one had succeeded. */
  readonly relists: number;
  readonly watches: number;
  readonly events: number;
  readonly bookmarks: number;
  /** Watches that ended cleanly long before their time, as those do of who reads too slowly. */
  readonly earlyEnds: number;
  /** Times that an open watch was suspected to be dead. */
  readonly suspicions: number;
  /** Suspicions that were refuted: the watch gave a sign of life, or its successor showed that nothing had been missed. */
  readonly falseSuspicions: number;
  /** Events and items that could not be read and were left out. */
  readonly dropped: number;
  /** Index paths that failed at an object. */
  readonly indexFailures: number;
  readonly resyncs: number;
  readonly errors: number;
  /** Changes that wait to be applied, as of now. */
  readonly queueDepth: number;
  /** Objects in the cache, as of now. */
  readonly objects: number;
  /** What they take, packed, as of now. */
  readonly bytes: number;
  readonly resourceVersion: string;
  /** Of all who are told of changes: handlers, views and work queues, in every tab. */
  readonly handlers: readonly HandlerMetrics[];
}

export interface HandlerMetrics {
  readonly hasSynced: boolean;
  /** Changes that wait for it, as of now. */
  readonly backlog: number;
  /** Changes that it was spared, because it was slow and others of the same object followed. */
  readonly coalesced: number;
  readonly told: number;
  readonly failures: number;
}

export interface Traffic {
  /** What carries the watch now: HTTP, or a WebSocket. `null` while none is open. */
  readonly carrier: "fetch" | "websocket" | null;
  /** Each page of a list, each watch, each look whether the server is back. */
  readonly requests: number;
  /** Of the bodies of all answers, after the browser has decompressed them. */
  readonly bytes: number;
  /** On average over the last ten seconds, as `bytesPerSecond`. */
  readonly eventsPerSecond: number;
  readonly bytesPerSecond: number;
}

/** A step of the list/watch protocol, or some of the same kind that followed each other. */
export interface HistoryEntry {
  readonly what: ProtocolStep;
  /** When it happened, or began to: milliseconds since the Unix epoch. */
  readonly at: number;
  /** When it happened last. */
  readonly until: number;
  /** How many, or how long; else 0. */
  readonly count: number;
  /** What went wrong, or what a pause is for. */
  readonly code?: ErrorCode;
}

/**
 * - `list`, `relist`, `streaming-list`, `probe` (for the newest version, after the server was away), `watch`: asked for.
 * - `page` (of `count` objects), `opened` (the watch), `events`, `bookmarks`, `unreadable` (`count` of them): came.
 * - `refused`, `overdue`, `error`, `ended`, `ended-early`, `broken-off`, `recalled` (others have the connection): how a
 *   request or a watch ended. `went-back`: the server is behind what it had said before, as a restored cluster is.
 * - `pause`, `polling` (there is no watch to be had): a wait of `count` milliseconds. `waiting`: for a connection.
 * - `doubted`: the open watch must give a sign of life. `unreachable`: a heartbeat of the server failed. `slept`: the machine has. `woken`: the network is back, or somebody
 *   looks. `failed`: no retry mends it. `stopped`.
 */
export type ProtocolStep =
  | "list" | "relist" | "streaming-list" | "page" | "probe" | "went-back" | "watch" | "opened" | "events" | "unreadable"
  | "bookmarks" | "error" | "ended" | "ended-early" | "broken-off" | "refused" | "overdue" | "doubted" | "unreachable" | "slept"
  | "woken"
  | "pause" | "polling" | "waiting" | "recalled" | "failed" | "stopped";

export type ErrorCode =
  | "unauthorized" | "forbidden" | "not-found" | "expired" | "throttled" | "too-large-resource-version" | "bad-request"
  | "network" | "timeout" | "decode" | "aborted" | "closed" | "internal";

export class InformerError extends Error {
  private constructor();
  readonly code: ErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  readonly retryable: boolean;
  /** Method and path, never headers. */
  readonly request?: string;
}
