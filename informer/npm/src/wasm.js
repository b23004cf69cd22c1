// Sources of the wasm: the page names them, and the engine's host compiles them.
import { badRequest } from "./error.js";

/** The source passed to `init`, as `{ given, module }`: promises of a sendable source, and of the compiled module. */
let initialised;

/** Compiles the engine in the page. Later calls return the same promise, unless it has failed. */
export function init(source) {
  if (!initialised) {
    const given = sendable(source);
    const attempt = { given, module: given.then(compile) };
    initialised = attempt;
    attempt.module.catch(() => {
      if (initialised === attempt) initialised = undefined;
    });
  }
  return initialised.module;
}

/** The source for the engine's host: an absolute URL, bytes, or a module (not for a shared worker). */
export async function sourceFor(source, isShared, fallback) {
  const found =
    source === undefined && initialised
      ? await (isShared ? initialised.given : initialised.module)
      : await sendable(source ?? fallback);
  return toSend(found, isShared);
}

/** The source of deferred.wasm, extras.wasm or protobuf.wasm; by default beside informer.wasm. Without it only its features fail. */
export async function lazyFor(name, source, isShared, fallback, engine) {
  source ??= fallback;
  if (source !== undefined) return toSend(await sendable(source), isShared);
  return typeof engine === "string" && /^https?:/.test(engine) ? new URL(`${name}.wasm`, engine).href : undefined;
}

function toSend(found, isShared) {
  // It would arrive as a messageerror event without a reason.
  if (isShared && found instanceof WebAssembly.Module) {
    throw badRequest("a WebAssembly.Module cannot be sent to a shared worker: pass its URL or its bytes");
  }
  return found;
}

async function sendable(source) {
  source = await source;
  if (typeof source === "string" || source instanceof URL) return new URL(source, baseURL()).href;
  if (source instanceof Request) source = await fetch(source);
  if (source instanceof Response) return bytes(source);
  if (source instanceof WebAssembly.Module || source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  throw badRequest("`wasm` must be a URL, Request, Response, bytes, or WebAssembly.Module of kube-informer/informer.wasm");
}

/** The base of relative URLs, in a page and in a worker. */
export const baseURL = () => globalThis.document?.baseURI ?? location.href;

async function bytes(response) {
  if (!response.ok) throw new Error(`HTTP ${response.status} for ${response.url}`);
  return response.arrayBuffer();
}

/** Compiles a source that `sendable` returned. */
export async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== "string") return WebAssembly.compile(source);
  const response = await fetch(source);
  // Streaming compilation requires the media type application/wasm, which not every server sends.
  const streams = response.ok && /^application\/wasm\b/.test(response.headers.get("content-type") ?? "");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await bytes(response));
}
