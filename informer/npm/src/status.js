// Status of an informer, across replacements of the engine.
import { fromReport } from "./error.js";

export const IDLE = Object.freeze({
  phase: "idle", freshness: "catching-up", hasSynced: false, resourceVersion: "", objects: 0, bytes: 0, listed: 0,
  lastEventAt: null, lastBookmarkAt: null, lastContactAt: null, nextRetryAt: null,
  lists: 0, watches: 0, relists: 0, events: 0, droppedEvents: 0, queueDepth: 0, lastError: null, namespaces: Object.freeze([]), namespaceMissing: false,
});

/** Reads a status message. Until a replacement engine has synced, some fields are those of `before`, its predecessor's last. */
export function readStatus({ lastError, ...status }, before) {
  const { hasSynced, resourceVersion, objects, bytes, lastEventAt, lastContactAt } = status.hasSynced || !before ? status : before;
  const known = { hasSynced, resourceVersion, objects, bytes, lastEventAt, lastContactAt };
  return Object.freeze({ ...status, ...known, lastError: lastError ? fromReport(lastError) : null });
}

/** The status while there is no engine. */
export const betweenEngines = (status) =>
  status.phase === "idle" ? status : Object.freeze({ ...status, phase: "reconnecting", freshness: "catching-up", nextRetryAt: null });
