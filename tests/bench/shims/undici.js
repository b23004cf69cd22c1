// `undici`: the browser's fetch. Browsers need no dispatcher.
export const fetch = (url, { dispatcher, ...init } = {}) => globalThis.fetch(url, { cache: 'no-store', ...init });
export class Agent {}
export class ProxyAgent {}
export class FormData extends globalThis.FormData {}
