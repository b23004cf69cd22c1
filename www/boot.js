// Start of the page before its wasm: the stored theme and density, the engine's worker with the page's first informer, the wasm itself
// and its glue; and an error sentence if these cannot be loaded.
(() => {
  // The names of the files, which have hashes in them: see web/build/page.mjs.
  const { js, wasm } = document.currentScript.dataset;

  /**
   * The apiserver: the page's own origin, or the path prefix of its cluster there (web/parts/clusters.mjs). A link must not be able to
   * present another cluster as the user's own.
   */
  function server(query) {
    const named = query.get('api');
    if (named === null) return location.origin + (/^\/clusters\/[^/]+(?=\/ui\/)/.exec(location.pathname)?.[0] ?? '');
    const { hostname, origin } = new URL(named);
    // With several clusters, the others are on this origin: the page would act on one under the name of another.
    if (origin === location.origin) throw new Error('?api= may not name a server of this origin');
    if (['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return named;
    throw new Error(`?api= may name a server on this machine only, not ${JSON.stringify(hostname)}`);
  }

  /** The informers that a page at this address requests first (web/src/source.rs). A wrong guess only makes the rows later. */
  function first() {
    const [, path, query] = /^#?\/?([^?]*)\??(.*)$/.exec(location.hash);
    // The other screens begin with the pods, too.
    const resource = /^(overview|problems|changes|map|)$/.test(path) ? 'v1/pods' : path;
    const namespace = new URLSearchParams(query).get('namespace');
    // With a namespace, only discovery shows whether a kind is namespaced; these kinds are.
    if (namespace && !/\/(pods|deployments|statefulsets|daemonsets|replicasets|jobs|services|configmaps|events)$/.test(resource)) return [];
    if (!/^([\w.-]+\/)?v\w+\/[a-z0-9.-]+$/.test(resource)) return [];
    return [[resource, namespace && /^[a-z0-9-]{1,63}$/.test(namespace) ? { namespace } : {}]];
  }

  /** The engine host: from the link, otherwise the package's default. */
  const places = { shared: 'shared', dedicated: 'dedicated', elected: 'elected', off: false };

  /** Starts the simulated cluster of `?demo` (web/demo), whose files are beside the page in a build of `make demo` only. */
  const demo = async () => {
    document.documentElement.dataset.context = 'demo/context.json';
    const { start } = await import('./demo/page.js').catch((error) => {
      throw new Error(`the demo could not be loaded; a build of \`make demo\` has it: ${error.message}`);
    });
    return start();
  };

  // For web/src/client.rs: the factory, as soon as the package is loaded. It reports the state of the engine.
  globalThis.kubeInformer = (async () => {
    const query = new URLSearchParams(location.search);
    const cluster = query.has('demo') ? await demo() : { url: server(query), worker: places[query.get('worker')], persist: true };
    const { connect } = await import('./kube-informer/index.js');
    // For comparisons and for a gateway that damages binary bodies without a trace.
    const protobuf = query.get('wire') === 'json' ? false : undefined;
    return connect({ ...cluster, protobuf, prestart: first(), awaitEngine: false, timeoutMs: 60_000 });
  })();
  globalThis.kubeInformer.catch(() => {});

  // For web/src/parts.rs: parts of the page that are imported when they are first used.
  globalThis.kubeInformerPart = (file) => import(`./parts/${file}`);

  // Compiled while it arrives, in parallel with the glue. If streaming compilation is rejected (a server without the media
  // type), the glue compiles the fetched bytes.
  const compiled = WebAssembly.compileStreaming(fetch(wasm)).catch(() => fetch(wasm));
  // This script runs in the middle of the page, which must be complete before anything is added to it.
  const parsed = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));
  Promise.all([import(js), parsed]).then(([glue]) => glue.default({ module_or_path: compiled }));

  try {
    for (const name of ['theme', 'density']) {
      const choice = localStorage.getItem(`kube-informer.${name}`);
      if (choice) document.documentElement.dataset[name] = choice;
    }
  } catch {
    // No storage, no memory.
  }
  const fail = (reason) => {
    const says = document.getElementById('boot-says');
    // Once the app is mounted, it shows its errors itself.
    if (!says || document.querySelector('.app')) return;
    says.setAttribute('role', 'alert');
    says.textContent = `The dashboard could not be started (${reason}). Reload the page; if that does not help, build it again.`;
  };
  addEventListener('unhandledrejection', (event) => fail(event.reason?.message ?? String(event.reason)));
  addEventListener('error', (event) => fail(event.message || 'a file is missing'), true);
})();
