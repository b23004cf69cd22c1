// Loader of deferred.wasm: views, indexes by path, work queues, snapshots, WebSockets. It is fetched on first use.
import { compile } from "./wasm.js";

let engine;
let build;
let source;
let loading;
let fetched; // the compiled module, if it was prefetched

/** Sets the engine that the file is linked with. */
export function attach(exports, module) {
  engine = exports;
  build = buildOf(module);
}

/** Sets the source of the file; the last call before loading counts. `prefetch` fetches it now. */
export function offer(deferred, prefetch) {
  source = deferred ?? source;
  if (!prefetch || loading || fetched || source === undefined) return;
  fetched = compile(source);
  // The first use tries again, and reports the error.
  fetched.catch(() => (fetched = undefined));
}

/** Called by the engine, again after a failure. Calls a function of its table back, once. */
export async function __wasm_split_load_deferred(callback, data) {
  let loaded = false;
  try {
    loading ??= join();
    await loading;
    loaded = true;
  } catch (error) {
    loading = undefined;
    console.error(`kube-informer: deferred.wasm could not be loaded: ${error?.message ?? error}`);
  }
  engine.__indirect_function_table.get(callback)(data, loaded);
}

async function join() {
  if (source === undefined) throw new Error("its source is unknown: pass the option `deferred` to connect(), as you pass `wasm`");
  const module = await (fetched ?? compile(source));
  // The files share memory and functions by index: a file of another build would corrupt both.
  if (buildOf(module) !== build) throw new Error("it is of another build than informer.wasm: deploy both together");
  return WebAssembly.instantiate(module, { __wasm_split: engine });
}

/** The build's id, which is in both files. */
const buildOf = (module) => new Uint8Array(WebAssembly.Module.customSections(module, "kube-informer")[0] ?? 0).join();
