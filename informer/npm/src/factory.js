// Factory: client-go's `SharedInformerFactory`, the informers of a page for one apiserver.
import { number, optionsOf } from "./check.js";
import { lazyClient } from "./client.js";
import { closed } from "./error.js";
import { SharedInformer } from "./informer.js";
import { asyncDispose, deferred, onAbort } from "./promises.js";
import { describe } from "./resource.js";

/** Milliseconds after which a prestarted informer without `forResource` is stopped. */
const PRESTART_WAIT = 20_000;

/** client-go's `SharedInformerFactory`, for one apiserver. */
export class SharedInformerFactory {
  #connection;
  #url;
  #defaultResync;
  /** By key: `{ informer, started, join, start, end }`. */
  #informers = new Map();
  #ended = false;
  #reason;
  #closed = deferred();

  constructor(connection, url, access, defaultResync, signal) {
    this.#connection = connection;
    this.#url = url;
    this.#defaultResync = defaultResync;
    const gone = new AbortController();
    this.client = lazyClient(connection, url, access, this, gone.signal);
    let unsubscribe = () => {};
    connection.onend = (error) => {
      this.#end(error, "failed");
      gone.abort(error);
      unsubscribe();
    };
    unsubscribe = onAbort(signal, (reason) => this.#end(reason));
    // The engine may outlive the page: a shared worker is not notified when a tab ends.
    this.#on(globalThis, "pagehide", gone, () => connection.leave());
    this.#on(globalThis, "pageshow", gone, ({ persisted }) => persisted && connection.back());
    // Retry without waiting for the backoff.
    this.#on(globalThis, "online", gone, () => this.retry());
    const reportVisibility = () => {
      const visible = globalThis.document?.visibilityState === "visible";
      // A worker or node has no visibility.
      if (globalThis.document) connection.open("visible", { type: "visible", visible });
      return visible;
    };
    this.#on(globalThis.document, "visibilitychange", gone, () => reportVisibility() && this.retry());
    reportVisibility();
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

  /** For `connect()`: starts informers before the page requests them, and stops those that it does not request in time. */
  prestart(informers) {
    for (const [resource, options] of informers) {
      const informer = this.forResource(resource, options);
      const entry = this.#informers.get(describe(resource, options).key);
      const timer = setTimeout(() => entry.adopt?.(), PRESTART_WAIT);
      // In node the timer would keep the process running.
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

  /** For logs: starts one informer, and none that the application has not started yet. */
  startOne(informer) {
    const entry = [...this.#informers.values()].find((one) => one.informer === informer);
    entry.started = true;
    entry.start();
  }

  async waitForCacheSync(options) {
    const { signal, timeoutMs } = optionsOf("waitForCacheSync()", "signal timeoutMs", options);
    number("timeoutMs", timeoutMs);
    signal?.throwIfAborted();
    if (this.#ended) throw this.#reason;
    const started = [...this.#informers].filter(([, entry]) => entry.started);
    let timer;
    let unsubscribe;
    try {
      await new Promise((resolve, reject) => {
        Promise.allSettled(started.map(([, { informer }]) => informer.synced)).then(resolve);
        // A timer's delay has 31 bits; a larger one would fire at once.
        if (timeoutMs < 2 ** 31) timer = setTimeout(resolve, timeoutMs);
        unsubscribe = onAbort(signal, reject);
      });
    } finally {
      clearTimeout(timer);
      unsubscribe();
    }
    if (this.#ended) throw this.#reason;
    return Object.fromEntries(started.map(([key, { informer }]) => [key, informer.hasSynced]));
  }

  resources() {
    return this.#ended ? Promise.reject(this.#reason) : this.#connection.request({ type: "resources" });
  }

  async inspect(options) {
    const { history = false } = optionsOf("inspect()", "history", options);
    if (this.#ended) throw this.#reason;
    return this.#connection.request({ type: "inspectAll", history: !!history });
  }

  clearSnapshots() {
    return this.#connection.request({ type: "clear" });
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
