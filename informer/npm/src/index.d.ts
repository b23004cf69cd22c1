// Types of the package `kube-informer`: `connect()`, `init()`, and all types under types/.
//
// `Disposable` is not in the `lib` of most projects.
/// <reference lib="esnext.disposable" />
import type { ConnectOptions, WasmSource } from "./types/connect.js";
import type { SharedInformerFactory } from "./types/factory.js";

export * from "./types/aggregate.js";
export * from "./types/client.js";
export * from "./types/connect.js";
export * from "./types/error.js";
export * from "./types/event_handler.js";
export * from "./types/exec.js";
export * from "./types/factory.js";
export * from "./types/indexer.js";
export * from "./types/informer.js";
export * from "./types/informer_options.js";
export * from "./types/inspection.js";
export * from "./types/logs.js";
export * from "./types/object.js";
export * from "./types/recording.js";
export * from "./types/resource.js";
export * from "./types/search.js";
export * from "./types/status.js";
export * from "./types/table.js";
export * from "./types/view.js";
export * from "./types/workqueue.js";

/**
 * Compiles the engine in the page, before `connect()` needs it.
 *
 * Optional and idempotent. The first call that succeeds decides; later calls return its module. A `connect()` without
 * `wasm` uses the same source.
 *
 * @param wasm Source of `informer.wasm`. Default: the file in the package's `dist/`.
 * @throws {InformerError} `"bad-request"` if `wasm` is not a source of WebAssembly (the promise rejects). A download or
 * compilation that fails rejects with the browser's error; calling `init()` again retries.
 */
export function init(wasm?: WasmSource): Promise<WebAssembly.Module>;

/**
 * Connects to an engine, starting one if necessary, and returns an informer factory for one apiserver.
 *
 * `connect()` does not contact the apiserver, so an unreachable apiserver does not reject. It shows in the status of
 * each informer instead.
 *
 * ```ts
 * const factory = await connect({ url: "http://127.0.0.1:8001" });
 * ```
 *
 * @throws {InformerError} (the promise rejects)
 * - `"bad-request"` if an option is unknown or has the wrong type. The message names the option. All other calls of
 *   the package check their options in the same way.
 * - `"timeout"` if the worker or the wasm file does not respond within `timeoutMs`. The message names its URL.
 * - `"internal"` if the worker file is missing or does not run. The message names its URL.
 */
export function connect(options?: ConnectOptions): Promise<SharedInformerFactory>;
