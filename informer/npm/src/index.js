import { connectTo } from "./connect.js";
import { init as initFrom } from "./wasm.js";
import { deferredURL, wasmURL } from "./wasm-url.js";

export { InformerError } from "./error.js";

export const init = (wasm = wasmURL()) => initFrom(wasm);
export const connect = (options) => connectTo(options, { engine: wasmURL(), deferred: deferredURL() });
