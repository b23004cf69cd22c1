// Loader of the wasm files that the engine needs on first use of a feature: deferred.wasm has views, snapshots and WebSockets,
// extras.wasm aggregates, recordings, indexes by path, work queues, searches and inspections, and protobuf.wasm that format.
import { compile } from "./wasm.js";

/** After this time an attempt counts as failed. The download continues, and the next attempt waits for it. */
const ATTEMPT_MS = 30_000;

/** The same for a file that the engine works without: the second page of a list waits for it. */
const OPTIONAL_MS = 3_000;

let engine;
let build;

/** A file, which is named as the option of connect() for its source. */
class LazyFile {
  source;
  #name;
  #needed;
  #isOptional;
  #loading;
  #fetched; // the module that is being compiled

  /** `needed` is the file whose functions it calls. An optional one without a source is left out without a word. */
  constructor(name, needed, isOptional = false) {
    [this.#name, this.#needed, this.#isOptional] = [name, needed, isOptional];
  }

  /** Fetches it now. The first use tries again after a failure, and reports the error. */
  prefetch() {
    if (!this.#loading && this.source !== undefined) this.#download().catch(() => {});
  }

  /** Loads it, and the file that it needs, once. */
  load() {
    this.#loading ??= this.#join().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Loads it for the engine, and calls a function of its table back. */
  async loadFor(callback, data) {
    let loaded = false;
    try {
      await this.load();
      loaded = true;
    } catch (error) {
      if (!this.#isOptional || this.source !== undefined) console.error(`kube-informer: ${this.#name}.wasm could not be loaded: ${error?.message ?? error}`);
    }
    engine.__indirect_function_table.get(callback)(data, loaded);
  }

  async #join() {
    if (this.source === undefined) throw new Error(`its source is unknown: pass the option \`${this.#name}\` to connect(), as you pass \`wasm\``);
    const [module] = await Promise.all([inTime(this.#download(), this.#isOptional ? OPTIONAL_MS : ATTEMPT_MS), this.#needed?.load()]);
    // The files share memory and functions by index: a file of another build would corrupt all.
    if (buildOf(module) !== build) {
      this.#fetched = undefined;
      throw new Error("it is of another build than informer.wasm: deploy all files together");
    }
    const imports = { __wasm_split: engine };
    await WebAssembly.instantiate(module, imports);
    // deferred.wasm has its entry as a section: a second module, which the splitter makes because extras.wasm and protobuf.wasm need all the rest, too.
    for (const entry of WebAssembly.Module.customSections(module, "entry")) await WebAssembly.instantiate(entry, imports);
  }

  #download() {
    if (!this.#fetched) {
      this.#fetched = compile(this.source);
      this.#fetched.catch(() => (this.#fetched = undefined));
    }
    return this.#fetched;
  }
}

const deferred = new LazyFile("deferred");
const extras = new LazyFile("extras", deferred);
const protobuf = new LazyFile("protobuf", deferred, true);

/** Sets the engine that the files are linked with. */
export function attach(exports, module) {
  engine = exports;
  build = buildOf(module);
}

/** Sets the sources of the files; the last call before loading counts. `prefetch` fetches the deferred file now. */
export function offer(sources, prefetch) {
  deferred.source = sources.deferred ?? deferred.source;
  extras.source = sources.extras ?? extras.source;
  protobuf.source = sources.protobuf ?? protobuf.source;
  if (prefetch) deferred.prefetch();
}

/** Called by the engine, again after a failure. */
export const __wasm_split_load_deferred = (callback, data) => deferred.loadFor(callback, data);

/** Called by the engine, again after a failure. */
export const __wasm_split_load_extras = (callback, data) => extras.loadFor(callback, data);

/** Called by the engine, again after a failure. */
export const __wasm_split_load_protobuf = (callback, data) => protobuf.loadFor(callback, data);

/** Rejects if a download takes too long: until it ends, all messages of the page wait behind the one that needs it. */
function inTime(downloading, ms) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the download has not ended after ${ms / 1000} s`));
    const timer = setTimeout(late, ms);
    downloading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The build's id, which is in all files. */
const buildOf = (module) => new Uint8Array(WebAssembly.Module.customSections(module, "kube-informer")[0] ?? 0).join();
