import { Connection } from "./connection.js";
import { badRequest, internal, InformerError } from "./error.js";
import { SharedInformerFactory } from "./factory.js";
import { openPlace } from "./place.js";
import { deferred, onAbort } from "./promises.js";
import { whole } from "./resource.js";
import { baseURL, sourceFor, deferredFor } from "./wasm.js";

/** Opens a port to the engine and introduces the page. `files` are the wasm where the caller names none. */
export async function connectTo({ url, worker, wasm, deferred: second, persist, defaultResync, signal } = {}, files = {}) {
  signal?.throwIfAborted();
  const server = serverURL(url);
  whole("defaultResync", defaultResync);
  const trouble = deferred();
  const forget = onAbort(signal, trouble.reject);
  let place;
  let connection;
  let over = false;
  const open = async () => {
    place = await openPlace(worker, trouble.reject);
    if (over) return place.close();
    connection = new Connection(place.port);
    const engine = await sourceFor(wasm, place.isShared, files.engine);
    const beside = wasm === undefined ? files.deferred : undefined;
    const rest = await deferredFor(second, place.isShared, beside, engine);
    await connection.connect(engine, rest, server, !!(persist ?? place.isShared));
  };
  try {
    await Promise.race([trouble.promise, open()]);
  } catch (error) {
    over = true;
    const reason = error === signal?.reason || error instanceof InformerError ? error : internal(`connecting failed: ${error.message}`, error);
    connection?.end(reason);
    place?.close();
    throw reason;
  } finally {
    forget();
  }
  return new SharedInformerFactory(connection, place, server, defaultResync, signal);
}

/** Absolute, and only what paths can be appended to. */
function serverURL(url = "/") {
  let server;
  try {
    server = new URL(url, baseURL());
  } catch (cause) {
    throw new InformerError("bad-request", `${url} is not a URL`, { cause });
  }
  const { protocol, search, hash, username, password } = server;
  if (!/^https?:$/.test(protocol) || search || hash || username || password) {
    throw badRequest(`${protocol}//${server.host} cannot be used: \`url\` is http or https, host and path, and no more`);
  }
  return `${server.origin}${server.pathname}`.replace(/\/+$/, "");
}
