import { number, optionsOf } from "./check.js";
import { closed } from "./error.js";
import { SharedInformer } from "./informer.js";
import { asyncDispose, deferred, onAbort } from "./promises.js";
import { describe } from "./resource.js";

/** How long a prestarted informer waits for its first `forResource`, in milliseconds. */
const PRESTART_WAIT = 20_000;

/** client-go's `SharedInformerFactory`, for one apiserver. */
export class SharedInformerFactory {
  #connection;
  #url;
  #defaultResync;
  /** By key: `{ informer, started, join, end }`. */
  #informers = new Map();
  #ended = false;
  #reason;
  #closed = deferred();

  constructor(connection, url, defaultResync, signal) {
    this.#connection = connection;
    this.#url = url;
    this.#defaultResync = defaultResync;
    const gone = new AbortController();
    let forget = () => {};
    connection.onend = (error) => {
      this.#end(error, "failed");
      gone.abort();
      forget();
    };
    forget = onAbort(signal, (reason) => this.#end(reason));
    // The engine may outlive the page. Nothing else would tell a shared worker that this tab is gone.
    this.#on(globalThis, "pagehide", gone, () => connection.leave());
    this.#on(globalThis, "pageshow", gone, ({ persisted }) => persisted && connection.back());
    // Reasons to try again now, rather than when the backoff says.
    this.#on(globalThis, "online", gone, () => this.retry());
    const look = () => {
      const visible = globalThis.document?.visibilityState === "visible";
      // Where there is nothing to see, nothing is said.
      if (globalThis.document) connection.open("visible", { type: "visible", visible });
      return visible;
    };
    this.#on(globalThis.document, "visibilitychange", gone, () => look() && this.retry());
    look();
  }

  #on(target, event, gone, listener) {
    target?.addEventListener(event, listener, { signal: gone.signal });
  }

  forResource(resource, options) {
    if (this.#ended) throw this.#reason;
    const description = describe(resource, options, this.#defaultResync);
    const { key, indexers } = description;
    let entry = this.#informers.get(key);
    if (!entry) {
      entry = { started: false, onstop: () => this.#informers.delete(key) };
      entry.informer = new SharedInformer(this.#connection, description, entry);
      this.#informers.set(key, entry);
    }
    entry.join(indexers);
    entry.adopt?.();
    return entry.informer;
  }

  /** For `connect()`: starts informers that the page will ask for, and stops those for which it does not. */
  prestart(informers) {
    for (const [resource, options] of informers) {
      const informer = this.forResource(resource, options);
      const entry = this.#informers.get(describe(resource, options).key);
      const timer = setTimeout(() => entry.adopt?.(), PRESTART_WAIT);
      // In node a timer would keep the process running.
      timer.unref?.();
      entry.adopt = () => {
        clearTimeout(timer);
        entry.adopt = undefined;
        informer.stop();
      };
    }
    if (informers.length > 0) this.start();
  }

  retry() {
    this.#connection.send({ type: "wake" });
  }

  get closed() {
    return this.#closed.promise;
  }

  start() {
    if (this.#ended) throw this.#reason;
    for (const entry of this.#informers.values()) entry.started = true;
    this.#connection.open("start", { type: "start" });
  }

  async waitForCacheSync(options) {
    const { signal, timeoutMs } = optionsOf("waitForCacheSync()", "signal timeoutMs", options);
    number("timeoutMs", timeoutMs);
    signal?.throwIfAborted();
    if (this.#ended) throw this.#reason;
    const started = [...this.#informers].filter(([, entry]) => entry.started);
    let timer;
    let forget;
    try {
      await new Promise((resolve, reject) => {
        Promise.allSettled(started.map(([, { informer }]) => informer.synced)).then(resolve);
        // A timer holds 31 bits; more than that would ring at once.
        if (timeoutMs < 2 ** 31) timer = setTimeout(resolve, timeoutMs);
        forget = onAbort(signal, reject);
      });
    } finally {
      clearTimeout(timer);
      forget();
    }
    if (this.#ended) throw this.#reason;
    return Object.fromEntries(started.map(([key, { informer }]) => [key, informer.hasSynced]));
  }

  resources() {
    return this.#ended ? Promise.reject(this.#reason) : this.#connection.request({ type: "resources" });
  }

  forgetSnapshots() {
    return this.#connection.request({ type: "forget" });
  }

  status() {
    const informers = Object.fromEntries([...this.#informers].map(([key, { informer }]) => [key, informer.status]));
    return { url: this.#url, informers };
  }

  async shutdown() {
    this.#end(closed("the factory"));
  }

  [asyncDispose]() {
    return this.shutdown();
  }

  #end(reason, phase = "stopped") {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
    for (const { end } of this.#informers.values()) end(reason, phase);
    this.#connection.end(reason);
    if (phase === "failed") this.#closed.reject(reason);
    else this.#closed.resolve();
  }
}
