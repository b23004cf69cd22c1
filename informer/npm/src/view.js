// A view: the engine filters and sorts, here are the rows in sight.
import { optionsOf, paths, range, refuse, text } from "./check.js";
import { closed, fromReport } from "./error.js";
import { deferred, dispose } from "./promises.js";

/** Paints happen once a frame, and where there are no frames some sixty times a second. */
const soon = (callback) => (globalThis.requestAnimationFrame ?? ((paint) => setTimeout(paint, 16)))(callback);

const EMPTY = Object.freeze({ rows: Object.freeze([]), start: 0, total: 0, revision: 0 });

const cell = ({ text, number }) => text ?? number ?? null;

export class View {
  #connection;
  #id;
  /** What opens it, here and in an engine that comes after this one: the last wish that was granted. */
  #opening;
  /** Wishes without an answer, by their numbers. */
  #wishes = new Map();
  #columns;
  #ready = deferred();
  #snapshot = EMPTY;
  /** What an engine has sent: the snapshot, unless it has to learn first what another one knew. */
  #sent = EMPTY;
  /** Whether no wish has been granted yet: what was sent is every row, and none of them was asked for. */
  #isUnasked = false;
  /** What is added to an engine's revisions: they go on counting. */
  #revisions = 0;
  #error = null;
  /** How many wishes there were: what it is opened with is the first. */
  #wish = 1;
  #callbacks = new Set();
  #told = true;
  #ended = false;
  #onEnd;

  /** `control.end` ends it from outside; `control.onEnd` is told. */
  constructor(connection, informer, given, control) {
    const { labelSelector, columns, window = "all", ...wish } = optionsOf("view()", `${WISH} labelSelector columns window`, given);
    this.#connection = connection;
    this.#onEnd = control.onEnd;
    control.end = (reason) => this.#end(reason);
    paths("columns", columns);
    if (columns && "key" in columns) refuse("columns", "without `key`, which every row has already");
    const [start, end] = window === "all" ? [0, 2 ** 31 - 1] : range(...(Array.isArray(window) ? window : []));
    const asked = { ...meant(wish), labelSelector: text("labelSelector", labelSelector), start, end };
    this.#id = connection.listen((message) => this.#receive(message));
    const options = { ...asked, ...(columns ? { columns: { ...columns } } : { objects: true }) };
    this.#opening = { type: "openView", view: this.#id, informer, wish: this.#wish, options };
    connection.open(this.#id, this.#opening);
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

  setWindow(start, end) {
    const [from, to] = range(start, end);
    Object.assign(this.#opening.options, { start: from, end: to });
    this.#send({ type: "setWindow", start: from, end: to });
  }

  change(wish) {
    const asked = meant(optionsOf("change()", WISH, wish));
    this.#wishes.set(++this.#wish, asked);
    this.#send({ type: "changeView", wish: this.#wish, ...asked });
  }

  subscribe(callback) {
    const subscription = () => callback();
    this.#callbacks.add(subscription);
    return () => this.#callbacks.delete(subscription);
  }

  [dispose]() {
    this.#end(closed("this view"));
  }

  #send(message) {
    if (!this.#ended) this.#connection.send({ ...message, view: this.#id });
  }

  #receive(message) {
    if (message.type === "columns") this.#columns = message.columns.map(({ name }) => name);
    else if (message.type === "view") this.#take(message);
    else if (message.type === "answered") this.#hear(message);
    else if (message.type === "away") {
      [this.#sent, this.#isUnasked] = [EMPTY, false];
      this.#revisions = this.#snapshot.revision;
      for (const [wish, asked] of this.#wishes) this.#send({ type: "changeView", wish, ...asked });
    }
  }

  /**
   * Each wish is answered once, in their order. `error` is about the last: of those before it nobody waits to hear. A view
   * that is refused before it has columns will never be.
   */
  #hear({ wish, refusal }) {
    const error = refusal ? fromReport(refusal.error) : null;
    const asked = this.#wishes.get(wish);
    this.#wishes.delete(wish);
    if (asked && !error) Object.assign(Object.assign(this.#opening, { wish }).options, asked);
    // The rows of the first wish that is granted may be those that were sent.
    if (!error && this.#isUnasked) [this.#snapshot, this.#isUnasked] = [this.#sent, false];
    if (wish === 1 && error) this.#ready.reject(error);
    if ((wish !== this.#wish && this.#columns) || error === this.#error) return;
    this.#error = error;
    this.#tell();
  }

  /** Rows that did not change are the same objects as before. */
  #take({ wish, revision, total, synced, start, end, rows: changed }) {
    const before = this.#sent;
    const kept = before.rows.slice(Math.max(0, start - before.start), Math.max(0, end - before.start));
    const rows = new Array(Math.max(0, Math.min(before.start, end) - start)).concat(kept);
    rows.length = end - start;
    for (const row of changed) rows[row.index - start] = Object.freeze(this.#row(row));
    this.#sent = Object.freeze({ rows: Object.freeze(rows), start, total, revision: revision + this.#revisions });
    this.#isUnasked = wish === 0;
    // Rows do not go only because another engine does not know them yet.
    if (this.#isUnasked || (!synced && this.#revisions > 0)) return;
    this.#snapshot = this.#sent;
    if (synced) this.#ready.resolve();
    this.#tell();
  }

  #row({ key, cells, object }) {
    if (object) return object;
    return Object.assign({ key }, ...cells.map((value, at) => ({ [this.#columns[at]]: cell(value) })));
  }

  #tell() {
    if (!this.#told) return;
    this.#told = false;
    soon(() => {
      this.#told = true;
      for (const callback of [...this.#callbacks]) {
        try {
          callback();
        } catch (thrown) {
          globalThis.reportError?.(thrown);
        }
      }
    });
  }

  #end(reason) {
    if (this.#ended) return;
    this.#send({ type: "closeView" });
    this.#ended = true;
    this.#connection.forget(this.#id);
    this.#callbacks.clear();
    this.#ready.reject(reason);
    this.#onEnd();
  }
}

const WISH = "filter namespaces orderBy";

/** What the engine is to show, checked as far as it must be for the engine to read it. */
function meant({ filter = "", namespaces = [], orderBy = [] }) {
  text("filter", filter);
  const isText = (value) => typeof value === "string";
  if (!Array.isArray(namespaces) || !namespaces.every(isText)) refuse("namespaces", "an array of strings");
  const isOrder = (entry) => Array.isArray(entry) && isText(entry[0]) && [undefined, "asc", "desc"].includes(entry[1]);
  if (!Array.isArray(orderBy) || !orderBy.every(isOrder)) refuse("orderBy", 'an array of [column] or [column, "asc" or "desc"]');
  const order = ([column, direction]) => ({ column, descending: direction === "desc" });
  return { filter, namespaces: [...namespaces], orderBy: orderBy.map(order) };
}
