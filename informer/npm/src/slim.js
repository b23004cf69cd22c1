// The entry `kube-informer/slim`: `connect()` without built-in URLs of the wasm files, which the caller passes.
import { connectTo } from "./connect.js";

export { InformerError } from "./error.js";
export { init } from "./wasm.js";

export const connect = (options) => connectTo(options);
