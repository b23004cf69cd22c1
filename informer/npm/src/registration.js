import { closed } from "./error.js";
import { deferred, dispose, onAbort } from "./promises.js";

/** A handler's place in an informer: client-go's `ResourceEventHandlerRegistration`. */
export class Registration {
  #connection;
  #id;
  #synced = deferred();
  #hasSynced = false;
  #removed = false;
  #settings;
  #unsubscribe;

  /**
   * `settings`: `deliver` gets each message of changes, a question whether the handler was removed meanwhile, and what to
   * call when it is through with them: the engine sends a few messages ahead, no more. `onSynced` and `onEnd` are what
   * their names say, `options` are for the engine.
   */
  constructor(connection, informer, settings, signal) {
    this.#connection = connection;
    this.#settings = settings;
    this.#id = connection.listen((message) => this.#receive(message));
    connection.send({ type: "addEventHandler", informer, handler: this.#id, options: settings.options });
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
      const took = () => this.#connection.send({ type: "took", handler: this.#id });
      this.#settings.deliver(message, () => this.#removed, took);
    } else if (message.type === "handlerSynced") {
      this.#hasSynced = true;
      this.#settings.onSynced();
      this.#synced.resolve();
    }
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
