/**
 * Types and functions of `kube-informer`. `kube-informer/slim` has the same ones, and no default for the sources of the wasm files.
 *
 * @module kube-informer
 */
export * from "../../../informer/npm/src/index.js";
