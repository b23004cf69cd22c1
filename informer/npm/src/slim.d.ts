import type { ConnectOptions, SharedInformerFactory, WasmSource } from "./index.js";

export type * from "./index.js";
export { InformerError } from "./index.js";

/** Compiles the engine in the page. Idempotent: the first call that succeeds decides. */
export function init(wasm: WasmSource): Promise<WebAssembly.Module>;

/** As in `kube-informer`, but the wasm must come from `wasm` or from `init`. */
export function connect(options?: ConnectOptions): Promise<SharedInformerFactory>;
