// The engine's second file: views, indexes over paths, work queues, WebSockets. It is fetched when one
// of them is first wanted.
import { compile } from "./wasm.js";

let engine;
let build;
let source;
let loading;
let fetched; // the compiled module, where it was fetched ahead

/** The engine that it belongs to. */
export function attach(exports, module) {
  engine = exports;
  build = buildOf(module);
}

/** Where a page says that it is: the last word counts, until it is there. `isWanted` fetches it at once. */
export function offer(deferred, isWanted) {
  source = deferred ?? source;
  if (!isWanted || loading || fetched || source === undefined) return;
  fetched = compile(source);
  // Who wants it later tries again, and is told.
  fetched.catch(() => (fetched = undefined));
}

/** For the engine, which may ask again after a failure. Calls a function of its table back, once. */
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
  if (source === undefined) throw new Error("nobody said where it is: give connect() `deferred` beside `wasm`");
  const module = await (fetched ?? compile(source));
  // The two share memory and functions by their numbers: with another build's, anything could happen.
  if (buildOf(module) !== build) throw new Error("it is not of the same build as informer.wasm: deploy both together");
  return WebAssembly.instantiate(module, { __wasm_split: engine });
}

/** What the build wrote into both of its files. */
const buildOf = (module) => new Uint8Array(WebAssembly.Module.customSections(module, "kube-informer")[0] ?? 0).join();
