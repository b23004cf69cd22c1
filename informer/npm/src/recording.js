// Recording: what changed in an informer's objects, and when, kept by the engine. Loaded on first use.
import { Callbacks } from "./callbacks.js";
import { key as keyOf, optionsOf, refuse, whole } from "./check.js";
import { closed, fromReport } from "./error.js";
import { deferred, dispose } from "./promises.js";

const NOTHING = Object.freeze({ keptSince: null, count: 0, bytes: 0, time: null });

export class Recording {
  #connection;
  #informer;
  #id;
  #ready = deferred();
  #snapshot = NOTHING;
  #callbacks = new Callbacks();
  #ended = false;
  #onEnd;

  /** Sets `control.end`; calls `control.onEnd` at the end. */
  constructor(connection, informer, given, control) {
    const { maxBytes = 32 * 2 ** 20 } = optionsOf("recordChanges()", "maxBytes", given);
    whole("maxBytes", maxBytes, 1);
    this.#connection = connection;
    this.#informer = informer;
    this.#onEnd = control.onEnd;
    control.end = (reason) => this.#end(reason);
    control.fail = this.#ready.reject;
    const view = connection.listen((message) => this.#receive(message));
    this.#id = view;
    connection.open(view, { type: "openRecording", view, informer, queryId: 1, options: { maxBytes } });
  }

  get ready() {
    return this.#ready.promise;
  }

  get keptSince() {
    return this.#snapshot.keptSince;
  }

  getSnapshot() {
    return this.#snapshot;
  }

  subscribe = (callback) => this.#callbacks.add(callback);

  async changes(given) {
    const { key, since, until, before, limit = 100 } = optionsOf("changes()", "key since until before limit", given);
    if (key !== undefined) keyOf(key);
    for (const [name, value] of Object.entries({ since, until })) if (value !== undefined) time(name, value);
    if (before !== undefined && !(Number.isSafeInteger(before) && before >= 0)) refuse("before", "the `id` of a change");
    return this.#ask({ changes: { key, since, until, before, limit: upTo1000("limit", limit) } });
  }

  async objectAt(key, at) {
    return this.#ask({ objectAt: { key: keyOf(key), time: time("time", at) } });
  }

  async countChanges(given) {
    const { since, until, parts } = optionsOf("countChanges()", "since until parts", given);
    return this.#ask({ countChanges: { ...span(since, until), parts: upTo1000("parts", parts) } });
  }

  async differences(given) {
    const { since, until = Date.now(), limit = 100 } = optionsOf("differences()", "since until limit", given);
    return this.#ask({ differences: { ...span(since, until), limit: upTo1000("limit", limit) } });
  }

  async rewind(at) {
    await this.#ask({ rewind: { time: at === null ? undefined : time("time", at) } });
  }

  close() {
    this.#end(closed("this recording"));
  }

  [dispose] = () => this.close();

  #ask(ask) {
    if (this.#ended) throw closed("this recording");
    return this.#connection.request({ type: "askView", view: this.#id, ask }, this.#informer);
  }

  /** A replacement engine has none of the changes that its predecessor recorded. */
  #receive({ type, patch, rejection }) {
    if (type === "patch") {
      this.#snapshot = Object.freeze({ ...NOTHING, ...patch });
      this.#ready.resolve();
    } else if (type === "disconnected") this.#snapshot = NOTHING;
    else if (type === "result" && rejection) this.#ready.reject(fromReport(rejection.error));
    this.#callbacks.schedule();
  }

  #end(reason) {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.send({ type: "closeView", view: this.#id });
    this.#connection.close(this.#id);
    this.#callbacks.clear();
    this.#ready.reject(reason);
    this.#onEnd();
  }
}

/** A time in milliseconds since the Unix epoch. */
function time(name, value) {
  if (!Number.isFinite(value)) refuse(name, "a time in milliseconds since the Unix epoch, for example Date.now()");
  return value;
}

function span(since, until) {
  return { since: time("since", since), until: time("until", until) };
}

function upTo1000(name, value) {
  if (!(whole(name, value, 1) <= 1000)) refuse(name, "1 to 1000");
  return value;
}
