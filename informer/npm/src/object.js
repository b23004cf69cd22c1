// One object that is followed: as it is now, and after each change.
import { key as checked } from "./check.js";
import { Callbacks } from "./callbacks.js";
import { dispose } from "./promises.js";

/** A message about a followed object, with its JSON as the server wrote it; nothing for any other message. */
export function followed(text) {
  const [, id, json] = /^\{"type":"object","follow":(\d+),"json":(.*)\}$/s.exec(text) ?? [];
  return id && { type: "object", follow: Number(id), json };
}

export class ObjectStore {
  #connection;
  #id;
  #text;
  /** What the text says, once it is asked for. */
  #object;
  #isRead = true;
  #callbacks = new Callbacks();
  #ended = false;
  #onEnd;

  /** `control.end` ends it from outside; `control.onEnd` is told. */
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

  getSnapshot() {
    if (!this.#isRead) [this.#object, this.#isRead] = [this.#connection.parse(this.#text), true];
    return this.#object;
  }

  subscribe(callback) {
    return this.#callbacks.add(callback);
  }

  close() {
    this.#end();
  }

  [dispose]() {
    this.#end();
  }

  /** Between two engines the object stays as it was. */
  #receive({ type, json }) {
    if (type !== "object") return;
    const isThere = json !== "null";
    [this.#text, this.#object, this.#isRead] = [isThere ? json : null, null, !isThere];
    this.#callbacks.tell();
  }

  #end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.send({ type: "unfollow", follow: this.#id });
    this.#connection.forget(this.#id);
    this.#callbacks.clear();
    this.#onEnd();
  }
}
