// A work queue: the engine has the keys, here is the end where they are taken out.
import { key as checked, number, optionsOf, period, whole } from "./check.js";
import { asyncDispose } from "./promises.js";

export class WorkQueue {
  #connection;
  #informer;
  #queue;
  #request;
  /** The keys that are being worked on: by which engine each was handed out, and whether another one did so, too. */
  #hand = new Map();

  /** `request` gives a promise of an answer and takes a signal. */
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
    // What is shut down is so for the next engine, too.
    if (call === "shutDown") this.#connection.open(this.#connection.number(), message);
    else this.#connection.send(message);
  }

  async get(options) {
    const { signal } = optionsOf("get()", "signal", options);
    for (;;) {
      const key = await this.#ask("get", signal);
      if (key === null) return undefined;
      const { line } = this.#connection;
      const held = this.#hand.get(key);
      if (!held) {
        this.#hand.set(key, { line });
        return key;
      }
      // A new engine knows of no worker. Nobody else gets the key before that one is done.
      Object.assign(held, { line, again: true });
    }
  }

  done(key) {
    const held = this.#hand.get(checked(key));
    this.#hand.delete(key);
    if (held && held.line !== this.#connection.line) return;
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

/** A number that JSON can say, with `Infinity` as the largest. */
const finite = (value) => Math.max(Math.min(value, Number.MAX_VALUE), -Number.MAX_VALUE);

/** The options as the engine takes them. The defaults are client-go's. */
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
