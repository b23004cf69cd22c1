// Connection of a page to its engine: ids, requests, routing of messages to listeners, and replacement of an engine that fails.
import { Deadline, engineStarts, workerAnswers } from "./deadline.js";
import { fromReport, internal, InformerError } from "./error.js";
import { hold, whenGone } from "./locks.js";
import { followed } from "./object.js";
import { deferred, onAbort } from "./promises.js";
import { Requests } from "./requests.js";
import { Restarts } from "./restarts.js";
import { ReplayLog } from "./replay-log.js";

/** `PROTOCOL_VERSION` of the engine's messages. */
const PROTOCOL_VERSION = 15;

export class Connection {
  #settings;
  #host;
  #last = 0;
  #replayLog = new ReplayLog();
  #requests = new Requests();
  #listeners = new Map();
  #connected = deferred();
  #life = new AbortController(); // of the current port, or of the one that is being opened
  #isOpen = false;
  #isGreeted = false; // `connect` was sent: recorded messages follow it, before the engine has loaded
  #isUp = false;
  #wasUp = false;
  #unsent = []; // messages that were sent while no engine was up
  #restarts = new Restarts();
  #deadline;
  #ended = false; #reason;
  parse; generation = 0; // number of the current engine
  onend = () => {}; // called once, with the reason, at the end of the connection

  /** `dial` resolves to an engine host (engine-host.js), whether to persist, and the sources of the wasm; `parse` reads JSON. */
  constructor(settings) {
    [this.#settings, this.parse] = [settings, settings.parse];
    this.#deadline = new Deadline(settings.timeoutMs);
  }

  /** Resolves when the first engine responds. */
  connect() {
    this.#dial(this.#life);
    return this.#connected.promise;
  }

  async #dial(life) {
    const lost = (error) => this.#lost(life, error);
    const wait = (what) => life.signal.aborted || this.#deadline.begin(what, lost);
    try {
      wait(workerAnswers());
      // Once the engine is up, its errors arrive through the port.
      const { host, persist, ...wasm } = await this.#settings.dial((error) => this.#isUp || lost(error), life.signal, wait);
      if (life.signal.aborted) return host.close();
      this.#host = host;
      this.#isOpen = true;
      wait(host.hasAnswered ? engineStarts(wasm.wasm) : workerAnswers(host.url));
      host.port.onmessage = ({ data }) => {
        if (life.signal.aborted) return;
        if (!this.#isUp) wait(engineStarts(wasm.wasm));
        this.#receive(data, life);
      };
      // An elected worker may end before it has sent the lock that it holds for this page.
      this.#receive({ type: "lock", lock: host.lock }, life);
      host.port.onmessageerror = () => this.end(internal("a message from the engine could not be deserialised"));
      host.port.postMessage({ type: "wasm", ...wasm, persist, lock: await hold(life.signal) });
      if (life.signal.aborted) return;
      host.port.postMessage({ type: "connect", version: PROTOCOL_VERSION, url: this.#settings.url, ...this.#settings.access.options, persist });
      this.#isGreeted = true;
      for (const message of this.#replayLog.messages()) this.#post(message);
    } catch (error) {
      lost(error instanceof InformerError ? error : internal(`connecting failed: ${error.message}`, error));
    }
  }

  #up() {
    this.generation++;
    this.#deadline.end();
    this.#isUp = this.#wasUp = true;
    for (const message of [...this.#requests.messages(), ...this.#unsent.splice(0)]) this.#post(message);
    this.#connected.resolve();
  }

  /** After the engine has ended: starts a replacement, if one is possible, and replays the log to it. */
  #lost(life, error, isCrash = true) {
    if (life.signal.aborted) return;
    // An engine in the page ends only with the page.
    const { isReopenable, isInPage, lock } = this.#host ?? {};
    const pause = !isReopenable || (isCrash && (isInPage || !this.#wasUp)) ? undefined : isCrash ? this.#restarts.next() : 0;
    if (pause === undefined) return this.end(error);
    this.#hangUp(isCrash && error);
    const next = this.#life;
    const again = () => setTimeout(() => next.signal.aborted || this.#dial(next), pause);
    // A crashed shared worker is found by its name until it is gone.
    if (isCrash && lock && error.code !== "timeout") whenGone(lock, next.signal, again);
    else again();
  }

  #hangUp(error) {
    this.#deadline.end();
    this.#life.abort();
    this.#life = new AbortController();
    if (this.#isOpen) this.#post({ type: "close" }), this.#host.close();
    const wasUp = this.#isUp;
    this.#isOpen = this.#isGreeted = this.#isUp = false;
    if (wasUp) for (const listener of [...this.#listeners.values()]) listener({ type: "disconnected", error });
  }

  #post = (message) => this.#host.port.postMessage(message);

  /** The page enters the back/forward cache or ends: closes the port without events. */
  leave = () => this.#ended || this.#hangUp();

  /** The page leaves the back/forward cache. */
  back() {
    if (this.#ended) return;
    if (this.#host?.isReopenable) this.#dial(this.#life);
    else this.end(new InformerError("closed", "the page was in the back/forward cache, and its worker cannot be reopened: call connect() again", { retryable: true }));
  }

  /** Sends a message once: now, or when an engine is up. */
  send(message) {
    if (!this.#ended) this.#isUp ? this.#post(message) : this.#unsent.push(message);
  }

  /** Records a message in the replay log until `close(id)`, and sends it, unless this engine has it already. */
  open(id, message, isSent = false) {
    this.#replayLog.record(id, message);
    if (!isSent && this.#isGreeted) this.#post(message);
  }

  /** Sends a request about the informer `owner`. An abort of the signal cancels it. A listener receives every response after the first. */
  request(message, owner, signal) {
    if (this.#ended) return Promise.reject(this.#reason);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { request = this.number() } = message;
    const unsubscribe = onAbort(signal, () => this.send({ type: "cancel", request }));
    message = { ...message, request };
    const answer = this.#requests.add(message, owner, signal);
    if (this.#isUp && this.#requests.isDue(message)) this.#post(message);
    return answer.finally(unsubscribe);
  }

  /** Releases or holds back the reads of an informer: its cache is complete, or being filled again. */
  setReadable(informer, isReadable) {
    if (isReadable) this.#requests.release(informer).forEach((message) => this.#post(message));
    else this.#requests.hold(informer);
  }

  /** Rejects the pending requests about an informer. */
  reject = (owner, error) => this.#requests.reject(error, owner);

  number = () => ++this.#last;

  /** A new id, whose messages go to `listener`. */
  listen(listener) {
    this.#listeners.set(this.number(), listener);
    return this.#last;
  }

  /** Removes the listener and the recorded message of an id. */
  close(id) {
    this.#listeners.delete(id);
    this.#replayLog.delete(id);
  }

  /** Ends the connection; pending requests are rejected with the error. */
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

  /** The engine sends JSON text; the host, and tests, send objects. */
  #receive(data, life) {
    const message = typeof data === "string" ? (followed(data) ?? this.parse(data)) : data;
    switch (message?.type) {
      case "connected": return this.#up();
      case "lock":
        this.#host.lock = message.lock;
        return whenGone(message.lock, life.signal, () => this.#lost(life, internal("the worker has ended"), !this.#host.handsOver));
      case "askHeaders": return this.#settings.access.answer(message.request, (answer) => life.signal.aborted || this.#post(answer));
      case "refused": {
        const error = fromReport(message.error);
        return error.code === "internal" ? this.#lost(life, error) : this.end(error);
      }
      case "reply":
      case "failed":
        return this.#requests.settle(message) ?? this.#listeners.get(message.request)?.(message);
      default:
        // A closed id has no listener.
        return this.#listeners.get(message?.handler ?? message?.view ?? message?.follow ?? message?.informer)?.(message);
    }
  }
}
