// View: the rows of a window, filtered and sorted by the engine.
import { Callbacks } from "./callbacks.js";
import { range, text } from "./check.js";
import { closed, fromReport } from "./error.js";
import { deferred, dispose } from "./promises.js";
import { headersOf, patched, readers } from "./rows.js";
import { changed, opened } from "./view-query.js";

export const NO_ROWS = Object.freeze({ rows: Object.freeze([]), start: 0, total: 0, unfiltered: 0, hasSynced: false, query: null, revision: 0 });
export const NO_COUNTS = Object.freeze({ query: null, columns: Object.freeze([]) });

export class View {
  #connection;
  #informer;
  #id;
  /** The `openView` message for this engine and its replacements; contains the last applied query. */
  #opening;
  /** The last applied query, as the user passed it. */
  #query = null;
  /** Pending queries, by their numbers. */
  #pending = new Map();
  /** Number of the last query; the opening query is 1. */
  #last = 1;
  #headers = Object.freeze([]);
  #read;
  #ready = deferred();
  #snapshot = NO_ROWS;
  #counts = NO_COUNTS;
  /** The rows and counts of the current engine: those of the snapshot, unless a replacement is still behind its predecessor. */
  #sent = NO_ROWS;
  #counted = NO_COUNTS;
  /** Whether no query has been applied yet: every row was sent. */
  #isUnfiltered = false;
  /** Whether a replacement engine has not caught up with its predecessor yet. */
  #isBehind = false;
  #isFrozen = false;
  #error = null;
  #callbacks = new Callbacks();
  #ended = false;
  #onEnd;

  /** Sets `control.end`; calls `control.onEnd` at the end. */
  constructor(connection, informer, given, control) {
    const { query, options, rows } = opened(given);
    this.#connection = connection;
    this.#informer = informer;
    this.#onEnd = control.onEnd;
    control.end = (reason) => this.#end(reason);
    control.fail = this.#ready.reject;
    this.#read = (row) => readers[rows](row, this.#headers);
    this.#pending.set(1, { query, message: {} });
    this.#id = connection.listen((message) => this.#receive(message));
    this.#opening = { type: "openView", view: this.#id, informer, queryId: 1, options };
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

  setWindow(start, end) {
    const [from, to] = range(start, end);
    Object.assign(this.#opening.options, { start: from, end: to });
    this.#send({ type: "setWindow", start: from, end: to });
  }

  change(query) {
    const entry = changed(query);
    this.#pending.set(++this.#last, entry);
    this.#send({ type: "changeView", queryId: this.#last, ...entry.message });
  }

  freezeOrder(isFrozen) {
    this.#isFrozen = !!isFrozen;
    this.#send({ type: "freeze", frozen: this.#isFrozen });
  }

  countValues({ column, filter = "", containing = "" } = {}) {
    if (this.#ended) return Promise.reject(closed("this view"));
    const values = { column: text("column", column ?? ""), filter: text("filter", filter), containing: text("containing", containing) };
    return this.#connection.request({ type: "askView", view: this.#id, ask: { values } }, this.#informer);
  }

  // Bound, as `useSyncExternalStore` calls them.
  getSnapshot = () => this.#snapshot;

  subscribe = (callback) => this.#callbacks.add(callback);

  close() {
    this.#end(closed("this view"));
  }

  [dispose] = () => this.close();

  #send(message) {
    if (!this.#ended) this.#connection.send({ ...message, view: this.#id });
  }

  #receive(message) {
    if (message.type === "view") this.#patch(message);
    else if (message.type === "facets") this.#count(message);
    else if (message.type === "result") this.#settle(message);
    else if (message.type === "columns") {
      this.#headers = headersOf(message.columns);
      this.#callbacks.schedule();
    } else if (message.type === "disconnected") {
      [this.#sent, this.#isUnfiltered, this.#isBehind] = [NO_ROWS, false, this.#snapshot !== NO_ROWS];
      for (const [queryId, { message }] of this.#pending) if (queryId > 1) this.#send({ type: "changeView", queryId, ...message });
    }
  }

  /**
   * Settles a query: each has one result, in order. `error` is that of the last query. A view that is rejected before its
   * columns are known stays empty.
   */
  #settle({ queryId, rejection }) {
    const entry = this.#pending.get(queryId);
    const isLast = queryId === this.#last || this.#headers.length === 0;
    this.#pending.delete(queryId);
    if (entry && !rejection) this.#apply(queryId, entry);
    const error = rejection ? this.#rejected(rejection, entry?.query) : null;
    if (queryId === 1 && error) this.#ready.reject(error);
    if (isLast) this.#error = error;
    if (isLast || !this.pending) this.#callbacks.schedule();
  }

  #apply(queryId, { query, message: { window, ...message } }) {
    // An applied query unfreezes the order, except the opening query, which precedes `freezeOrder`.
    if (queryId > 1) this.#isFrozen = false;
    this.#query = query;
    Object.assign(Object.assign(this.#opening, { queryId }).options, message, window);
    // The rows of the first applied query may equal those that were sent.
    const isShown = !this.#isBehind && (this.#isUnfiltered || this.#snapshot === this.#sent);
    this.#isUnfiltered = false;
    if (this.#sent === NO_ROWS || this.#sent.query === query) return;
    this.#sent = Object.freeze({ ...this.#sent, query, revision: this.#snapshot.revision + 1 });
    if (isShown) this.#snapshot = this.#sent;
  }

  #rejected({ error, start, end }, query) {
    return Object.assign(fromReport(error), { query, range: end > 0 ? Object.freeze([start, end]) : null });
  }

  /** The query of a message, which may precede the query's result. */
  #queryOf(queryId) {
    return queryId === 0 ? null : (this.#pending.get(queryId)?.query ?? this.#query);
  }

  /** Applies a patch. Unchanged rows stay the same objects. */
  #patch({ queryId, total, of, synced, start, end, rows: changed }) {
    const rows = patched(this.#sent, start, end, changed, this.#read);
    const revision = this.#snapshot.revision + 1;
    this.#sent = Object.freeze({ rows, start, total, unfiltered: of, hasSynced: synced, query: this.#queryOf(queryId), revision });
    this.#isUnfiltered = queryId === 0;
    // Rows stay until a replacement engine has caught up.
    if (this.#isUnfiltered || (!synced && this.#isBehind)) return;
    this.#snapshot = this.#sent;
    if (synced) this.#ready.resolve();
    if (this.#isBehind) {
      [this.#isBehind, this.#counts] = [false, this.#counted];
      if (this.#isFrozen) this.freezeOrder(true);
    }
    this.#callbacks.schedule();
  }

  #count({ queryId, facets }) {
    this.#counted = Object.freeze({ query: this.#queryOf(queryId), columns: Object.freeze(facets) });
    if (this.#isBehind) return;
    this.#counts = this.#counted;
    this.#callbacks.schedule();
  }

  #end(reason) {
    if (this.#ended) return;
    this.#send({ type: "closeView" });
    this.#ended = true;
    this.#connection.close(this.#id);
    this.#callbacks.clear();
    this.#ready.reject(reason);
    this.#onEnd();
  }
}
