// The only module that names the file: bundlers copy it for whoever imports this, and kube-informer/slim does not.
export const wasmURL = () => new URL("./informer.wasm", import.meta.url);
