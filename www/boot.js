// What need not wait for the page's wasm, and so does not: the remembered theme, the engine's place with its own copy of
// the wasm, the wasm itself and its glue; and one sentence if that never comes.
(() => {
  // The names of the files, which have hashes in them: see Trunk.toml.
  const { js, wasm } = document.currentScript.dataset;
  const fileOf = (path) => path.split('/').at(-1);

  // Trusted Types policy, the only one of the page: it accepts the address of the worker and nothing else. It has no
  // `createHTML`, and there is no `default` policy: no string becomes HTML, wherever it comes from. Leptos would set
  // `innerHTML` for elements without dynamic parts; the dashboard has none (tests/e2e/csp.test.mjs).
  const rules = {
    createScriptURL(address) {
      if (/^worker\.js\?js=[\w.-]+&wasm=[\w.-]+$/.test(address)) return address;
      throw new TypeError(`${address} is not the address of the worker`);
    },
  };
  const policy = globalThis.trustedTypes?.createPolicy('kube-informer', rules) ?? rules;
  const script = policy.createScriptURL(`worker.js?js=${fileOf(js)}&wasm=${fileOf(wasm)}`);

  /** How a place is opened: the engine's end of a channel, and what closes it if that is this page's own. */
  const options = { type: 'module', name: 'kube-informer' };
  const openers = {
    shared(onError) {
      let worker;
      try {
        worker = new SharedWorker(script, options);
      } catch {
        // Where storage is blocked a browser may refuse it.
        return openers.dedicated(onError);
      }
      worker.onerror = onError;
      return { port: worker.port };
    },
    // Where there is no SharedWorker, one tab's worker serves all. What that takes is loaded only then. Two builds of the
    // page must not meet in one worker: it is named after its files.
    async elected(_, onFailed) {
      const { openElected } = await import('./elected.js');
      const start = () => new Worker(script, options);
      const { signal } = new AbortController();
      const { port, lock, close } = await openElected(`kube-informer-ui ${script}`, onFailed, signal, start);
      // A BroadcastChannel keeps nothing until somebody listens, and the page's wasm may take its time. The lock is heard
      // first, in the words of worker.js: the one who leads may go before it has said more.
      const early = lock ? [{ held: lock }] : [];
      port.onmessage = ({ data }) => early.push(data);
      return { port, close, early };
    },
    dedicated(onError) {
      const worker = new Worker(script, options);
      worker.onerror = onError;
      const { port1, port2 } = new MessageChannel();
      worker.postMessage(null, [port2]);
      return { port: port1, close: () => worker.terminate() };
    },
  };

  /** Where the engine shall live: the link may say so, or else it is what there is. */
  function kindOf(wanted) {
    if (wanted === 'off') return 'page';
    if (wanted === 'dedicated' || wanted === 'elected') return wanted;
    if (globalThis.SharedWorker) return 'shared';
    return globalThis.BroadcastChannel && navigator.locks ? 'elected' : 'dedicated';
  }
  const kind = kindOf(new URLSearchParams(location.search).get('worker'));

  /** A lock that this page holds as long as it lives; resolves to its name, or to nothing where there are no locks. */
  const alive = new Promise((resolve) => {
    if (!navigator.locks) return resolve();
    const name = `kube-informer-ui page ${crypto.randomUUID()}`;
    const held = () => {
      resolve(name);
      return new Promise(() => {});
    };
    return navigator.locks.request(name, held).catch(() => resolve());
  });

  /** Opens a place. `failed` resolves to what is wrong, and whether it is the script, which may have been running. */
  function open() {
    const opening = {};
    opening.failed = new Promise((tell) => {
      // Only an error that is thrown carries a sentence; a script that cannot be had comes as a bare event.
      const onError = ({ message }) => tell([message || 'its script could not be loaded', true]);
      const onFailed = ({ message }) => tell([message, false]);
      opening.place = (async () => {
        const place = await openers[kind](onError, onFailed);
        place.port.postMessage({ ahead: location.href });
        // Who waits for the lock must find it taken.
        place.port.postMessage({ page: await alive });
        return place;
      })();
      opening.place.catch(onFailed);
    });
    return opening;
  }
  let first = kind === 'page' ? undefined : open();

  // For web/src/worker.rs. The first place is on its way before anybody asks.
  globalThis.placeKind = () => kind;
  let current;
  globalThis.openPlace = (onOpen, onFailed) => {
    const opening = (current = first ?? open());
    first = undefined;
    const hear = ({ port, close, early = [] }) => {
      onOpen(port, close);
      for (const data of early) port.dispatchEvent(new MessageEvent('message', { data }));
    };
    opening.place.then(hear, () => {});
    // What is heard late of a place that was given up says nothing about the next one.
    opening.failed.then((how) => opening === current && onFailed(...how));
  };

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
