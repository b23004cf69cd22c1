// Changes of an informer, as an async iterator and as calls of an event handler.
import { refuse } from "./check.js";
import { InformerErrorEvent, internal } from "./error.js";

/**
 * An async iterator over batches; `subscribe` takes the settings of a registration. At most four batches wait here: for a
 * slow reader the engine merges changes.
 */
export function iterateChanges(subscribe) {
  const batches = [];
  const readers = [];
  let ended = false;
  let failure; // as `{ reason }`, until a call of `next()` has rejected with it
  const done = () => ({ value: undefined, done: true });

  const deliver = (message, isRemoved, acknowledge) => {
    const batch = { ...message, acknowledge };
    if (readers.length > 0) readers.shift().resolve({ value: read(batch), done: false });
    else batches.push(batch);
  };

  const onEnd = (reason) => {
    if (ended) return;
    ended = true;
    batches.length = 0;
    if (readers.length === 0) failure = { reason };
    else readers.shift().reject(reason);
    for (const reader of readers.splice(0)) reader.resolve(done());
  };

  const registration = subscribe({ deliver, onEnd });

  return {
    next() {
      if (batches.length > 0) return Promise.resolve({ value: read(batches.shift()), done: false });
      if (failure) {
        const { reason } = failure;
        failure = undefined;
        return Promise.reject(reason);
      }
      if (ended) return Promise.resolve(done());
      return new Promise((resolve, reject) => readers.push({ resolve, reject }));
    },
    return(value) {
      // The reader ends the iteration: no failure.
      ended = true;
      failure = undefined;
      batches.length = 0;
      for (const reader of readers.splice(0)) reader.resolve(done());
      registration.remove();
      return Promise.resolve({ value, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function read({ changes, resourceVersion, relist, acknowledge }) {
  acknowledge();
  return { changes: changes.map(readChange), resourceVersion, relist };
}

function readChange({ type, key, object, previous, isInInitialList = false, finalStateUnknown = false }) {
  const change = { type, key, isInInitialList, finalStateUnknown };
  if (type !== "update") return { ...change, object };
  const [before, after] = states(previous, object);
  return { ...change, object: after, previous: before };
}

/** The object before and after an update; in a resync, which has no `previous`, the same object twice. */
const states = (previous, object) => [previous ?? object, object];

/** Settings of a registration that calls an event handler, one change at a time. */
export function handled(informer, name, handler) {
  const isHandler = ["onAdd", "onUpdate", "onDelete"].every((name) => /undefined|function/.test(typeof handler?.[name]));
  if (typeof handler !== "object" || !handler || !isHandler) refuse("handler", "an object of functions: onAdd, onUpdate, onDelete");
  const deliver = ({ changes }, isRemoved, acknowledge) => {
    for (const change of changes) {
      if (isRemoved()) return;
      callHandler(informer, name, handler, change);
    }
    acknowledge();
  };
  return { deliver, onEnd() {} };
}

/** Calls a handler of an informer. An exception affects only that call: it becomes an `error` event. */
function callHandler(informer, name, handler, { type, object, previous, isInInitialList, finalStateUnknown }) {
  try {
    if (type === "add") handler.onAdd?.(object, isInInitialList);
    else if (type === "update") handler.onUpdate?.(...states(previous, object));
    else handler.onDelete?.(object, finalStateUnknown);
  } catch (thrown) {
    const error = internal(`an event handler of ${name} threw: ${thrown?.message ?? thrown}`, thrown);
    const isUnhandled = informer.dispatchEvent(new InformerErrorEvent(error, { cancelable: true }));
    // As with any listener of the platform: it is reported to the console, unless a listener prevents the default.
    if (isUnhandled) globalThis.reportError?.(thrown);
  }
}
