// URLs of the wasm files. Bundlers copy the files for importers of this module; kube-informer/slim does not import it.
export const wasmURL = () => new URL("./informer.wasm", import.meta.url);
export const deferredURL = () => new URL("./deferred.wasm", import.meta.url);
