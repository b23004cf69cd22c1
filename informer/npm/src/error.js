/** The one error of the package. The fields are those of the engine's `ErrorReport`. */
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

/** An error as the engine reports it. */
export const fromReport = (report) => new InformerError(report.code, report.message, report);

export const badRequest = (message) => new InformerError("bad-request", message);
export const closed = (what) => new InformerError("closed", `${what} has been stopped`);
export const internal = (message, cause) => new InformerError("internal", message, { cause, retryable: true });

/** The `error` event: an `ErrorEvent`, but not every place that runs modules has that. */
export class InformerErrorEvent extends Event {
  constructor(error, init) {
    super("error", init);
    this.error = error;
    this.message = error.message;
  }
}
