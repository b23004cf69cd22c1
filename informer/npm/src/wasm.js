// Where the engine's code comes from. A page names it; whoever hosts the engine compiles it.
import { badRequest } from "./error.js";

/** What `init` was given, as `{ given, module }`: promises of what can be sent, and of the compiled module. */
let initialised;

/** Compiles in the page. The first call decides; a failed one may be repeated. */
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

/** What to tell the engine's host: an absolute URL, bytes, or (not across processes) a module. */
export async function sourceFor(source, isShared, fallback) {
  const found =
    source === undefined && initialised
      ? await (isShared ? initialised.given : initialised.module)
      : await sendable(source ?? fallback);
  return toSend(found, isShared);
}

/** The same of the second file, whose lack hurts nobody who opens no view. Beside the first one unless told. */
export async function deferredFor(source, isShared, fallback, engine) {
  if (source !== undefined || fallback !== undefined) return toSend(await sendable(source ?? fallback), isShared);
  return typeof engine === "string" && /^https?:/.test(engine) ? new URL("deferred.wasm", engine).href : undefined;
}

function toSend(found, isShared) {
  // It would arrive as a messageerror, which tells nobody anything.
  if (isShared && found instanceof WebAssembly.Module) {
    throw badRequest("a WebAssembly.Module cannot be sent to a shared worker: give its URL or its bytes");
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

/** What relative URLs are relative to, in a page and in a worker. */
export const baseURL = () => globalThis.document?.baseURI ?? location.href;

async function bytes(response) {
  if (!response.ok) throw new Error(`HTTP ${response.status} for ${response.url}`);
  return response.arrayBuffer();
}

/** A module from what `sendable` made. */
export async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== "string") return WebAssembly.compile(source);
  const response = await fetch(source);
  // Compiling while it loads wants the right media type, which not every server knows.
  const streams = response.ok && /^application\/wasm\b/.test(response.headers.get("content-type") ?? "");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await bytes(response));
}
