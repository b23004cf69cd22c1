// React hooks: the factory, informers, views, objects and statuses as values of a component. Entry `kube-informer/react`.
//
// Everything is opened in an effect, because a render may be discarded, and is released by its cleanup. Options are compared by
// their JSON, so that they may be written where they are used.
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { IDLE } from "./status.js";
import { NO_VIEW, viewStore } from "./view-store.js";

export { useSuspenseInformer, useSuspenseObject, useSuspenseView } from "./suspense.js";

const CONNECTING = Object.freeze({ factory: null, error: null });
const unsubscribed = () => () => {};

/** Subscribes to a store; `empty` is the value without one, and on a server. */
function useStore(store, empty) {
  const none = () => empty;
  return useSyncExternalStore(store?.subscribe ?? unsubscribed, store?.getSnapshot ?? none, none);
}

/**
 * Opens something in an effect, again if `inputs` change, and closes it. Returns it, or null until it is open. What `open` throws is
 * thrown by the component, unless the informer or the factory has been closed: then a render with another one follows.
 */
function useOpened(open, close, inputs) {
  const [{ opened, error }, set] = useState({ opened: null, error: null });
  useEffect(() => {
    let own = null;
    try {
      own = open();
    } catch (thrown) {
      set({ opened: null, error: thrown.code === "closed" ? null : thrown });
      return undefined;
    }
    set({ opened: own, error: null });
    return () => own && close(own);
  }, inputs);
  if (error) throw error;
  return opened;
}

export function useFactory(connect, options = {}) {
  const [state, set] = useState(CONNECTING);
  // A function is not in the JSON. That of the last render is called, which may have a newer token.
  const last = useRef(options);
  useEffect(() => void (last.current = options));
  useEffect(() => {
    const life = new AbortController();
    const unlessAborted = (next) => life.signal.aborted || set(next);
    const headers = typeof options.headers === "function" ? () => last.current.headers() : options.headers;
    connect({ ...options, headers, signal: life.signal }).then(
      (factory) => unlessAborted({ factory, error: null }),
      (error) => unlessAborted({ factory: null, error }),
    );
    return () => {
      life.abort();
      set(CONNECTING);
    };
  }, [connect, JSON.stringify({ ...options, headers: typeof options.headers === "function" ? "function" : [...new Headers(options.headers)] })]);
  return state;
}

export function useInformer(factory, resource, options) {
  const open = () => {
    if (!factory) return null;
    const informer = factory.forResource(resource, options);
    factory.start();
    return informer;
  };
  return useOpened(open, (informer) => informer.stop(), [factory, JSON.stringify([resource, options])]);
}

export function useStatus(informer) {
  const store = useMemo(
    () =>
      informer && {
        subscribe: (callback) => {
          informer.addEventListener("status", callback);
          return () => informer.removeEventListener("status", callback);
        },
        getSnapshot: () => informer.status,
      },
    [informer],
  );
  return useStore(store, IDLE);
}

export function useObject(informer, key) {
  const store = useOpened(() => (informer && key ? informer.object(key) : null), (opened) => opened.close(), [informer, key]);
  return useStore(store, undefined);
}

export function useView(informer, options = {}) {
  const { columns, extraColumns, labelSelector, ...query } = options;
  const changing = JSON.stringify(query);
  const applied = useRef(changing);
  const open = () => {
    applied.current = changing;
    return informer ? viewStore(informer.view(options)) : null;
  };
  const store = useOpened(open, ({ view }) => view.close(), [informer, JSON.stringify([columns, extraColumns, labelSelector])]);
  useEffect(() => {
    if (!store || applied.current === changing) return;
    applied.current = changing;
    store.view.change(query);
  }, [store, changing]);
  return useStore(store, NO_VIEW);
}
