// Aggregate: counts, sums, minima and maxima by group, computed by the engine. Loaded on first use.
import { Callbacks } from "./callbacks.js";
import { optionsOf, paths, refuse, text, whole } from "./check.js";
import { closed, fromReport } from "./error.js";
import { deferred, dispose } from "./promises.js";

const NOTHING = Object.freeze({ groups: Object.freeze([]), more: 0, total: null, hasSynced: false, revision: 0 });
const OPS = ["count", "sum", "min", "max"];

export class Aggregate {
  #connection;
  #id;
  #ready = deferred();
  #snapshot = NOTHING;
  /** The groups of the current engine, by id, and their order. */
  #groups = new Map();
  #order = [];
  /** Whether a replacement engine has not caught up with its predecessor yet. */
  #isBehind = false;
  #error = null;
  #callbacks = new Callbacks();
  #ended = false;
  #onEnd;

  /** Sets `control.end`; calls `control.onEnd` at the end. */
  constructor(connection, informer, given, control) {
    const options = optionsFrom(given);
    this.#connection = connection;
    this.#onEnd = control.onEnd;
    control.end = (reason) => this.#end(reason);
    control.fail = this.#ready.reject;
    const view = connection.listen((message) => this.#receive(message));
    this.#id = view;
    connection.open(view, { type: "openAggregate", view, informer, queryId: 1, options });
  }

  get ready() {
    return this.#ready.promise;
  }

  get error() {
    return this.#error;
  }

  getSnapshot() {
    return this.#snapshot;
  }

  subscribe = (callback) => this.#callbacks.add(callback);

  close() {
    this.#end(closed("this aggregate"));
  }

  [dispose] = () => this.close();

  #receive(message) {
    if (message.type === "patch") this.#patch(message.patch);
    else if (message.type === "result" && message.rejection) {
      const { error, start, end } = message.rejection;
      this.#error = Object.assign(fromReport(error), { range: end > 0 ? Object.freeze([start, end]) : null });
      this.#ready.reject(this.#error);
      this.#callbacks.schedule();
    } else if (message.type === "disconnected") {
      [this.#groups, this.#order, this.#isBehind] = [new Map(), [], this.#snapshot !== NOTHING];
    }
  }

  /** Applies a patch. Unchanged groups stay the same objects. */
  #patch({ synced, count, total, gone, groups, order }) {
    for (const id of gone) this.#groups.delete(id);
    for (const { id, key, values } of groups) this.#groups.set(id, Object.freeze({ key: Object.freeze(key), values: numbers(values) }));
    this.#order = order ?? this.#order;
    // Groups stay until a replacement engine has caught up.
    if (!synced && this.#isBehind) return;
    this.#isBehind = false;
    const listed = Object.freeze(this.#order.map((id) => this.#groups.get(id)));
    const revision = this.#snapshot.revision + 1;
    this.#snapshot = Object.freeze({ groups: listed, more: count - listed.length, total: numbers(total), hasSynced: synced, revision });
    this.#error = null;
    if (synced) this.#ready.resolve();
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

/** Values as numbers, also if the connection reads large integers as BigInt or text. */
const numbers = (values) => Object.freeze(values.map((value) => (value === null ? null : Number(value))));

const areTexts = (value) => Array.isArray(value) && value.every((text) => typeof text === "string");

const isValue = ({ op, column, ...rest }) =>
  OPS.includes(op) && Object.keys(rest).length === 0 && typeof column === (op === "count" ? "undefined" : "string");

/** The options of an `openAggregate` message. */
function optionsFrom(given) {
  const { by = [], of = [{ op: "count" }], filter = "", namespaces = [], labelSelector, columns = {}, extraColumns = {}, limit = 1000 } =
    optionsOf("aggregate()", "by of filter namespaces labelSelector columns extraColumns limit", given);
  if (!areTexts(by) || by.length > 2) refuse("by", "an array of at most two columns");
  if (!Array.isArray(of) || of.length < 1 || of.length > 16 || !of.every((value) => isValue(value ?? {}))) {
    refuse("of", 'an array of 1 to 16 values: { op: "count" }, or { op: "sum", "min" or "max", column }');
  }
  if (!areTexts(namespaces)) refuse("namespaces", "an array of strings");
  if (whole("limit", limit, 1) > 10_000) refuse("limit", "at most 10000");
  return {
    by: [...by],
    of: of.map(({ op, column }) => ({ op, column })),
    filter: text("filter", filter),
    namespaces: [...namespaces],
    labelSelector: text("labelSelector", labelSelector),
    columns: { ...paths("columns", columns) },
    extraColumns: { ...paths("extraColumns", extraColumns) },
    limit,
  };
}
