import { closed } from "./error.js";
import { deferred, dispose, onAbort } from "./promises.js";
import { DeliveredState } from "./delivered.js";

/** Registration of an event handler: client-go's `ResourceEventHandlerRegistration`. */
export class Registration {
  #connection;
  #id;
  #synced = deferred();
  #hasSynced = false;
  #removed = false;
  #settings;
  #unsubscribe;
  /** Undefined for a handler without `replay`, which receives changes only. */
  #delivered;

  /**
   * `settings.deliver` is called with each batch of changes, a function that returns whether the handler was removed
   * meanwhile, and a function that acknowledges the batch: the engine sends at most four unacknowledged ones.
   * `settings.options` are the engine's.
   */
  constructor(connection, informer, settings, signal) {
    this.#connection = connection;
    this.#settings = settings;
    if (settings.options.replay !== false) this.#delivered = new DeliveredState();
    this.#id = connection.listen((message) => this.#receive(message));
    connection.open(this.#id, { type: "addEventHandler", informer, handler: this.#id, options: settings.options });
    settings.end = (reason) => this.#end(reason);
    settings.fail = this.#synced.reject;
    this.#unsubscribe = onAbort(signal, settings.end);
    // The signal was aborted before: `end` was called before `#unsubscribe` was set.
    if (this.#removed) this.#unsubscribe();
  }

  get hasSynced() {
    return this.#hasSynced;
  }

  get synced() {
    return this.#synced.promise;
  }

  remove() {
    this.#end(closed("this handler"));
  }

  [dispose]() {
    this.remove();
  }

  #receive(message) {
    if (message.type === "changes") {
      const { generation } = this.#connection;
      // Only to the engine that sent it: another engine did not send this batch.
      const acknowledge = () => generation === this.#connection.generation && this.#connection.send({ type: "ack", handler: this.#id });
      const changes = this.#delivered ? this.#delivered.differences(message.changes) : message.changes;
      if (changes.length > 0) this.#deliver({ ...message, changes }, acknowledge);
      else acknowledge();
    } else if (message.type === "disconnected") {
      this.#delivered?.beginReplay(this.#hasSynced);
    } else if (message.type === "handlerSynced") {
      // For a handler without `replay`, missed changes are unknown: an empty batch with `relist` marks the gap.
      const changes = this.#delivered?.endReplay() ?? [];
      const relist = this.#hasSynced;
      if (changes.length > 0 || (relist && !this.#delivered)) {
        this.#deliver({ changes, resourceVersion: "", relist }, () => {});
      }
      this.#hasSynced = true;
      this.#settings.onSynced();
      this.#synced.resolve();
    }
  }

  #deliver(message, acknowledge) {
    this.#settings.deliver(message, () => this.#removed, acknowledge);
  }

  #end(reason) {
    if (this.#removed) return;
    this.#removed = true;
    this.#unsubscribe?.();
    this.#connection.close(this.#id);
    this.#connection.send({ type: "removeEventHandler", handler: this.#id });
    this.#synced.reject(reason);
    this.#settings.onEnd(reason);
  }
}
