// Loader of the page's second wasm file and of its style sheets: all or nothing. The build replaces an import in
// wasm-bindgen's glue with it (web/build/main.mjs). The glue's `initSync` returns the exports of the first file once
// that runs. See web/src/deferred.rs.
let deferredLoading;
const import1 = {
  /** Loads the file; the wasm may call it again after a failure. Calls `callback`, a function of the wasm's table, once. */
  async __wasm_split_load_deferred(callback, data) {
    const exports = initSync();
    let loaded = false;
    try {
      deferredLoading ??= loadDeferred(exports);
      await deferredLoading;
      loaded = true;
    } catch (error) {
      deferredLoading = undefined;
      // Only a warning: the page retries when the server is back, and shows an error in the parts that need the file.
      console.warn(`The deferred part of the dashboard could not be loaded: ${error?.message ?? error}`);
    }
    exports.__indirect_function_table.get(callback)(data, loaded);
  },
};

async function loadDeferred(exports) {
  // From the same build: both names contain the hash.
  const url = import.meta.url.replace(/\.js$/, '_deferred.wasm');
  const [response] = await Promise.all([fetch(url), ...['object.css', 'columns.css', 'namespaces.css', 'timeline.css', 'inspector.css'].map(loadStyle)]);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  // Without the wasm MIME type, streaming compilation fails.
  await WebAssembly.instantiate(await response.arrayBuffer(), { __wasm_split: exports });
}

const loadStyle = (name) =>
  new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: new URL(name, import.meta.url).href });
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error(`${link.href}: no style`));
    };
    document.head.append(link);
  });
