// A view: the engine filters and sorts, here are the rows of its window.
import { Callbacks } from "./callbacks.js";
import { range, text } from "./check.js";
import { closed, fromReport } from "./error.js";
import { deferred, dispose } from "./promises.js";
import { headersOf, patched, readers } from "./rows.js";
import { changed, opened } from "./view-query.js";

const NO_ROWS = Object.freeze({ rows: Object.freeze([]), start: 0, total: 0, unfiltered: 0, hasSynced: false, query: null, revision: 0 });
const NO_COUNTS = Object.freeze({ query: null, columns: Object.freeze([]) });

export class View {
  #connection;
  #informer;
  #id;
  /** What opens it, here and in an engine that comes after this one: with the last query that was applied. */
  #opening;
  /** The last query that was applied, as its user asked for it. */
  #query = null;
  /** Queries without an answer, by their numbers. */
  #pending = new Map();
  /** How many queries there were: what it is opened with is the first. */
  #last = 1;
  #headers = Object.freeze([]);
  #read;
  #ready = deferred();
  #snapshot = NO_ROWS;
  #counts = NO_COUNTS;
  /** What an engine has sent: the snapshot and the counts, unless it has to learn first what another one knew. */
  #sent = NO_ROWS;
  #counted = NO_COUNTS;
  /** Whether no query has been applied yet: what was sent is every row, and none of them was asked for. */
  #isUnasked = false;
  /** Whether the engine has to learn first what another one knew. */
  #isBehind = false;
  #isFrozen = false;
  #error = null;
  #callbacks = new Callbacks();
  #ended = false;
  #onEnd;

  /** `control.end` ends it from outside; `control.onEnd` is told. */
  constructor(connection, informer, given, control) {
    const { query, options, rows } = opened(given);
    this.#connection = connection;
    this.#informer = informer;
    this.#onEnd = control.onEnd;
    control.end = (reason) => this.#end(reason);
    this.#read = (row) => readers[rows](row, this.#headers);
    this.#pending.set(1, { query, asked: {} });
    this.#id = connection.listen((message) => this.#receive(message));
    this.#opening = { type: "openView", view: this.#id, informer, wish: 1, options };
    connection.open(this.#id, this.#opening);
  }

  get ready() {
    return this.#ready.promise;
  }

  get error() {
    return this.#error;
  }

  get columns() {
    return this.#headers;
  }

  get counts() {
    return this.#counts;
  }

  get pending() {
    return this.#pending.size > 0;
  }

  getSnapshot() {
    return this.#snapshot;
  }

  setWindow(start, end) {
    const [from, to] = range(start, end);
    Object.assign(this.#opening.options, { start: from, end: to });
    this.#send({ type: "setWindow", start: from, end: to });
  }

  change(query) {
    const entry = changed(query);
    this.#pending.set(++this.#last, entry);
    this.#send({ type: "changeView", wish: this.#last, ...entry.asked });
  }

  freezeOrder(isFrozen) {
    this.#isFrozen = !!isFrozen;
    this.#send({ type: "holdView", hold: this.#isFrozen });
  }

  countValues({ column, filter = "", containing = "" } = {}) {
    if (this.#ended) return Promise.reject(closed("this view"));
    const options = { column: text("column", column ?? ""), filter: text("filter", filter), containing: text("containing", containing) };
    return this.#connection.request({ type: "values", view: this.#id, options }, this.#informer);
  }

  subscribe = (callback) => this.#callbacks.add(callback);

  close() {
    this.#end(closed("this view"));
  }

  [dispose] = () => this.close();

  #send(message) {
    if (!this.#ended) this.#connection.send({ ...message, view: this.#id });
  }

  #receive(message) {
    if (message.type === "view") this.#take(message);
    else if (message.type === "facets") this.#count(message);
    else if (message.type === "answered") this.#settle(message);
    else if (message.type === "columns") {
      this.#headers = headersOf(message.columns);
      this.#callbacks.tell();
    } else if (message.type === "away") {
      [this.#sent, this.#isUnasked, this.#isBehind] = [NO_ROWS, false, this.#snapshot !== NO_ROWS];
      for (const [wish, { asked }] of this.#pending) if (wish > 1) this.#send({ type: "changeView", wish, ...asked });
    }
  }

  /**
   * Each query is answered once, in their order. `error` is about the last: of those before it nobody waits to hear. A view
   * that is refused before it has columns will never be.
   */
  #settle({ wish, refusal }) {
    const entry = this.#pending.get(wish);
    const isLast = wish === this.#last || this.#headers.length === 0;
    this.#pending.delete(wish);
    if (entry && !refusal) this.#apply(wish, entry);
    const error = refusal ? this.#refused(refusal, entry?.query) : null;
    if (wish === 1 && error) this.#ready.reject(error);
    if (isLast) this.#error = error;
    if (isLast || !this.pending) this.#callbacks.tell();
  }

  #apply(wish, { query, asked: { window, ...asked } }) {
    // The engine lets the order go with each query that it applies; the opening one finds none to freeze.
    if (wish > 1) this.#isFrozen = false;
    this.#query = query;
    Object.assign(Object.assign(this.#opening, { wish }).options, asked, window);
    // The rows of the first query that is applied may be those that were sent.
    const isShown = !this.#isBehind && (this.#isUnasked || this.#snapshot === this.#sent);
    this.#isUnasked = false;
    if (this.#sent === NO_ROWS || this.#sent.query === query) return;
    this.#sent = Object.freeze({ ...this.#sent, query, revision: this.#snapshot.revision + 1 });
    if (isShown) this.#snapshot = this.#sent;
  }

  #refused({ error, start, end }, query) {
    return Object.assign(fromReport(error), { query, range: end > 0 ? Object.freeze([start, end]) : null });
  }

  /** A message may come before the answer to the query that it is of. */
  #queryOf(wish) {
    return wish === 0 ? null : (this.#pending.get(wish)?.query ?? this.#query);
  }

  /** Rows that did not change are the same objects as before. */
  #take({ wish, total, of, synced, start, end, rows: changed }) {
    const rows = patched(this.#sent, start, end, changed, this.#read);
    const revision = this.#snapshot.revision + 1;
    this.#sent = Object.freeze({ rows, start, total, unfiltered: of, hasSynced: synced, query: this.#queryOf(wish), revision });
    this.#isUnasked = wish === 0;
    // Rows do not go only because another engine does not know them yet.
    if (this.#isUnasked || (!synced && this.#isBehind)) return;
    this.#snapshot = this.#sent;
    if (synced) this.#ready.resolve();
    if (this.#isBehind) {
      [this.#isBehind, this.#counts] = [false, this.#counted];
      if (this.#isFrozen) this.freezeOrder(true);
    }
    this.#callbacks.tell();
  }

  #count({ wish, facets }) {
    this.#counted = Object.freeze({ query: this.#queryOf(wish), columns: Object.freeze(facets) });
    if (this.#isBehind) return;
    this.#counts = this.#counted;
    this.#callbacks.tell();
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
