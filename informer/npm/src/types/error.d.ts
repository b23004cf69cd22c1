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
