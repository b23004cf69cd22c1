// Package URL: the URL of a file of the package, as a dev server serves it.

/**
 * Returns the URL of a worker or wasm file. The dev servers of Vite 5 to 7 bundle the package's code into
 * `node_modules/.vite/deps/`, but serve its other files only from the package's folder; Vite 8 writes that folder itself.
 */
export const packageURL = (url) => String(url).replace("/node_modules/.vite/deps/", "/node_modules/kube-informer/dist/");
