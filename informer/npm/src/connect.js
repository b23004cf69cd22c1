// connect(): validates the options, opens an engine host, and returns a factory.
import { number, optionsOf, period, refuse } from "./check.js";
import { Connection } from "./connection.js";
import { engineStarts } from "./deadline.js";
import { badRequest, InformerError } from "./error.js";
import { SharedInformerFactory } from "./factory.js";
import { openHost } from "./engine-host.js";
import { baseURL, lazyFor, sourceFor } from "./wasm.js";

/** Access without options: the proxy adds the credentials. See access.js. */
const plainAccess = { options: {}, headers: async () => [], allowsSockets: true };

const OPTIONS = "url headers credentials user fetch worker wasm deferred extras protobuf persist prestart awaitEngine maxStreams backoff defaultResync largeIntegers timeoutMs signal";

/** Connects to an engine. `files` are the default sources of the wasm. */
export async function connectTo(options, files = {}) {
  const { url, worker: kind, wasm, deferred, extras, protobuf, persist, prestart = [], awaitEngine = true, defaultResync, largeIntegers, timeoutMs = 10_000, signal, ...how } =
    optionsOf("connect()", OPTIONS, options);
  signal?.throwIfAborted();
  const server = serverURL(url);
  if (protobuf === false) how.json = true;
  const access = Object.values(how).some((value) => value !== undefined) ? new (await import("./access.js")).Access(how) : plainAccess;
  // A worker cannot call a function of the page. One of the user's own has requests of its own.
  const worker = kind ?? (access.fetch && false);
  if (access.fetch && typeof worker === "string") refuse("fetch", "used with `worker: false` or your own worker: a worker cannot call it");
  period("defaultResync", defaultResync);
  number("timeoutMs", timeoutMs, 1);
  if (!Array.isArray(prestart) || !prestart.every(Array.isArray)) refuse("prestart", "an array of [resource] or [resource, options]");
  // Most pages never load it.
  const parse = largeIntegers === undefined ? JSON.parse : (await import("./numbers.js")).reader(largeIntegers);
  let sources; // read once: a Response cannot be read twice
  const read = async (isShared) => {
    const engine = await sourceFor(wasm, isShared, files.engine);
    const beside = wasm === undefined ? files : {};
    const lazy = (name, source) => lazyFor(name, source, isShared, beside[name], engine);
    const all = { wasm: engine };
    for (const [name, source] of Object.entries({ deferred, extras, protobuf })) if (name !== "protobuf" || source !== false) all[name] = await lazy(name, source);
    return all;
  };
  const dial = async (onError, life, wait) => {
    const host = await openHost(worker, onError, life, wait, access.fetch);
    try {
      wait(engineStarts(wasm ?? files.engine));
      sources ??= read(host.isShared);
      return { host, persist: !!(persist ?? host.isShared), ...(await sources) };
    } catch (error) {
      host.close();
      throw error;
    }
  };
  const connection = new Connection({ dial, url: server, access, timeoutMs, parse });
  // Ends the connection when the signal is aborted.
  const factory = new SharedInformerFactory(connection, server, access, defaultResync, signal);
  try {
    factory.prestart(prestart);
    const connected = connection.connect();
    if (awaitEngine) await connected;
  } catch (error) {
    connection.end(error);
    throw error;
  }
  return factory;
}

/** The absolute URL of the server, without a trailing slash. */
function serverURL(url = "/") {
  let server;
  try {
    server = new URL(url, baseURL());
  } catch (cause) {
    throw new InformerError("bad-request", `\`url\` is not a valid URL: ${url}`, { cause });
  }
  const { protocol, search, hash, username, password } = server;
  if (!/^https?:$/.test(protocol) || search || hash || username || password) {
    throw badRequest(`${protocol}//${server.host} is not supported: \`url\` must be http or https, with host and path only`);
  }
  return `${server.origin}${server.pathname}`.replace(/\/+$/, "");
}
