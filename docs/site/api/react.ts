/**
 * Hooks for React 18 and later. The guide has an introduction.
 *
 * @module kube-informer/react
 */
export * from "../../../informer/npm/src/react.js";
