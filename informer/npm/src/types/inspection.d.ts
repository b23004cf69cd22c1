import type { ErrorCode } from "./error.js";
import type { InformerStatus } from "./status.js";

/**
 * Result of `SharedInformer.inspect()`: counters, traffic and history of an informer. They cover all tabs that share the
 * engine, and start at zero with each engine.
 */
export interface Inspection {
  readonly metrics: InformerMetrics;
  readonly transport: Traffic;
  /** The last 200 protocol steps, oldest first. */
  readonly history: readonly HistoryEntry[];
}

/** Result of `SharedInformerFactory.inspect()`: the state of an engine for one apiserver. */
export interface FactoryInspection {
  /** All informers of all pages, in the order of their names. */
  readonly informers: readonly InspectedInformer[];
  /** Use of the browser's connections to the host. Null if they are not counted. */
  readonly connections: ConnectionBudget | null;
  /** Size of the engine's wasm memory in bytes. It never shrinks. */
  readonly memory: number | null;
}

/** An informer of an engine. */
export interface InspectedInformer {
  /** Its resource: `"v1/pods"`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly mode: "object" | "metadata";
  /** Number of pages that use it. */
  readonly users: number;
  readonly status: InformerStatus;
  readonly metrics: InformerMetrics;
  readonly transport: Traffic;
  /** The last 200 protocol steps, oldest first, if they were requested. */
  readonly history?: readonly HistoryEntry[];
}

/**
 * Use of the connections to a host. Over HTTP/1.1 a browser has six for all tabs and workers. Watches over WebSockets are not
 * counted: they have connections of their own.
 */
export interface ConnectionBudget {
  /** Whether requests share one connection (HTTP/2 and later); then the limits do not apply. */
  readonly multiplexed: boolean;
  /** Watches and streaming lists over HTTP. */
  readonly streams: ConnectionUse;
  /** Finite responses: pages of lists and probes. */
  readonly requests: ConnectionUse;
}

/** Use of one share of the connections. */
export interface ConnectionUse {
  /** Connections in use. */
  readonly used: number;
  /** Maximum number of connections. */
  readonly limit: number;
  /** Requests that wait for a connection. */
  readonly queued: number;
}

/** Counters of an informer. They never decrease, except for those marked as current. */
export interface InformerMetrics {
  /** Lists begun. The pages of a list count as one. */
  readonly lists: number;
  /** Streaming lists begun. */
  readonly watchLists: number;
  /** Lists of either kind begun after the first success. */
  readonly relists: number;
  /** Watches begun. */
  readonly watches: number;
  /** Events applied. */
  readonly events: number;
  /** Bookmarks received. */
  readonly bookmarks: number;
  /** Watches that the server ended without error long before their timeout, as it does for slow readers. */
  readonly earlyEnds: number;
  /** Suspicions that an open watch is dead. */
  readonly suspicions: number;
  /** Suspicions that proved false: data arrived, or the next watch showed that nothing was missed. */
  readonly falseSuspicions: number;
  /** Events and list items that could not be decoded and were skipped. */
  readonly dropped: number;
  /** Objects for which an index path failed. */
  readonly indexFailures: number;
  /** Resyncs completed. */
  readonly resyncs: number;
  /** Errors reported. */
  readonly errors: number;
  /** Current: changes waiting to be applied to the cache. */
  readonly queueDepth: number;
  /** Current: objects in the cache. */
  readonly objects: number;
  /** Current: bytes of the packed objects in the cache. */
  readonly bytes: number;
  /** Current: version of the cache. */
  readonly resourceVersion: string;
  /** Handlers, views and work queues in all tabs. */
  readonly handlers: readonly HandlerMetrics[];
}

/** Counters of a handler, view or work queue. */
export interface HandlerMetrics {
  /** True once it has received all objects that were cached when it was added. */
  readonly hasSynced: boolean;
  /** Current: changes waiting for delivery. */
  readonly backlog: number;
  /** Changes that were merged into a later change of the same object, because the handler was slow. */
  readonly coalesced: number;
  /** Changes delivered. */
  readonly delivered: number;
  /** Calls that failed. */
  readonly failures: number;
}

/** Network traffic of an informer. */
export interface Traffic {
  /** Transport of the open watch. Null while no watch is open. */
  readonly carrier: "fetch" | "websocket" | null;
  /** Whether the last response was protobuf, not JSON: see the option `protobuf` of `connect()`. */
  readonly protobuf: boolean;
  /**
   * Why JSON is requested where protobuf could be: a response in protobuf could not be converted, because a gateway had damaged it,
   * or because the server has a type or a field that this version does not know. Null otherwise.
   */
  readonly jsonReason: string | null;
  /** Requests: each page of a list, each watch, each server health probe. */
  readonly requests: number;
  /** Bytes of all response bodies, after decompression. */
  readonly bytes: number;
  /** Events applied per second, averaged over the last ten seconds. */
  readonly eventsPerSecond: number;
  /** Body bytes per second, averaged over the last ten seconds. */
  readonly bytesPerSecond: number;
}

/** Step of the list/watch protocol, or consecutive steps of the same kind merged into one. */
export interface HistoryEntry {
  readonly what: ProtocolStep;
  /** Time of the step, or of the first of several: milliseconds since the Unix epoch. */
  readonly at: number;
  /** Time of the last of several steps. */
  readonly until: number;
  /** Number of steps or objects, or duration in milliseconds. 0 if neither applies. */
  readonly count: number;
  /** The error, or the reason for a pause. */
  readonly code?: ErrorCode;
}

/**
 * Kind of a protocol step.
 *
 * Requests:
 * - `list`, `relist`, `streaming-list`, `watch`: the request was sent.
 * - `probe`: the newest version was requested, after the server was unreachable.
 *
 * Responses:
 * - `page`: a page of `count` objects. `opened`: the watch was accepted.
 * - `events`, `bookmarks`, `unreadable`: `count` events, bookmarks, undecodable events.
 * - `refused`: the request was rejected. `overdue`: no response, or silence, beyond the deadline.
 * - `error`, `ended`, `ended-early`, `broken-off`: the watch ended by an ERROR event, without error, without error long
 *   before its timeout, or by a lost connection.
 * - `went-back`: the server's version is lower than before, as after restoring a backup. `replaced`: another cluster has
 *   the same URL; the cache was discarded.
 *
 * Waits:
 * - `pause`, `polling`: a wait of `count` milliseconds before the next attempt; `polling` if the resource cannot be
 *   watched. `queued`: queued for a connection. `revoked`: the connection was given to another watch.
 *
 * Health:
 * - `suspected`: the open watch is suspect and must be verified. `unreachable`: a heartbeat of the server failed.
 * - `slept`: the machine was asleep. `woken`: the network returned, or a page became visible.
 *
 * End:
 * - `failed`: an error that a retry cannot correct. `stopped`: by `stop()` or `shutdown()`.
 */
export type ProtocolStep =
  | "list" | "relist" | "streaming-list" | "page" | "probe" | "went-back" | "replaced" | "watch" | "opened" | "events"
  | "unreadable" | "bookmarks" | "error" | "ended" | "ended-early" | "broken-off" | "refused" | "overdue" | "suspected"
  | "unreachable" | "slept" | "woken" | "pause" | "polling" | "queued" | "revoked" | "failed" | "stopped";
