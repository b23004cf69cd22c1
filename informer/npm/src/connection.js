// The page's end of the line to an engine: numbers, answers, whom each message is for, and what the next engine is told.
import { Deadline, engineStarts, workerAnswers } from "./deadline.js";
import { fromReport, internal, InformerError } from "./error.js";
import { hold, whenGone } from "./locks.js";
import { followed } from "./object.js";
import { deferred, onAbort } from "./promises.js";
import { Requests } from "./requests.js";
import { Restarts } from "./restarts.js";
import { Said } from "./said.js";

/** `PROTOCOL_VERSION` of the engine's messages. */
const PROTOCOL_VERSION = 7;

export class Connection {
  #settings;
  #place;
  #last = 0;
  #said = new Said();
  #requests = new Requests();
  #listeners = new Map();
  #connected = deferred();
  #life = new AbortController(); // of the line that there is, or that is being opened
  #isOpen = false;
  #isGreeted = false; // what is recorded is sent behind `connect`, without waiting for the engine to load
  #isUp = false;
  #wasUp = false;
  #unheard = []; // what was sent while there was no engine
  #restarts = new Restarts();
  #deadline;
  #ended = false;
  #reason;
  parse; // reads JSON
  line = 0; // which engine it is: they are counted
  onend = () => {}; // called once, with the reason, when nothing more will come

  /** `dial` resolves to a place, as in place.js, and to what its engine is told of the wasm; `parse` reads JSON. */
  constructor(settings) {
    [this.#settings, this.parse] = [settings, settings.parse];
    this.#deadline = new Deadline(settings.timeoutMs);
  }

  /** Resolves when the first engine answers. */
  connect() {
    this.#call(this.#life);
    return this.#connected.promise;
  }

  async #call(life) {
    const lost = (error) => this.#lost(life, error);
    const wait = (what) => life.signal.aborted || this.#deadline.begin(what, lost);
    try {
      wait(workerAnswers());
      // Once it is up, its errors come by the port.
      const { place, persist, ...wasm } = await this.#settings.dial((error) => this.#isUp || lost(error), life.signal, wait);
      if (life.signal.aborted) return place.close();
      this.#place = place;
      this.#isOpen = true;
      wait(place.hasAnswered ? engineStarts(wasm.wasm) : workerAnswers(place.url));
      place.port.onmessage = ({ data }) => {
        if (life.signal.aborted) return;
        if (!this.#isUp) wait(engineStarts(wasm.wasm));
        this.#receive(data, life);
      };
      // An elected worker may go before it has said what it holds for this page.
      this.#receive({ type: "held", lock: place.lock }, life);
      place.port.onmessageerror = () => this.end(internal("a message from the engine could not be read"));
      place.port.postMessage({ type: "wasm", ...wasm, persist, lock: await hold(life.signal) });
      if (life.signal.aborted) return;
      place.port.postMessage({ type: "connect", version: PROTOCOL_VERSION, url: this.#settings.url, persist });
      this.#isGreeted = true;
      for (const message of this.#said.messages()) this.#post(message);
    } catch (error) {
      lost(error instanceof InformerError ? error : internal(`connecting failed: ${error.message}`, error));
    }
  }

  #up() {
    this.line++;
    this.#deadline.end();
    this.#isUp = this.#wasUp = true;
    for (const message of [...this.#requests.messages(), ...this.#unheard.splice(0)]) this.#post(message);
    this.#connected.resolve();
  }

  /** The engine is gone. Where there can be another one it is started, and told everything. */
  #lost(life, error, isCrash = true) {
    if (life.signal.aborted) return;
    // One in the page goes only with the page.
    const { again: mayReturn, isHere, lock } = this.#place ?? {};
    const pause = !mayReturn || (isCrash && (isHere || !this.#wasUp)) ? undefined : isCrash ? this.#restarts.next() : 0;
    if (pause === undefined) return this.end(error);
    this.#hangUp(isCrash && error);
    const next = this.#life;
    const again = () => setTimeout(() => next.signal.aborted || this.#call(next), pause);
    // A shared worker is found by its name for as long as it is there, however dead.
    if (isCrash && lock && error.code !== "timeout") whenGone(lock, next.signal, again);
    else again();
  }

  #hangUp(error) {
    this.#deadline.end();
    this.#life.abort();
    this.#life = new AbortController();
    if (this.#isOpen) this.#post({ type: "close" }), this.#place.close();
    const wasUp = this.#isUp;
    this.#isOpen = this.#isGreeted = this.#isUp = false;
    if (wasUp) for (const listener of [...this.#listeners.values()]) listener({ type: "away", error });
  }

  #post = (message) => this.#place.port.postMessage(message);

  /** The page is put away, or goes for good: nothing is said to anybody. */
  leave = () => this.#ended || this.#hangUp();

  /** The page is shown again. */
  back() {
    if (this.#ended) return;
    if (this.#place?.again) this.#call(this.#life);
    else this.end(new InformerError("closed", "the page was away in the back/forward cache: connect again", { retryable: true }));
  }

  /** Says something once. */
  send(message) {
    if (!this.#ended) this.#isUp ? this.#post(message) : this.#unheard.push(message);
  }

  /** Says something to this engine, unless it knows, and to each that comes after it, until the number is forgotten. */
  open(id, message, isKnown = false) {
    this.#said.keep(id, message);
    if (!isKnown && this.#isGreeted) this.#post(message);
  }

  /** Sends a message that is answered; `owner` is the informer that it is about. A signal asks for an early answer. */
  request(message, owner, signal) {
    if (this.#ended) return Promise.reject(this.#reason);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const request = this.number();
    const forget = onAbort(signal, () => this.send({ type: "cancel", request }));
    message = { ...message, request };
    const answer = this.#requests.add(message, owner, signal);
    if (this.#isUp && this.#requests.isDue(message)) this.#post(message);
    return answer.finally(forget);
  }

  /** Whether an informer's cache can be read. If not, reads wait. */
  setReadable(informer, isReadable) {
    if (isReadable) this.#requests.release(informer).forEach((message) => this.#post(message));
    else this.#requests.hold(informer);
  }

  /** Rejects what waits for an answer about an informer. */
  reject = (owner, error) => this.#requests.reject(error, owner);

  number = () => ++this.#last;

  /** A number for an informer or a handler, whose messages go to `listener`. */
  listen(listener) {
    this.#listeners.set(this.number(), listener);
    return this.#last;
  }

  forget(id) {
    this.#listeners.delete(id);
    this.#said.forget(id);
  }

  /** Ends it; what waits is rejected with the reason. */
  end(error) {
    if (this.#ended) return;
    [this.#ended, this.#reason] = [true, error];
    this.#listeners.clear();
    this.#hangUp();
    this.#life.abort();
    this.#connected.reject(error);
    this.#requests.reject(error);
    this.onend(error);
  }

  /** The engine sends text, with all objects in it; whoever loads it, and tests, send what it means. */
  #receive(data, life) {
    const message = typeof data === "string" ? (followed(data) ?? this.parse(data)) : data;
    switch (message?.type) {
      case "connected": return this.#up();
      case "held":
        this.#place.lock = message.lock;
        return whenGone(message.lock, life.signal, () => this.#lost(life, internal("the worker has ended"), !this.#place.handsOver));
      case "refused": {
        const error = fromReport(message.error);
        return error.code === "internal" ? this.#lost(life, error) : this.end(error);
      }
      case "reply":
      case "failed":
        return this.#requests.settle(message);
      default:
        // There may be none: what has been let go.
        return this.#listeners.get(message?.handler ?? message?.view ?? message?.follow ?? message?.informer)?.(message);
    }
  }
}
