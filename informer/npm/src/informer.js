// Shared informer: client-go's `SharedInformer`, the page's side of an informer of the engine.
import { handled, iterateChanges } from "./changes.js";
import { optionsOf, period } from "./check.js";
import { addIndexers, RequestedIndexers } from "./requested-indexers.js";
import { closed, fromReport, internal } from "./error.js";
import { ErrorTarget } from "./error-target.js";
import { ObjectStore } from "./object.js";
import { asyncDispose, deferred } from "./promises.js";
import { Indexer, Lister } from "./reads.js";
import { Registration } from "./registration.js";
import { betweenEngines, IDLE, readStatus } from "./status.js";
import { View } from "./view.js";
import { WorkQueue } from "./workqueue.js";

export class SharedInformer extends ErrorTarget {
  #connection;
  #name;
  #id;
  #users = 0;
  #status = IDLE;
  #synced = deferred();
  #hasSynced = false;
  #ended = false; #reason;
  /** What ends or fails with the informer: its own promise, views, followed objects and handlers. */
  #registrations = new Set([{ end: this.#synced.reject, fail: this.#synced.reject }]);
  /** The last status of the previous engine, until its replacement has synced. */
  #before;
  #onstop;

  /** Adds to `control` the functions for the factory: `join` adds a user, `start` starts it alone, `end` ends it. */
  constructor(connection, { resource, name, options }, control) {
    super();
    [this.#connection, this.#name, this.#onstop] = [connection, name, control.onstop];
    this.resource = Object.freeze(resource);
    const read = (what) => this.#request({ type: "read", informer: this.#id, read: what });
    this.indexer = new Indexer(read);
    this.lister = new Lister(read, name);
    this.#id = connection.listen((message) => this.#receive(message));
    connection.open(this.#id, { type: "informer", informer: this.#id, resource: name, options });
    const indexers = new RequestedIndexers(name, (missing) => this.addIndexers(missing), (error) => this.#ended || this.reportError(name, error));
    control.join = (requested) => (indexers.add(requested), this.#users++);
    control.start = () => connection.open(connection.number(), { type: "startOne", informer: this.#id });
    control.end = (reason, phase) => this.#end(reason, phase);
  }

  get status() {
    return this.#status;
  }

  get hasSynced() {
    return this.#hasSynced;
  }

  get synced() {
    return this.#synced.promise;
  }

  addEventHandler(handler, given) {
    const { resyncPeriod, signal } = optionsOf("addEventHandler()", "resyncPeriod signal", given);
    const options = { resyncPeriod: period("resyncPeriod", resyncPeriod) };
    return this.#register({ ...handled(this, this.#name, handler), options }, signal);
  }

  async addIndexers(indexers) {
    const message = addIndexers(this.#id, this.#connection.number(), indexers);
    await this.#request(message);
    // For a replacement engine, before other requests. Its response is ignored.
    if (!this.#ended) this.#connection.open(message.request, message, true);
  }

  changes(options) {
    const { replay = true, signal } = optionsOf("changes()", "replay signal", options);
    return iterateChanges((settings) => this.#register({ ...settings, options: { replay: !!replay } }, signal));
  }

  view(options) {
    return this.#open(View, options);
  }

  async aggregate(options) {
    return this.#open((await import("./aggregate.js")).Aggregate, options);
  }

  async recordChanges(options) {
    return this.#open((await import("./recording.js")).Recording, options);
  }

  object(key) {
    return this.#open(ObjectStore, key);
  }

  async waitFor(predicate, key, options) {
    return (await import("./wait-for.js")).waitFor(this, this.#name, predicate, key, options);
  }

  workQueue(options) {
    if (this.#ended) throw this.#reason;
    return new WorkQueue(this.#connection, this.#id, options, (message, signal) => this.#request(message, signal));
  }

  inspect() {
    return this.#request({ type: "inspect", informer: this.#id });
  }

  async search(words, options) {
    return this.#request((await import("./search.js")).searchRequest(this.#id, words, options));
  }

  /** Counted: the informer ends with the `stop()` of its last user. */
  async stop() {
    if (this.#ended || --this.#users > 0) return;
    this.#onstop();
    this.#end(closed(`the informer of ${this.#name}`), "stopped");
  }

  [asyncDispose] = () => this.stop();

  #request(message, signal) {
    return this.#ended ? Promise.reject(this.#reason) : this.#connection.request(message, this.#id, signal);
  }

  /** Opens a view or a followed object, which ends with the informer. */
  #open(Kind, what) {
    if (this.#ended) throw this.#reason;
    const control = { onEnd: () => this.#registrations.delete(control) };
    const opened = new Kind(this.#connection, this.#id, what, control);
    this.#registrations.add(control);
    this.#rejectIfFailed();
    return opened;
  }

  #register(settings, signal) {
    if (this.#ended) throw this.#reason;
    const { onEnd } = settings;
    settings.onSynced = () => this.#sync();
    settings.onEnd = (reason) => {
      this.#registrations.delete(settings);
      onEnd(reason);
    };
    this.#registrations.add(settings);
    const registration = new Registration(this.#connection, this.#id, settings, signal);
    this.#rejectIfFailed();
    return registration;
  }

  #receive(message) {
    if (message.type === "error") this.reportError(this.#name, fromReport(message.error));
    else if (message.type === "status") this.#update(message.status);
    else if (message.type === "disconnected") {
      this.#before ??= this.#status;
      this.#connection.setReadable(this.#id, !this.#hasSynced);
      this.#status = betweenEngines(this.#status);
      if (message.error) this.reportError(this.#name, message.error);
      this.dispatchEvent(new Event("status"));
    }
  }

  #update(status) {
    const before = this.#status;
    this.#status = readStatus(status, this.#before);
    if (status.hasSynced && this.#before) this.#connection.setReadable(this.#id, true);
    if (status.hasSynced) (this.#before = undefined), this.#sync();
    if (before !== IDLE && status.relists > before.relists) this.dispatchEvent(new Event("relist"));
    this.#rejectIfFailed();
    this.dispatchEvent(new Event("status"));
  }

  /** Rejects what waits for the first list, if the informer has failed before it. A later `retry()` does not revive these promises. */
  #rejectIfFailed() {
    if (this.#hasSynced || this.#status.phase !== "failed") return;
    const reason = this.#status.lastError ?? internal(`${this.#name} has failed`);
    for (const { fail } of this.#registrations) fail?.(reason);
  }

  /** Called for a status with `hasSynced`, and for the first synced handler; the first call counts. */
  #sync() {
    if (this.#hasSynced || this.#ended) return;
    this.#hasSynced = true;
    this.#synced.resolve();
    this.dispatchEvent(new Event("synced"));
  }

  #end(reason, phase) {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
    this.#connection.close(this.#id);
    for (const registration of [...this.#registrations]) registration.end(reason);
    this.#connection.reject(this.#id, reason);
    this.#connection.send({ type: "stop", informer: this.#id });
    const failed = phase === "failed";
    this.#status = Object.freeze({ ...this.#status, phase, freshness: "stale", nextRetryAt: null, ...(failed && { lastError: reason }) });
    // Events are dispatched after the caller's stack has returned.
    queueMicrotask(() => {
      if (failed) this.reportError(this.#name, reason);
      this.dispatchEvent(new Event("status"));
    });
  }
}
