// The page's end of the port: numbers, answers, and whom each message is for.
import { fromReport, internal } from "./error.js";
import { hold, whenGone } from "./locks.js";
import { deferred, onAbort } from "./promises.js";

/** `PROTOCOL_VERSION` of the engine's messages. */
const PROTOCOL_VERSION = 5;

export class Connection {
  #port;
  #last = 0;
  #requests = new Map();
  #listeners = new Map();
  #connected = deferred();
  #life = new AbortController();
  #ended = false;
  #reason;
  /** Called once, with the reason, when nothing more will come. */
  onend = () => {};

  constructor(port) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#receive(data);
    port.onmessageerror = () => this.end(internal("a message from the engine could not be read"));
  }

  /** Introduces the page. */
  async connect(wasm, deferred, url, persist) {
    this.send({ type: "wasm", wasm, deferred, lock: await hold(this.#life.signal) });
    this.send({ type: "connect", version: PROTOCOL_VERSION, url, persist });
    return this.#connected.promise;
  }

  send(message) {
    if (!this.#ended) this.#port.postMessage(message);
  }

  /** Sends a message that is answered; `owner` is the informer that it is about. A signal asks for an early answer. */
  request(message, owner, signal) {
    if (this.#ended) return Promise.reject(this.#reason);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const request = this.number();
    const forget = onAbort(signal, () => this.send({ type: "cancel", request }));
    return new Promise((resolve, reject) => {
      this.#requests.set(request, { resolve, reject, owner, signal });
      this.send({ ...message, request });
    }).finally(forget);
  }

  /** Rejects what waits for an answer about an informer. */
  reject(owner, error) {
    for (const [request, waiting] of this.#requests) {
      if (waiting.owner !== owner) continue;
      this.#requests.delete(request);
      waiting.reject(error);
    }
  }

  /** A name for something that the engine is to know. */
  number() {
    return ++this.#last;
  }

  /** A number for an informer or a handler, whose messages go to `listener`. */
  listen(listener) {
    const id = this.number();
    this.#listeners.set(id, listener);
    return id;
  }

  forget(id) {
    this.#listeners.delete(id);
  }

  /** Lets the engine go, and says nothing to anybody: for a page that is about to go. */
  leave() {
    this.send({ type: "close" });
    this.#life.abort();
  }

  /** Ends it; what waits is rejected with the reason. */
  end(error) {
    if (this.#ended) return;
    this.leave();
    this.#ended = true;
    this.#reason = error;
    this.#connected.reject(error);
    for (const { reject } of this.#requests.values()) reject(error);
    this.#requests.clear();
    this.#listeners.clear();
    this.onend(error);
  }

  /** The engine sends text, with all objects in it; whoever loads it, and tests, send what it means. */
  #receive(data) {
    const message = typeof data === "string" ? JSON.parse(data) : data;
    switch (message?.type) {
      case "connected":
        return this.#connected.resolve();
      case "held":
        return whenGone(message.lock, this.#life.signal, () => this.end(internal("the worker has ended")));
      case "refused":
        return this.end(fromReport(message.error));
      case "reply":
      case "failed": {
        const waiting = this.#requests.get(message.request);
        this.#requests.delete(message.request);
        if (message.type === "reply") return waiting?.resolve(message.json);
        return waiting?.reject(waiting.signal?.aborted ? waiting.signal.reason : fromReport(message.error));
      }
      default:
        // Messages for what has been let go may still be on their way.
        return this.#listeners.get(message?.handler ?? message?.view ?? message?.informer)?.(message);
    }
  }
}
