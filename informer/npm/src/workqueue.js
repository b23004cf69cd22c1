// Work queue: the page's side of a queue of the engine.
import { key as checked, number, optionsOf, period, whole } from "./check.js";
import { asyncDispose } from "./promises.js";

export class WorkQueue {
  #connection;
  #informer;
  #queue;
  #request;
  /** Keys in process, as `{ generation, again }`: the engine that returned the key last, and whether another one had before. */
  #processing = new Map();

  /** `request(message, signal)` sends a request. */
  constructor(connection, informer, options, request) {
    this.#connection = connection;
    this.#informer = informer;
    this.#request = request;
    this.#queue = connection.number();
    connection.open(this.#queue, { type: "openQueue", queue: this.#queue, informer, options: queueOptions(options) });
  }

  #ask(ask, signal) {
    return this.#request({ type: "askQueue", queue: this.#queue, ask }, signal);
  }

  #call(call) {
    const message = { type: "queue", queue: this.#queue, informer: this.#informer, call };
    // A replacement engine's queue is shut down, too.
    if (call === "shutDown") this.#connection.open(this.#connection.number(), message);
    else this.#connection.send(message);
  }

  async get(options) {
    const { signal } = optionsOf("get()", "signal", options);
    for (;;) {
      const key = await this.#ask("get", signal);
      if (key === null) return undefined;
      const { generation } = this.#connection;
      const held = this.#processing.get(key);
      if (!held) {
        this.#processing.set(key, { generation });
        return key;
      }
      // A replacement engine returns keys that are in process. Such a key is queued again when its worker is done.
      Object.assign(held, { generation, again: true });
    }
  }

  done(key) {
    const held = this.#processing.get(checked(key));
    this.#processing.delete(key);
    if (held && held.generation !== this.#connection.generation) return;
    this.#call({ done: key });
    if (held?.again) this.#call({ add: key });
  }

  add(key) {
    this.#call({ add: checked(key) });
  }

  addAfter(key, ms) {
    this.#call({ addAfter: { key: checked(key), ms: finite(number("ms", Number(ms ?? NaN), -Infinity)) } });
  }

  addRateLimited(key) {
    this.#call({ addRateLimited: checked(key) });
  }

  forget(key) {
    this.#call({ forget: checked(key) });
  }

  async numRequeues(key) {
    return this.#ask({ numRequeues: checked(key) });
  }

  length() {
    return this.#ask("length");
  }

  shutDown() {
    this.#call("shutDown");
  }

  async shutDownWithDrain() {
    await this.#ask("shutDownWithDrain");
  }

  async *[Symbol.asyncIterator]() {
    for (let key; (key = await this.get()) !== undefined; ) {
      try {
        yield key;
      } finally {
        this.done(key);
      }
    }
  }

  async [asyncDispose]() {
    this.shutDown();
  }
}

/** A number in the range of JSON; `Infinity` becomes the largest. */
const finite = (value) => Math.max(Math.min(value, Number.MAX_VALUE), -Number.MAX_VALUE);

/** The options of an `openQueue` message. The defaults are client-go's. */
function queueOptions(given) {
  const { baseDelayMs = 5, maxDelayMs = 1e6, qps = 10, burst = 100, resyncPeriod } =
    optionsOf("workQueue()", "baseDelayMs maxDelayMs qps burst resyncPeriod", given);
  return {
    baseDelayMs: finite(number("baseDelayMs", baseDelayMs)),
    maxDelayMs: finite(number("maxDelayMs", maxDelayMs)),
    qps: finite(number("qps", qps)),
    burst: whole("burst", burst),
    resyncPeriod: period("resyncPeriod", resyncPeriod),
  };
}
