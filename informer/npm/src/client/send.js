// Sender: requests by `fetch`, each with a connection slot out of the engine's budget.
import { badRequest, InformerError } from "../error.js";
import { onAbort } from "../promises.js";
import { brokenOff, fromResponse, late, noResponse } from "./errors.js";

/** Default timeout of a request in milliseconds. */
const TIMEOUT = 30_000;

/** Milliseconds after which a `headers` function has failed, as in the engine. */
const HEADERS_TIMEOUT = 10_000;

export class Sender {
  #connection;
  #access;
  url;
  /** Aborted when the factory ends. */
  life;

  constructor(connection, url, access, life) {
    [this.#connection, this.url, this.#access, this.life] = [connection, url, access, life];
  }

  /** Whether a WebSocket has the rights of the user. */
  get allowsSockets() {
    return this.#access.allowsSockets;
  }

  /** Whether another call of `userHeader` may return another value. */
  get isRenewable() {
    return this.#access.isRenewable;
  }

  /** Resolves to the value of a header that authenticates the user, or null. */
  async userHeader(name, request, signal) {
    return (await this.#userHeaders(request, signal)).get(name);
  }

  /** Waits for a connection slot: `{ release, revoked }`. A slot for a stream may be revoked. */
  async lease(stream, signal) {
    const revoked = new AbortController();
    const request = this.#connection.listen(({ type, error }) => type === "failed" && revoked.abort(Object.assign(brokenOff(undefined, error), { isRevoked: true })));
    const release = () => {
      this.#connection.close(request);
      this.#connection.send({ type: "cancel", request });
    };
    let unsubscribe;
    try {
      await new Promise((resolve, reject) => {
        // Rejects immediately instead of waiting for a response of the engine: during a replacement there is no engine.
        unsubscribe = onAbort(signal, reject);
        this.#connection.request({ type: "lease", request, stream }).then(resolve, reject);
      });
    } catch (error) {
      release();
      throw error;
    } finally {
      unsubscribe();
    }
    return { release, revoked: revoked.signal };
  }

  /** The absolute URL of a path of the apiserver. */
  at(path) {
    const url = new URL(this.url + path);
    // A path with ".." would leave the base path that the page was given.
    if (!url.href.startsWith(`${this.url}/`)) throw badRequest(`${path} is not a path of the apiserver`);
    return url;
  }

  /**
   * Sends a request; resolves to the response, also for an error status. Its body has been read, unless `isStream`: then
   * the slot is held until the body ends or is cancelled.
   */
  async send(method, path, { headers, body, type, isStream = false, signal, timeoutMs = TIMEOUT } = {}) {
    const url = this.at(path);
    const request = `${method} ${path.split("?")[0]}`;
    const over = new AbortController();
    const end = (reason) => over.abort(reason);
    const ends = [onAbort(this.life, end), onAbort(signal, end)];
    const timer = !isStream && timeoutMs < 2 ** 31 ? setTimeout(() => end(late(request, timeoutMs)), timeoutMs) : undefined;
    let slot;
    const done = () => {
      clearTimeout(timer);
      ends.splice(0).forEach((unsubscribe) => unsubscribe());
      slot?.release();
      slot = undefined;
    };
    try {
      over.signal.throwIfAborted();
      slot = await this.lease(isStream, over.signal);
      ends.push(onAbort(slot.revoked, end));
      // The server indents JSON for a browser's user agent.
      if (!url.searchParams.has("pretty")) url.searchParams.set("pretty", "0");
      const init = { method, body, cache: "no-store", redirect: "error", signal: over.signal };
      const response = await this.#fetch(url, request, init, { headers, type });
      if (isStream && response.body) return copy(response, flowing(response.body, done, over, request));
      const bytes = await response.arrayBuffer().catch((cause) => {
        throw over.signal.aborted ? over.signal.reason : brokenOff(request, cause);
      });
      done();
      return copy(response, [101, 204, 205, 304].includes(response.status) ? null : bytes);
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Sends a request with the user's headers; after a 401 once more with new ones, if the body can be sent again. */
  async #fetch(url, request, init, own) {
    const { credentials, isRenewable } = this.#access;
    const send = this.#access.fetch ?? fetch;
    for (let canRepeat = isRenewable && !(init.body instanceof ReadableStream); ; canRepeat = false) {
      const headers = await this.#headers(request, init.signal, own);
      // Called without a receiver, like the global function.
      const sending = (async () => send(url.href, { ...init, headers, credentials }))();
      const response = await sending.catch((cause) => {
        throw init.signal.aborted ? init.signal.reason : noResponse(request, cause);
      });
      if (response.status !== 401 || !canRepeat) return response;
      await response.body?.cancel();
    }
  }

  /** The headers of the user. */
  async #userHeaders(request, signal) {
    const limit = AbortSignal.timeout(HEADERS_TIMEOUT);
    let ends;
    const aborted = new Promise((_, reject) => (ends = [signal, limit].map((one) => onAbort(one, reject))));
    const headers = await Promise.race([this.#access.headers(), aborted]).catch((cause) => {
      if (signal?.aborted) throw signal.reason;
      if (limit.aborted) throw new InformerError("timeout", "the `headers` function has not answered within 10 seconds; it must resolve or reject", { request });
      throw new InformerError("unauthorized", `the \`headers\` function failed: ${cause?.message ?? cause}`, { request, cause });
    }).finally(() => ends.forEach((unsubscribe) => unsubscribe()));
    return new Headers(headers);
  }

  /** The headers of a request: those of the call replace those of the user. */
  async #headers(request, signal, { headers, type }) {
    const all = await this.#userHeaders(request, signal);
    new Headers(headers).forEach((value, name) => all.set(name, value));
    if (type) all.set("content-type", type);
    if (!all.has("accept")) all.set("accept", "application/json");
    return all;
  }

  /** Sends a request and reads the response as text; any status but 2xx is an error. */
  async text(method, path, options) {
    const response = await this.send(method, path, options);
    await throwUnlessOk(response, method, path);
    return { response, text: await response.text() };
  }

  /** Reads JSON that the server sent. */
  parse(parse, text, method, path) {
    try {
      return parse(text);
    } catch (cause) {
      const request = `${method} ${path.split("?")[0]}`;
      throw new InformerError("decode", `expected JSON, received ${JSON.stringify(text.slice(0, 80))}. Check which server has this URL.`, { request, cause });
    }
  }
}

/** Throws the error of a response whose status is not 2xx. */
export async function throwUnlessOk(response, method, path) {
  if (!response.ok) throw fromResponse(response, await response.text(), `${method} ${path.split("?")[0]}`);
}

const copy = ({ status, statusText, headers }, body) => new Response(body, { status, statusText, headers });

/** A body that returns its slot when it ends, fails or is cancelled. */
function flowing(body, done, over, request) {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done: isOver } = await reader.read();
        if (!isOver) return controller.enqueue(value);
        done();
        controller.close();
      } catch (cause) {
        done();
        controller.error(over.signal.aborted ? over.signal.reason : brokenOff(request, cause));
      }
    },
    async cancel(reason) {
      done();
      await reader.cancel(reason).catch(() => {});
    },
  }, { highWaterMark: 0 });
}
