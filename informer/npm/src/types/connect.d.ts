/** Where the bytes of `kube-informer/informer.wasm` are. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module | Promise<WasmSource>;

export interface ConnectOptions {
  /** `kubectl proxy`, or any prefix that leads to an apiserver; the page's own origin unless told. */
  url?: string | URL;
  /**
   * Where the engine runs: `"shared"` is one for all tabs; `"elected"` is the same where there is no `SharedWorker`, in the
   * worker of one tab, and when that tab goes, in another's; `"dedicated"` is one for this page, `false` is in the page.
   * Unless told, the first of these that there is and that the browser does not refuse. A worker of your own must run
   * `kube-informer/worker`; a `SharedWorker` and a `MessagePort` serve one `connect()`.
   *
   * An engine may go: its tab is closed, it crashes (told as `error` of each informer, code "internal"; after three times
   * in a minute it is given up), or the page is put away in the back/forward cache. Then another one takes over all that
   * is open here, unless the worker was yours. Meanwhile `freshness` is "catching-up" and `phase` "reconnecting"; views keep
   * their rows, what was asked is answered later, and handlers are told of what is different and of nothing else.
   */
  worker?: "shared" | "elected" | "dedicated" | false | Worker | SharedWorker | MessagePort;
  /** A `WebAssembly.Module` cannot be sent to a shared worker: give the URL or the bytes. */
  wasm?: WasmSource;
  /**
   * Where the bytes of `kube-informer/deferred.wasm` are, which are fetched when somebody first wants a view, an index over
   * a path, a work queue, `resources()`, `inspect()`, snapshots, or more connections than a browser has. Beside the wasm unless told, if that is a URL.
   */
  deferred?: WasmSource;
  /**
   * Whether caches outlive the worker, in IndexedDB: the next time, informers show at once what was known (`hasSynced` is
   * false, and `lastContactAt` says from when it is), and resume from there without a list. Unless told, so in a shared
   * worker. What is shown is of this cluster and this user; what is stored can be read by every script of this origin and
   * by whoever can read the browser's files. Never stored are resources whose name has `secret`, `token`, `credential`,
   * `password` or `configmap` in it. It takes `deferred.wasm`.
   */
  persist?: boolean;
  /** `resync` of the informers that do not say otherwise; 0, which is never, unless told. */
  defaultResync?: number;
  /**
   * What becomes of integers beyond `Number.MAX_SAFE_INTEGER` (2^53 - 1) in objects. `"number"`, the default, rounds them as
   * `JSON.parse` does; `"bigint"` gives a `BigInt`, and `"text"` the digits as a string. All other numbers are numbers.
   * Columns of a view are texts, with each number as the server wrote it, whatever is said here.
   */
  largeIntegers?: "number" | "bigint" | "text";
  /**
   * How long the worker may take to answer, and then its engine to load and start, in milliseconds: 10,000 by default,
   * `Infinity` for as long as it takes. An engine that takes over from another one has as long.
   */
  timeoutMs?: number;
  /** Gives up connecting, or shuts the factory down. */
  signal?: AbortSignal;
}
