// Loader of deferred.wasm: views, indexes by path, work queues, snapshots, WebSockets. It is fetched on first use.
import { compile } from "./wasm.js";

/** After this time an attempt counts as failed. The download continues, and the next attempt waits for it. */
const ATTEMPT_MS = 30_000;

let engine;
let build;
let source;
let loading;
let fetched; // the module that is being compiled

/** Sets the engine that the file is linked with. */
export function attach(exports, module) {
  engine = exports;
  build = buildOf(module);
}

/** Sets the source of the file; the last call before loading counts. `prefetch` fetches it now. */
export function offer(deferred, prefetch) {
  source = deferred ?? source;
  if (!prefetch || loading || source === undefined) return;
  // The first use tries again, and reports the error.
  download().catch(() => {});
}

function download() {
  if (!fetched) {
    fetched = compile(source);
    fetched.catch(() => (fetched = undefined));
  }
  return fetched;
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
  const module = await inTime(download());
  // The files share memory and functions by index: a file of another build would corrupt both.
  if (buildOf(module) !== build) {
    fetched = undefined;
    throw new Error("it is of another build than informer.wasm: deploy both together");
  }
  return WebAssembly.instantiate(module, { __wasm_split: engine });
}

/** Rejects if a download takes too long: until it ends, all messages of the page wait behind the one that needs it. */
function inTime(downloading) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the download has not ended after ${ATTEMPT_MS / 1000} s`));
    const timer = setTimeout(late, ATTEMPT_MS);
    downloading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The build's id, which is in both files. */
const buildOf = (module) => new Uint8Array(WebAssembly.Module.customSections(module, "kube-informer")[0] ?? 0).join();
