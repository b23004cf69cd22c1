import type { ErrorCode } from "./error.js";

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
