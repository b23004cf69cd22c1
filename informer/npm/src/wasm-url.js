// URLs of the wasm files. Bundlers copy the files for importers of this module; kube-informer/slim does not import it.
export const wasmURLs = () => ({
  engine: new URL("./informer.wasm", import.meta.url),
  deferred: new URL("./deferred.wasm", import.meta.url),
  extras: new URL("./extras.wasm", import.meta.url),
});
