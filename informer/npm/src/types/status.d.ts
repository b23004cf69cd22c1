import type { InformerError } from "./error.js";

/** Status of an informer. Times are milliseconds since the Unix epoch, null before the first one. */
export interface InformerStatus {
  /**
   * Phase of the list/watch protocol.
   *
   * - `idle`: not started.
   * - `listing`: a list is in flight.
   * - `watching`: a watch is open.
   * - `reconnecting`: between two attempts, or a watch has not been answered yet.
   * - `stopped`: ended by `stop()` or `shutdown()`.
   * - `failed`: ended by an error that a retry cannot correct, for example an invalid selector.
   */
  readonly phase: "idle" | "listing" | "watching" | "reconnecting" | "stopped" | "failed";
  /**
   * How far the cache can be trusted.
   *
   * - `live`: a watch is open and verified.
   * - `catching-up`: a request is in flight, or the open watch is not verified yet.
   * - `polling`: lists succeed, but the resource cannot be watched: the watch is rejected, keeps failing, or has no version
   *   to start from (metrics.k8s.io). The resource is listed every 30 s. `lastError` is the reason.
   * - `queued`: queued for a connection.
   * - `stale`: the server responds with an error, or the informer has stopped or failed.
   * - `forbidden`: the user is not allowed to list or watch, or is not authenticated.
   * - `disconnected`: the server cannot be reached.
   */
  readonly freshness: "live" | "catching-up" | "polling" | "queued" | "stale" | "forbidden" | "disconnected";
  /** True once the first list is in the cache. */
  readonly hasSynced: boolean;
  /** The cached namespaces, if all were requested and the user may list only some of them. Empty otherwise. */
  readonly namespaces: readonly string[];
  /**
   * True if the requested namespace does not exist. The server returns an empty list for it, not an error. The engine
   * checks while there are no objects, every 30 s. False if the server does not let the user check. Loads `deferred.wasm`.
   */
  readonly namespaceMissing: boolean;
  /** Version from which a watch would resume. Opaque. */
  readonly resourceVersion: string;
  /** Cached objects. */
  readonly objects: number;
  /** Bytes of the packed objects in the cache. */
  readonly bytes: number;
  /** Objects received so far by the list in flight. */
  readonly listed: number;
  /** Time of the last event. */
  readonly lastEventAt: number | null;
  /** Time of the last bookmark: a message of the server that nothing else has changed. */
  readonly lastBookmarkAt: number | null;
  /** Time at which the cache was last known to equal the server's state. */
  readonly lastContactAt: number | null;
  /** Time of the next attempt. Null if none is scheduled. */
  readonly nextRetryAt: number | null;
  /** Lists begun. */
  readonly lists: number;
  /** Watches begun. */
  readonly watches: number;
  /** Lists begun after the first success. */
  readonly relists: number;
  /** Events applied. */
  readonly events: number;
  /** Events that could not be decoded and were skipped. */
  readonly droppedEvents: number;
  /** Changes waiting to be applied to the cache. */
  readonly queueDepth: number;
  /** Error of the last attempt. Null once the informer is healthy again. While polling, the reason why there is no watch. */
  readonly lastError: InformerError | null;
}
