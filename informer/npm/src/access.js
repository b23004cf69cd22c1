// Access: the headers, credentials and `fetch` with which this page reaches the apiserver. The engine asks for the headers
// of each of its requests; the page's own requests use the same ones.
import { number, refuse, text, whole } from "./check.js";

const CREDENTIALS = ["same-origin", "include", "omit"];

export class Access {
  #headers;
  credentials;
  fetch;
  /** Type and options of the message that connects to the engine. */
  options;

  constructor({ headers, credentials, user, fetch, maxStreams, backoff, json }) {
    const asksHeaders = typeof headers === "function";
    if (credentials !== undefined && !CREDENTIALS.includes(credentials)) refuse("credentials", '"same-origin", "include" or "omit"');
    if (fetch !== undefined && typeof fetch !== "function") refuse("fetch", "a function like the global `fetch`");
    if (text("user", user) === "") refuse("user", "a name of at least one character");
    const constant = asksHeaders || headers === undefined ? undefined : read(headers);
    this.#headers = asksHeaders ? async () => read(await headers()) : () => constant;
    [this.credentials, this.fetch, this.isRenewable] = [credentials, fetch, asksHeaders];
    // Scripts can neither add headers to a WebSocket nor keep cookies from it.
    this.allowsSockets = headers === undefined && fetch === undefined && credentials !== "omit";
    const options = { credentials, headers: constant, asksHeaders: asksHeaders || undefined, user, maxStreams: whole("maxStreams", maxStreams, 1), backoff: backoffOf(backoff), json };
    this.options = { type: "connectAs" };
    for (const [name, value] of Object.entries(options)) if (value !== undefined) this.options[name] = value;
  }

  /** Resolves to the headers of the next request, as names and values. */
  async headers() {
    return (await this.#headers()) ?? [];
  }

  /** Answers the engine, which is about to send a request. */
  async answer(request, post) {
    const answer = await this.headers().then((headers) => ({ headers }), (error) => ({ error: `${error?.message ?? error}` }));
    post({ type: "headers", request, ...answer });
  }
}

/** Names and values. The browser's error contains the value, which is a credential, so that it is not passed on. */
function read(headers) {
  try {
    return [...new Headers(headers)];
  } catch {
    refuse("headers", "valid HTTP headers (a name or a value is not), or a function that returns them");
  }
}

function backoffOf(backoff) {
  if (backoff === undefined) return;
  if (typeof backoff !== "object" || backoff === null) refuse("backoff", "an object with `initialMs`, `maxMs` and `factor`");
  const { initialMs = 800, maxMs = Math.max(30_000, initialMs), factor = 2, ...others } = backoff;
  for (const name of Object.keys(others)) refuse(`backoff.${name}`, "absent: the options are initialMs, maxMs and factor");
  whole("backoff.initialMs", initialMs, 1);
  if (whole("backoff.maxMs", maxMs, 1) < initialMs) refuse("backoff.maxMs", "at least `backoff.initialMs`");
  if (number("backoff.factor", factor, 1) === Infinity) refuse("backoff.factor", "finite");
  return { initialMs, maxMs, factor };
}
