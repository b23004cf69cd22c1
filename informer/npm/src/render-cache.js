// Render cache: what renders have opened for components that are not mounted yet. For the hooks that suspend (suspense.js).
//
// React discards the state of a component that suspends before it is mounted, and renders it again later. So what a render opens is
// cached here, by its owner and arguments, until a component that uses it is mounted. If none is, it is closed.
import { useEffect, useReducer, useRef } from "react";

/** Milliseconds until a suspended component is rendered again, and until what no render has used since then is closed. */
const CHECK_MS = 10_000;
/** Milliseconds that an error stays after it was thrown: React repeats a failed render. After them, a reset boundary opens anew. */
const ERROR_MS = 1_000;

/** What renders have opened for components that are not mounted yet: by owner (factory or informer), then by arguments. */
const cache = new WeakMap();

/** A source that a render has opened. At most one mounted component uses it. */
class Opened {
  #forget;
  #isUsed = true;
  #isMounted = false;
  #isClosed = false;
  #check;
  #unwatch = () => {};
  #promise;
  #wake;
  #settled;
  /** Resolves when it is ready, or has failed. */
  settled = new Promise((resolve) => (this.#settled = resolve));
  /** Null if the owner had been stopped. */
  source = null;
  isReady = false;
  error = null;

  /** With another `shape` of the arguments, another source is opened. */
  constructor(owner, shape, open, forget = () => {}) {
    [this.owner, this.shape, this.#forget] = [owner, shape, forget];
    try {
      this.source = open();
    } catch (thrown) {
      // A render with another owner follows.
      if (thrown.code !== "closed") throw thrown;
    }
    this.#wait();
    this.#check = setInterval(() => (this.#isUsed ? this.#wakeUp() : this.#close()), CHECK_MS);
    this.#unwatch = this.source?.watch?.(() => this.#settle()) ?? this.#unwatch;
    this.#settle();
  }

  /** In a render before it is mounted: suspends until it is ready. */
  use() {
    this.#settle();
    this.#isUsed = true;
    if (this.error) {
      setTimeout(() => this.#close(), ERROR_MS);
      throw this.error;
    }
    // Not `use()` of React 19: it wants the same calls in each render, also when nothing is awaited any more.
    if (!this.isReady) throw this.#promise;
  }

  /** Whether it is the caller's now: it may be another component's already, or closed. */
  mount() {
    if (this.#isMounted || this.#isClosed) return false;
    this.#isMounted = true;
    clearInterval(this.#check);
    this.#forget(this);
    return true;
  }

  /** Closes it, unless StrictMode mounts the component again. */
  unmount() {
    this.#isMounted = false;
    setTimeout(() => this.#isMounted || this.#close());
  }

  #settle() {
    if (this.isReady || this.error || !this.source) return;
    try {
      this.isReady = this.source.isReady?.() ?? true;
    } catch (thrown) {
      this.error = thrown;
    }
    if (!this.isReady && !this.error) return;
    this.#unwatch();
    this.#settled();
    this.#wakeUp();
  }

  /** Renews the promise that suspended components wait for. */
  #wait() {
    this.#promise = new Promise((resolve) => (this.#wake = resolve));
  }

  #wakeUp() {
    this.#isUsed = false;
    this.#wake();
    this.#wait();
  }

  #close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#check);
    this.#unwatch();
    this.#forget(this);
    this.source?.close();
    this.#wakeUp();
  }
}

/**
 * Returns a source that `open` opens: `{ close }`, and for those that are not ready at once `isReady()`, which may throw the error
 * that ends the wait, and `watch(callback)`. Suspends until it is ready. `shape` and `query` identify what `open` opens; a mounted component
 * keeps it while the shape is the same.
 */
export function useSource(owner, shape, query, open) {
  const held = useRef(null);
  const [, render] = useReducer((count) => count + 1, 0);
  const last = held.current;
  const opened = last?.owner === owner && last.shape === shape ? last : cached(owner, shape, `${shape}${query}`, open);
  if (opened !== last || opened.error) opened.use();
  useEffect(() => {
    let isMounted = true;
    const own = opened.mount() ? opened : new Opened(owner, shape, open);
    held.current = opened;
    // Another component has taken it, or it was closed while this one was hidden: its value stays until that of another one is there.
    if (own !== opened) {
      own.mount();
      own.settled.then(() => isMounted && ((held.current = own), render()));
    }
    return () => {
      isMounted = false;
      own.unmount();
    };
  }, [opened]);
  return opened.source;
}

function cached(owner, shape, key, open) {
  if (!cache.has(owner)) cache.set(owner, new Map());
  const entries = cache.get(owner);
  if (!entries.has(key)) entries.set(key, new Opened(owner, shape, open, (opened) => entries.get(key) === opened && entries.delete(key)));
  return entries.get(key);
}
