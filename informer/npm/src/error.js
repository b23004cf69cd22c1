// Errors of the package.

/** The error class of the package, with the fields of the engine's `ErrorReport`. */
export class InformerError extends Error {
  constructor(code, message, { status, request, retryable = false, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.request = request;
    this.retryable = retryable;
  }

  get name() {
    return "InformerError";
  }
}

/** An error from the engine's report. */
export const fromReport = (report) => new InformerError(report.code, report.message, report);

export const badRequest = (message) => new InformerError("bad-request", message);
export const closed = (what) => new InformerError("closed", `${what} has been stopped`);
export const internal = (message, cause) => new InformerError("internal", message, { cause, retryable: true });

/** The `error` event. An `ErrorEvent` is not available in every environment, such as node. */
export class InformerErrorEvent extends Event {
  constructor(error, init) {
    super("error", init);
    this.error = error;
    this.message = error.message;
  }
}
