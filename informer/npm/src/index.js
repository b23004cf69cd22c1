// Entry of the package: `connect()` and `init()` with the URLs of the built wasm files, and `InformerError`.
import { connectTo } from "./connect.js";
import { init as initFrom } from "./wasm.js";
import { wasmURLs } from "./wasm-url.js";

export { InformerError } from "./error.js";

export const init = (wasm = wasmURLs().engine) => initFrom(wasm);
export const connect = (options) => connectTo(options, wasmURLs());
