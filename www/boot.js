// What need not wait for the page's wasm, and so does not: the remembered theme, the engine's worker with the informer that
// the page will ask for first, the wasm itself and its glue; and one sentence if that never comes.
(() => {
  // The names of the files, which have hashes in them: see web/build/page.mjs.
  const { js, wasm } = document.currentScript.dataset;

  /** The apiserver: where the page comes from. A link must not be able to present another cluster as the user's own. */
  function server(query) {
    const named = query.get('api');
    if (named === null) return location.origin;
    const { hostname } = new URL(named);
    if (['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return named;
    throw new Error(`?api= may name a server on this machine only, not ${JSON.stringify(hostname)}`);
  }

  /** The informers that a page at this address asks for first (web/src/source.rs): what is wrong here only comes later. */
  function first() {
    const [, resource, query] = /^#?\/?([^?]*)\??(.*)$/.exec(location.hash);
    const namespace = new URLSearchParams(query).get('namespace');
    // With a namespace it takes discovery to know whether the kind is in one; these are.
    if (namespace && !/\/(pods|deployments|statefulsets|daemonsets|replicasets|jobs|services|configmaps|events)$/.test(resource)) return [];
    if (resource && !/^([\w.-]+\/)?v\w+\/[a-z0-9.-]+$/.test(resource)) return [];
    return [[resource || 'v1/pods', namespace && /^[a-z0-9-]{1,63}$/.test(namespace) ? { namespace } : {}]];
  }

  /** Where the engine shall live: the link may say so, or else the package knows. */
  const places = { shared: 'shared', dedicated: 'dedicated', elected: 'elected', off: false };

  // For web/src/client.rs: the factory, as soon as the package is loaded. It reports the state of the engine.
  globalThis.kubeInformer = (async () => {
    const query = new URLSearchParams(location.search);
    const url = server(query);
    const { connect } = await import('./kube-informer/index.js');
    const worker = places[query.get('worker')];
    return connect({ url, worker, persist: true, prestart: first(), awaitEngine: false, timeoutMs: 60_000 });
  })();
  globalThis.kubeInformer.catch(() => {});

  // For web/src/parts.rs: parts of the page that are imported when they are first used.
  globalThis.kubeInformerPart = (file) => import(`./parts/${file}`);

  // It is compiled while it comes, and the glue is read meanwhile. Where that is refused (a server that does not say what it
  // is), the glue knows another way.
  const compiled = WebAssembly.compileStreaming(fetch(wasm)).catch(() => fetch(wasm));
  // This script runs in the middle of the page, which must be there before anything is put into it.
  const parsed = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));
  Promise.all([import(js), parsed]).then(([glue]) => glue.default({ module_or_path: compiled }));

  try {
    const theme = localStorage.getItem('kube-informer.theme');
    if (theme) document.documentElement.dataset.theme = theme;
  } catch {
    // No storage, no memory.
  }
  const fail = (reason) => {
    const says = document.getElementById('boot-says');
    // Once the app stands, it speaks for itself.
    if (!says || document.querySelector('.app')) return;
    says.setAttribute('role', 'alert');
    says.textContent = `The dashboard could not be started (${reason}). Reload the page; if that does not help, build it again.`;
  };
  addEventListener('unhandledrejection', (event) => fail(event.reason?.message ?? String(event.reason)));
  addEventListener('error', (event) => fail(event.message || 'a file is missing'), true);
})();
