import type { InformerError } from "./error.js";

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
