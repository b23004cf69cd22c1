// `url`: the browser's own classes.
export const URL = globalThis.URL;
export const URLSearchParams = globalThis.URLSearchParams;
