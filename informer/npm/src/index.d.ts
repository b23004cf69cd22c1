import type { ConnectOptions, WasmSource } from "./types/connect.js";
import type { SharedInformerFactory } from "./types/factory.js";

export * from "./types/connect.js";
export * from "./types/error.js";
export * from "./types/event_handler.js";
export * from "./types/factory.js";
export * from "./types/indexer.js";
export * from "./types/informer.js";
export * from "./types/inspection.js";
export * from "./types/resource.js";
export * from "./types/status.js";
export * from "./types/view.js";
export * from "./types/workqueue.js";

/** Compiles the engine in the page. Optional and idempotent: the first call that succeeds decides. */
export function init(wasm?: WasmSource): Promise<WebAssembly.Module>;

/**
 * Opens a way to an apiserver. Rejects when the engine cannot be loaded; an apiserver that is away is no reason.
 *
 * A worker or a wasm that does not come within `timeoutMs` rejects with code "timeout" and is named by its URL; a worker
 * whose file cannot be run, with code "internal". An option that does not exist, here and in all other calls, and a value
 * of a wrong kind are errors that name the option (code "bad-request").
 */
export function connect(options?: ConnectOptions): Promise<SharedInformerFactory>;
