import type { InformerOptions } from "./informer_options.js";
import type { ResourceRef } from "./resource.js";

/** Source of a wasm file: its URL, a request or response for it, its bytes, or the compiled module. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module | Promise<WasmSource>;

/** Options of `connect()`. */
export interface ConnectOptions {
  /**
   * Base URL of the apiserver: `kubectl proxy`, or any other prefix under which its API is served. Absolute, or relative
   * to the page; `http` or `https`, without query, fragment, user name and password. Default: the page's own origin.
   */
  url?: string | URL;
  /**
   * Headers that authenticate the user, added to every request to the apiserver: lists, watches, probes, and the requests of
   * `factory.client`. A constant, or a function that is called before each request and may return a promise. Default: none;
   * `kubectl proxy` adds the credentials itself.
   *
   * ```ts
   * const factory = await connect({
   *   url: "https://cluster.example:6443",
   *   headers: async () => ({ Authorization: `Bearer ${await getToken()}` }),
   * });
   * ```
   *
   * - The function runs in this page, also if the engine runs in a worker, and must return quickly: cache the token, and
   *   renew it shortly before it expires. After a response 401 it is called once more, and the request is repeated.
   * - If it throws or rejects, the request is not sent and fails with code `"unauthorized"`; after 10 s without an answer, with
   *   `"timeout"`. Informers retry with backoff.
   * - The browser adds no headers to WebSockets. With `headers`, watches do not use them: over HTTP/1.1, more than four
   *   watches take turns. `client.exec()` and `client.attach()` send a bearer token as a subprotocol, which an apiserver reads.
   * - On another origin the server must allow the headers by CORS (`Access-Control-Allow-Headers`).
   * - Pages share informers if their constant headers and `user` are equal. Pages with functions share them if `user` is given and equal.
   * - Browsers drop some headers without an error, among them `Cookie`, `Host` and `Origin`. Redirects are not followed.
   *
   * Headers are kept in memory only. They are in no error, log or snapshot.
   */
  headers?: HeadersInit | (() => HeadersInit | undefined | Promise<HeadersInit | undefined>);
  /**
   * Requests that carry cookies and other credentials of the browser, as in `fetch`. Default: `"same-origin"`. With `"omit"`
   * no watch uses a WebSocket, because a WebSocket always carries cookies.
   */
  credentials?: RequestCredentials;
  /**
   * Name of the user that `headers` authenticates, such as the subject of its token. Pages of this origin with functions and the same
   * name share informers, and answer for each other's headers. It is needed for `persist`. Never give two users the same name: one would see the other's
   * objects. It is not sent to the server. Default: none; a page with a function shares with no other page.
   */
  user?: string;
  /**
   * Function that sends the requests in place of the global `fetch`, for tests and for transports of your own. It gets the URL
   * as a string and options as `fetch` does, must heed `signal`, and must resolve to a `Response`. It takes the place of WebSockets, too. A worker of the package cannot call it:
   *
   * - `worker` is `false` by default: the engine runs in the page and sends its requests through the function, too.
   * - With a worker of yours, the function sends the page's requests only. Give the worker a `fetch` of its own for the engine's.
   */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Where the engine runs.
   *
   * - `"shared"`: a `SharedWorker`, one for all tabs of the origin.
   * - `"elected"`: a dedicated worker of one tab that serves all tabs, for browsers without `SharedWorker`. The tab is
   *   chosen by leader election with a Web Lock. When it closes, another tab takes over.
   * - `"dedicated"`: a worker of this page alone.
   * - `false`: the page itself.
   * - a `Worker`, `SharedWorker` or `MessagePort` of yours. It must run `kube-informer/worker`. A `SharedWorker` object
   *   and a `MessagePort` serve one `connect()` each.
   *
   * Default: the first of `"shared"`, `"elected"`, `"dedicated"` and `false` that the browser supports and allows.
   *
   * An engine can end: its tab closes, its worker crashes, or the browser moves the page into the back/forward cache.
   * Unless the worker is yours, another engine replaces it and restores everything that is open:
   *
   * - Meanwhile `freshness` is `"catching-up"` and `phase` is `"reconnecting"`. Views keep their rows, and pending
   *   requests are completed by the replacement engine.
   * - Handlers receive only the differences between the two engines.
   * - A crash raises an `error` event with code `"internal"` on each informer. A fourth crash within one minute is final:
   *   the informers change to phase `"failed"`.
   */
  worker?: "shared" | "elected" | "dedicated" | false | Worker | SharedWorker | MessagePort;
  /**
   * Source of `informer.wasm`. Default: the file in the package's `dist/`. `kube-informer/slim` has no default. A shared
   * worker takes a URL or bytes; a `WebAssembly.Module` cannot be sent to it and rejects with `"bad-request"`.
   */
  wasm?: WasmSource;
  /**
   * Source of `deferred.wasm`, the second file of the engine. The engine loads it on first use of a view, `resources()`,
   * snapshots, the client's requests, the options `headers`, `credentials`, `user`, `fetch`, `maxStreams` and `backoff`, more watches than the browser has connections, and after ten seconds without data in
   * a visible page.
   *
   * Default: `deferred.wasm` in the folder of `wasm` if that is a URL. All files must come from the same build.
   */
  deferred?: WasmSource;
  /**
   * Source of `extras.wasm`, the third file of the engine. The engine loads it, and `deferred.wasm`, on first use of an
   * aggregate, a recording, an index over a path or a relation, a work queue, `search()` or `inspect()`.
   *
   * Default: `extras.wasm` in the folder of `wasm` if that is a URL.
   */
  extras?: WasmSource;
  /**
   * Source of `protobuf.wasm`, the fourth file of the engine, or `false` to request JSON only. The engine loads it, and `deferred.wasm`,
   * when a list of a built-in kind has more than one page (500 objects). The second page waits for it, for three seconds at most; if it
   * cannot be loaded, everything stays JSON. From then on the lists and watches of built-in kinds are protobuf, over HTTP:
   * about two thirds of the bytes on the wire, and half of the apiserver's CPU time.
   *
   * Objects are converted to the JSON that an apiserver of Kubernetes 1.36 would have sent; one of another version may write an empty
   * field that this omits, or omit one. Objects with fields that this version of the package does not know, and bytes that a gateway has
   * damaged, are not converted: the resource is requested as JSON again, from the page or the version where it was.
   *
   * Default: `protobuf.wasm` in the folder of `wasm` if that is a URL. Pages with `false` and pages without it do not share informers.
   */
  protobuf?: WasmSource | false;
  /**
   * Whether caches are persisted in IndexedDB. Default: true in a shared worker, false elsewhere. Loads `deferred.wasm`.
   *
   * After a reload, informers show the persisted objects at once. `hasSynced` is false until the server accepts their
   * version, and `lastContactAt` is the time they are from. The watch resumes from there without a list.
   *
   * Objects of another cluster or user are removed as soon as the server has answered. With `headers`, nothing is persisted unless `user`
   * names the user. Persisted objects are not encrypted: every script of this
   * origin can read them, and so can anyone with access to the browser's profile folder. Resources whose name contains
   * `secret`, `token`, `credential`, `password` or `configmap` are never persisted.
   */
  persist?: boolean;
  /**
   * Informers that the worker starts as soon as its engine has loaded, without waiting for the page: each as the arguments
   * of `forResource()`. The first `forResource()` with equal arguments takes over such an informer; one that no call takes
   * over within 20 s is stopped. Default: none.
   *
   * ```ts
   * await connect({ prestart: [["v1/pods", { namespace: "default" }]] });
   * ```
   */
  prestart?: readonly (readonly [resource: ResourceRef, options?: InformerOptions])[];
  /**
   * Whether `connect()` waits until an engine responds. Default: true. If false, it resolves at once, and informers and views
   * can be opened while the engine loads. If the engine cannot be started, `factory.closed` rejects and the informers fail.
   */
  awaitEngine?: boolean;
  /**
   * Maximum number of concurrent watches over HTTP, of all informers together; 1 or more. Further ones use WebSockets, which
   * have connections of their own, or take turns where these are not available. Default: no limit of its own. Over HTTP/1.1, where a
   * browser has six connections per host for all tabs, there are four in any case. Of the pages that share informers, the first one
   * decides.
   */
  maxStreams?: number;
  /**
   * Pauses between failed attempts: `initialMs` for the first one, multiplied by `factor` after each failure up to `maxMs`.
   * Each is stretched by a random factor between 1 and 2, and is never shorter than a server's `Retry-After` (up to five
   * minutes). Only a healthy period resets it. Default: client-go's 800, 30,000 and 2. Of the pages that share informers, the
   * first one decides.
   */
  backoff?: {
    /** Milliseconds; at least 1. */
    initialMs?: number;
    /** Milliseconds; at least `initialMs`. */
    maxMs?: number;
    /** At least 1. */
    factor?: number;
  };
  /** Default `resync` of informers, in milliseconds. 0 or at least 1,000. Default: 0, no resync. */
  defaultResync?: number;
  /**
   * How integers beyond `Number.MAX_SAFE_INTEGER` (2^53 − 1) appear in objects:
   *
   * - `"number"` (default): rounded, as by `JSON.parse`.
   * - `"bigint"`: exact, as `BigInt`.
   * - `"text"`: exact, as a string of digits.
   *
   * All other numbers are of type `number`. Columns of views are not affected: they are strings with the server's digits.
   */
  largeIntegers?: "number" | "bigint" | "text";
  /**
   * Time limit for the worker to respond, and again for the engine to load and start, in milliseconds. 1 or more;
   * `Infinity` waits forever. Default: 10,000. A replacement engine has the same limit.
   */
  timeoutMs?: number;
  /** Aborts `connect()`. Once connected, aborting shuts the factory down. */
  signal?: AbortSignal;
}
