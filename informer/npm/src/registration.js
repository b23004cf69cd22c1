import { closed } from "./error.js";
import { deferred, dispose, onAbort } from "./promises.js";
import { Told } from "./told.js";

/** A handler's place in an informer: client-go's `ResourceEventHandlerRegistration`. */
export class Registration {
  #connection;
  #id;
  #synced = deferred();
  #hasSynced = false;
  #removed = false;
  #settings;
  #unsubscribe;
  /** Nothing where it does not want to know what there is, but only what happens. */
  #told;

  /**
   * `settings`: `deliver` gets each message of changes, a question whether the handler was removed meanwhile, and what to
   * call when it is through with them: the engine sends a few messages ahead, no more. `onSynced` and `onEnd` are what
   * their names say, `options` are for the engine.
   */
  constructor(connection, informer, settings, signal) {
    this.#connection = connection;
    this.#settings = settings;
    if (settings.options.replay !== false) this.#told = new Told();
    this.#id = connection.listen((message) => this.#receive(message));
    connection.open(this.#id, { type: "addEventHandler", informer, handler: this.#id, options: settings.options });
    settings.end = (reason) => this.#end(reason);
    this.#unsubscribe = onAbort(signal, settings.end);
    // Aborted from the beginning: `end` came before there was anything to take back.
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
      const { line } = this.#connection;
      // Only of the engine that sent it: another one has sent others.
      const took = () => line === this.#connection.line && this.#connection.send({ type: "took", handler: this.#id });
      const changes = this.#told ? this.#told.news(message.changes) : message.changes;
      if (changes.length > 0) this.#deliver({ ...message, changes }, took);
      else took();
    } else if (message.type === "away") {
      this.#told?.begin(this.#hasSynced);
    } else if (message.type === "handlerSynced") {
      // What a handler of the second kind has missed nobody can tell it, but that it may have.
      const changes = this.#told?.end() ?? [];
      const relist = this.#hasSynced;
      if (changes.length > 0 || (relist && !this.#told)) {
        this.#deliver({ changes, resourceVersion: "", relist }, () => {});
      }
      this.#hasSynced = true;
      this.#settings.onSynced();
      this.#synced.resolve();
    }
  }

  #deliver(message, took) {
    this.#settings.deliver(message, () => this.#removed, took);
  }

  #end(reason) {
    if (this.#removed) return;
    this.#removed = true;
    this.#unsubscribe?.();
    this.#connection.forget(this.#id);
    this.#connection.send({ type: "removeEventHandler", handler: this.#id });
    this.#synced.reject(reason);
    this.#settings.onEnd(reason);
  }
}
