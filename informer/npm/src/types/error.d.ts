/**
 * Kind of an error.
 *
 * - `unauthorized` (HTTP 401), `forbidden` (403), `not-found` (404), `throttled` (429): responses of the server.
 * - `expired`: the server no longer has the requested resourceVersion (410), or a recording no longer keeps the requested
 *   time. `too-large-resource-version`: the server has not reached it yet.
 * - `conflict` (409): the object exists, has changed, or has fields of another manager (`conflicts`).
 * - `invalid` (422): the server rejects fields of an object (`causes`).
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
  | "conflict" | "invalid"
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
  /** Reason of the server's Status, for example `"AlreadyExists"`. Only of requests of `Client`, as all fields below. */
  readonly reason?: string;
  /** Fields of other managers, if a server-side apply was rejected for them. */
  readonly conflicts?: readonly FieldConflict[];
  /** Causes of the rejection, field by field. */
  readonly causes?: readonly FieldCause[];
  /** Delay before the next attempt that the server requests (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
  /** Admission webhook that rejected the request, or could not be called. */
  readonly webhook?: string;
}

/** A field of another manager. */
export interface FieldConflict {
  /** Path of the field, for example `.spec.replicas`. */
  readonly field: string;
  /** Its manager, for example `kubectl-client-side-apply`. */
  readonly manager: string;
  /** Subresource by which the manager wrote it. */
  readonly subresource?: string;
  /** Message of the server. */
  readonly message: string;
}

/** One cause of a rejection. */
export interface FieldCause {
  /** Path of the field, for example `spec.replicas`; empty if the cause concerns no field. */
  readonly field: string;
  /** For example `FieldValueInvalid`. */
  readonly reason: string;
  readonly message: string;
}
