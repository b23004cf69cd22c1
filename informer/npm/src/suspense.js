// Suspense: hooks that let a component wait until the first rows of its view, or its object, are there. Part of `kube-informer/react`.
import { useEffect, useSyncExternalStore } from "react";
import { badRequest } from "./error.js";
import { useSource } from "./render-cache.js";
import { viewStore } from "./view-store.js";

/** The server's answers about a resource. Other errors, such as `network`, are expected to pass while the component waits. */
const REFUSALS = ["unauthorized", "forbidden", "not-found", "bad-request"];

/** Factories by informer, for a retry. */
const factories = new WeakMap();

/** A source of an informer. `isThere` tells whether its first value is there. */
function sourceOf(informer, store, close, isThere) {
  const { lastError, nextRetryAt } = informer.status;
  const factory = lastError && factories.get(informer);
  factory?.retry();
  // The result of the retry counts.
  const before = factory ? nextRetryAt : null;
  const isReady = () => {
    if (isThere()) return true;
    const { phase, lastError: error, nextRetryAt: next } = informer.status;
    if (error && (phase === "failed" || (REFUSALS.includes(error.code) && next !== null && next !== before))) throw error;
    return false;
  };
  const watch = (callback) => {
    informer.addEventListener("status", callback);
    const unsubscribe = store.subscribe(callback);
    return () => {
      informer.removeEventListener("status", callback);
      unsubscribe();
    };
  };
  return { ...store, close, isReady, watch };
}

function required(hook, what, value) {
  if (!value) throw badRequest(`${hook}() needs ${what}: render the component once there is one`);
}

export function useSuspenseInformer(factory, resource, options) {
  required("useSuspenseInformer", "a factory", factory);
  const open = () => {
    const informer = factory.forResource(resource, options);
    factory.start();
    factories.set(informer, factory);
    return { informer, close: () => informer.stop() };
  };
  return useSource(factory, JSON.stringify([resource, options]), "", open).informer;
}

export function useSuspenseObject(informer, key) {
  required("useSuspenseObject", "an informer", informer);
  required("useSuspenseObject", "a key", key);
  const open = () => {
    const store = informer.object(key);
    const { subscribe, getSnapshot } = store;
    return sourceOf(informer, { subscribe, getSnapshot }, () => store.close(), () => getSnapshot() !== undefined);
  };
  const { subscribe, getSnapshot } = useSource(informer, JSON.stringify(["object", key]), "", open);
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

export function useSuspenseView(informer, options = {}) {
  required("useSuspenseView", "an informer", informer);
  const { columns, extraColumns, labelSelector, ...query } = options;
  const changing = JSON.stringify(query);
  const open = () => {
    const store = viewStore(informer.view(options));
    const isThere = () => {
      const { rows, hasSynced, error } = store.getSnapshot();
      if (error && error.code !== "bad-request") throw error;
      return rows.length > 0 || hasSynced || error !== null;
    };
    return { ...sourceOf(informer, store, () => store.view.close(), isThere), applied: changing };
  };
  const source = useSource(informer, JSON.stringify(["view", columns, extraColumns, labelSelector]), changing, open);
  useEffect(() => {
    if (source.applied === changing) return;
    source.applied = changing;
    source.view.change(query);
  }, [source, changing]);
  return useSyncExternalStore(source.subscribe, source.getSnapshot, source.getSnapshot);
}
