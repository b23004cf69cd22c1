/**
 * Kind of an error.
 *
 * - `unauthorized` (HTTP 401), `forbidden` (403), `not-found` (404), `throttled` (429): responses of the server.
 * - `expired`: the server no longer has the requested resourceVersion (410). `too-large-resource-version`: the server has
 *   not reached it yet.
 * - `bad-request`: the server or this package rejects an argument.
 * - `network`: no connection, or a response of a proxy that cannot reach the apiserver. A refusal by CORS looks the same.
 * - `timeout`: no response within the time limit.
 * - `decode`: the response is not the expected JSON.
 * - `aborted`: the request was cancelled.
 * - `closed`: the informer, factory, view or handler has been stopped.
 * - `internal`: any other error, for example HTTP 500, a crashed engine, or an exception in a handler.
 */
export type ErrorCode =
  | "unauthorized" | "forbidden" | "not-found" | "expired" | "throttled" | "too-large-resource-version" | "bad-request"
  | "network" | "timeout" | "decode" | "aborted" | "closed" | "internal";

/** Error of this package. `message` states what failed and what to do. */
export class InformerError extends Error {
  private constructor();
  readonly code: ErrorCode;
  /** HTTP status, if the server responded. */
  readonly status?: number;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** HTTP method and path of the request. Never contains headers. */
  readonly request?: string;
}
