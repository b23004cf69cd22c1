// Errors of requests: from a response that is not 2xx, or from none.
import { InformerError } from "../error.js";

const BY_REASON = {
  Unauthorized: "unauthorized", Forbidden: "forbidden", NotFound: "not-found", Expired: "expired", Gone: "expired",
  TooManyRequests: "throttled", Conflict: "conflict", AlreadyExists: "conflict", Invalid: "invalid",
  BadRequest: "bad-request", NotAcceptable: "bad-request", MethodNotAllowed: "bad-request", UnsupportedMediaType: "bad-request",
  RequestEntityTooLarge: "bad-request", Timeout: "timeout", ServerTimeout: "timeout", InternalError: "internal", ServiceUnavailable: "internal",
};
const BY_STATUS = { 401: "unauthorized", 403: "forbidden", 404: "not-found", 408: "timeout", 409: "conflict", 410: "expired", 422: "invalid", 429: "throttled", 504: "timeout" };
const RETRYABLE = new Set(["throttled", "network", "timeout", "internal"]);

/** Returns the error for a response that is not 2xx. `request` is its method and path. */
export function fromResponse({ status, headers }, text, request) {
  const said = readStatus(text);
  const { reason, details, message } = said ?? {};
  // 429 means throttled for every reason (client-go). A 5xx without a Status comes from a proxy that cannot reach the
  // server.
  const byStatus = BY_STATUS[status] ?? (status >= 500 ? (said ? "internal" : "network") : "bad-request");
  const code = status === 429 ? "throttled" : (Object.hasOwn(BY_REASON, reason ?? "") && BY_REASON[reason]) || byStatus;
  const causes = (details?.causes ?? []).map(({ field = "", reason: why = "", message: what = "" }) => ({ field, reason: why, message: what }));
  const conflicts = causes.filter((cause) => cause.reason === "FieldManagerConflict").map(conflict);
  const webhook = /admission webhook "([^"]+)" denied|failed calling webhook "([^"]+)"/.exec(message ?? "");
  const seconds = Number(headers.get("retry-after") ?? details?.retryAfterSeconds ?? NaN);
  const budget = causes.filter((cause) => cause.reason === "DisruptionBudget").map((cause) => cause.message);
  const fields = {
    reason: reason || undefined,
    conflicts: conflicts.length ? conflicts : undefined,
    causes: causes.length ? causes : undefined,
    retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined,
    webhook: webhook?.[1] ?? webhook?.[2],
  };
  const advice = adviceFor(code, status, fields, said);
  const words = [message || excerpt(text, status), ...budget, advice].filter(Boolean).map((sentence) => sentence.replace(/([^.!?:])$/, "$1."));
  const isRetryable = RETRYABLE.has(code) || (code === "conflict" && !fields.conflicts && reason !== "AlreadyExists");
  return Object.assign(new InformerError(code, words.join(" "), { status, request, retryable: isRetryable }), fields);
}

/** Parses `conflict with "kubectl" with subresource "status" using apps/v1`. */
function conflict({ field, message }) {
  const [, manager = "", subresource] = /conflicts? with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?/.exec(message) ?? [];
  return subresource === undefined ? { field, manager, message } : { field, manager, subresource, message };
}

function adviceFor(code, status, { conflicts, reason, webhook }, said) {
  if (webhook) return code === "internal" ? "Check that the webhook's service runs." : "";
  if (conflicts) return "Leave these fields to their managers, or apply with `force` to take them over.";
  if (reason === "AlreadyExists") return "";
  if (code === "conflict") return "Read the object again and repeat the change.";
  if (code === "forbidden" && !said) return "A proxy rejected the path or method: check --reject-paths and --reject-methods of kubectl proxy.";
  if (code === "network") return "Check that the proxy can reach the apiserver.";
  if (code === "unauthorized") return "Log in again, or check the credentials of the proxy.";
  return "";
}

function readStatus(text) {
  try {
    const status = JSON.parse(text);
    return status?.kind === "Status" ? status : undefined;
  } catch {
    return undefined;
  }
}

function excerpt(text, status) {
  const trimmed = text.trim();
  if (trimmed.startsWith("<")) return `HTTP ${status}, an HTML page: ${/<title>([^<]*)/i.exec(trimmed)?.[1]?.trim() ?? "without a title"}`;
  return trimmed.split("\n")[0].slice(0, 300) || `HTTP ${status} without a body`;
}

/** Error: no response. `fetch` does not distinguish a refused connection from a response blocked by CORS. */
export const noResponse = (request, cause) =>
  new InformerError("network",
    `no response: the proxy or apiserver is unreachable, or does not allow this page's origin by CORS (${cause?.message ?? cause}). ` +
      "Check that kubectl proxy is running.",
    { request, retryable: true, cause });

export const brokenOff = (request, cause) =>
  new InformerError("network", `the connection was lost (${cause?.message ?? cause})`, { request, retryable: true, cause });

export const late = (request, ms) =>
  new InformerError("timeout", `no complete response within ${ms / 1000} s. It may still take effect: read the object before you repeat a write.`, {
    request, retryable: true,
  });
