// URLs of the wasm files. Bundlers copy the files for importers of this module; kube-informer/slim does not import it.
import { packageURL } from "./package-url.js";

export const wasmURLs = () => ({
  engine: packageURL(new URL("./informer.wasm", import.meta.url)),
  deferred: packageURL(new URL("./deferred.wasm", import.meta.url)),
  extras: packageURL(new URL("./extras.wasm", import.meta.url)),
  protobuf: packageURL(new URL("./protobuf.wasm", import.meta.url)),
});
