/** Where the bytes of `kube-informer/informer.wasm` are. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module | Promise<WasmSource>;

/** Compiles the engine in the page. Optional and idempotent: the first call that succeeds decides. */
export function init(wasm?: WasmSource): Promise<WebAssembly.Module>;

/** Opens a way to an apiserver. Rejects when the engine cannot be loaded; an apiserver that is away is no reason. */
export function connect(options?: ConnectOptions): Promise<SharedInformerFactory>;

export interface ConnectOptions {
  /** `kubectl proxy`, or any prefix that leads to an apiserver; the page's own origin unless told. */
  url?: string | URL;
  /**
   * Where the engine runs: one for all tabs, one for this page, or (`false`) in the page. `"shared"` unless told, where
   * there is such a thing, else `"dedicated"`. A worker of your own must run `kube-informer/worker`; a `SharedWorker`
   * and a `MessagePort` serve one `connect()`.
   */
  worker?: "shared" | "dedicated" | false | Worker | SharedWorker | MessagePort;
  /** A `WebAssembly.Module` cannot be sent to a shared worker: give the URL or the bytes. */
  wasm?: WasmSource;
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
  /** Objects in a page of a list; 500 unless told. */
  pageSize?: number;
}

export interface SharedInformerFactory extends AsyncDisposable {
  /**
   * The same resource and options give the same informer; each call wants one `stop()`. It runs from the next `start()`
   * on. Throws where the resource, the namespace or the page size cannot be meant.
   */
  forResource<T extends { metadata?: object } = KubeObject>(
    resource: ResourceRef,
    options?: InformerOptions,
  ): SharedInformer<T>;
  /** Starts the informers that are not started; may be called again. */
  start(): void;
  /**
   * Of the started informers: which have synced. Resolves when all have, or have ended, or the time is over. An informer
   * is named by its resource, with its options as in a query: `"v1/pods"`, `"v1/pods?namespace=shop"`.
   */
  waitForCacheSync(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<Record<string, boolean>>;
  /** Discovery: what can be listed and watched, in the versions that the server prefers. */
  resources(): Promise<ResourceInfo[]>;
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
 * Something went wrong in an informer that goes on, unless its phase is "failed". When a handler threw, the event is
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
  /** At any time: a late handler is first told of everything that is cached. Throws once the informer is stopped. */
  addEventHandler(handler: ResourceEventHandler<T>, options?: { signal?: AbortSignal }): Registration;
  /** The same as batches, from now on; what is cached comes first unless `replay` is false. */
  changes(options?: { replay?: boolean; signal?: AbortSignal }): AsyncIterableIterator<ChangeBatch<T>>;
  /** One user leaves; the last one ends it. */
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

export interface ResourceEventHandler<T> {
  onAdd?(object: T, isInInitialList: boolean): void;
  onUpdate?(oldObject: T, newObject: T): void;
  /** With `finalStateUnknown`, the deletion was missed and the object is only what was last seen. */
  onDelete?(object: T, finalStateUnknown: boolean): void;
}

export interface Registration extends Disposable {
  /** Whether the handler has been told everything that was there when it was added. */
  readonly hasSynced: boolean;
  readonly synced: Promise<void>;
  /** Nothing more is told, not even the rest of a batch. */
  remove(): void;
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
}

export interface Lister<T> {
  list(): Promise<T[]>;
  /** By key; rejects with code "not-found". */
  get(name: string): Promise<T>;
  namespace(namespace: string): { list(): Promise<T[]>; get(name: string): Promise<T> };
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
  /** What was known before an update. */
  readonly previous?: T;
  readonly isInInitialList: boolean;
  readonly finalStateUnknown: boolean;
}

/** Times are milliseconds since the Unix epoch. */
export interface InformerStatus {
  readonly phase: "idle" | "listing" | "watching" | "reconnecting" | "stopped" | "failed";
  /** How far the cache can be trusted. */
  readonly freshness: "live" | "catching-up" | "stale" | "disconnected";
  readonly hasSynced: boolean;
  readonly resourceVersion: string;
  readonly objects: number;
  readonly bytes: number;
  /** Objects received so far by the list in flight. */
  readonly listed: number;
  readonly lastEventAt: number | null;
  readonly lastBookmarkAt: number | null;
  /** When the cache was last known to be what the server has. */
  readonly lastContactAt: number | null;
  readonly nextRetryAt: number | null;
  readonly lists: number;
  readonly watches: number;
  readonly relists: number;
  readonly events: number;
  readonly droppedEvents: number;
  readonly queueDepth: number;
  /** Cleared by the next proof of health. */
  readonly lastError: InformerError | null;
}

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
