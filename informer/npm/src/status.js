// What an informer says of itself, over the engines that it lives in.
import { fromReport } from "./error.js";

export const IDLE = Object.freeze({
  phase: "idle", freshness: "catching-up", hasSynced: false, resourceVersion: "", objects: 0, bytes: 0, listed: 0,
  lastEventAt: null, lastBookmarkAt: null, lastContactAt: null, nextRetryAt: null,
  lists: 0, watches: 0, relists: 0, events: 0, droppedEvents: 0, queueDepth: 0, lastError: null, namespaces: Object.freeze([]), namespaceMissing: false,
});

/** A status as it comes. Until an engine knows as much as the one `before` it did, that one's word stands. */
export function readStatus({ lastError, ...status }, before) {
  const { hasSynced, resourceVersion, objects, bytes, lastEventAt, lastContactAt } = status.hasSynced || !before ? status : before;
  const known = { hasSynced, resourceVersion, objects, bytes, lastEventAt, lastContactAt };
  return Object.freeze({ ...status, ...known, lastError: lastError ? fromReport(lastError) : null });
}

/** Between two engines. */
export const betweenEngines = (status) =>
  status.phase === "idle" ? status : Object.freeze({ ...status, phase: "reconnecting", freshness: "catching-up", nextRetryAt: null });
