// Followed object: its current state, updated after each change.
import { key as checked } from "./check.js";
import { Callbacks } from "./callbacks.js";
import { dispose } from "./promises.js";

/** Reads an `object` message without parsing the object's JSON; undefined for any other message. */
export function followed(text) {
  const [, id, json] = /^\{"type":"object","follow":(\d+),"json":(.*)\}$/s.exec(text) ?? [];
  return id && { type: "object", follow: Number(id), json };
}

export class ObjectStore {
  #connection;
  #id;
  #text;
  /** The parsed object, once it was requested. */
  #object;
  #isParsed = true;
  #callbacks = new Callbacks();
  #ended = false;
  #onEnd;

  /** Sets `control.end`; calls `control.onEnd` at the end. */
  constructor(connection, informer, key, control) {
    this.#connection = connection;
    this.#onEnd = control.onEnd;
    control.end = () => this.#end();
    const follow = connection.listen((message) => this.#receive(message));
    this.#id = follow;
    connection.open(follow, { type: "follow", follow, informer, key: checked(key) });
  }

  text() {
    return this.#text;
  }

  // Bound, as `useSyncExternalStore` calls them.
  getSnapshot = () => {
    if (!this.#isParsed) [this.#object, this.#isParsed] = [this.#connection.parse(this.#text), true];
    return this.#object;
  };

  subscribe = (callback) => this.#callbacks.add(callback);

  close() {
    this.#end();
  }

  [dispose]() {
    this.#end();
  }

  /** Other messages are ignored: between two engines the object keeps its state. */
  #receive({ type, json }) {
    if (type !== "object") return;
    const isThere = json !== "null";
    [this.#text, this.#object, this.#isParsed] = [isThere ? json : null, null, !isThere];
    this.#callbacks.schedule();
  }

  #end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.send({ type: "unfollow", follow: this.#id });
    this.#connection.close(this.#id);
    this.#callbacks.clear();
    this.#onEnd();
  }
}
