import type { ConnectOptions, SharedInformerFactory, WasmSource } from "./index.js";

export type * from "./index.js";
export { InformerError } from "./index.js";

/** Compiles the engine in the page. Idempotent: the first call that succeeds decides. */
export function init(wasm: WasmSource): Promise<WebAssembly.Module>;

/** Connects to an engine, as in `kube-informer`. Requires `options.wasm` or an earlier `init()`. */
export function connect(options?: ConnectOptions): Promise<SharedInformerFactory>;
