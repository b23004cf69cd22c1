import { connectTo } from "./connect.js";

export { InformerError } from "./error.js";
export { init } from "./wasm.js";

export const connect = (options) => connectTo(options);
