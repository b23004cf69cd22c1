// The only module that names the files: bundlers copy them for whoever imports this, and kube-informer/slim does not.
export const wasmURL = () => new URL("./informer.wasm", import.meta.url);
export const deferredURL = () => new URL("./deferred.wasm", import.meta.url);
