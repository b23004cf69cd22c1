// Engine host: the shared, elected or dedicated worker, or the page, that runs the engine.
import { workerAnswers } from "./deadline.js";
import { badRequest, internal } from "./error.js";
import { onAbort } from "./promises.js";
import { madeFrom } from "./worker-url.js";

const has = (...names) => names.every((name) => typeof globalThis[name] === "function");

/** The best host that this browser supports. */
function best() {
  if (has("SharedWorker")) return "shared";
  if (!has("Worker")) return false;
  return has("BroadcastChannel") && globalThis.navigator?.locks ? "elected" : "dedicated";
}

/**
 * Opens a port to an engine. Resolves to an engine host:
 * - `port`, `close`; `url` of the worker's file, if it is known
 * - `isShared`, `isInPage`
 * - `isReopenable`: whether the same arguments open a replacement
 * - `handsOver`: whether its end is a hand-over and not a crash
 * - `hasAnswered`: whether its first message was received
 * - `lock`: the liveness lock of an elected worker
 * `fetch` is the page's own; it can be used in the page only. Calls `onError` if the worker's file cannot be run, and `wait` with each step that it waits for. Errors of a running engine
 * arrive through the port.
 */
export function openHost(worker, onError, life, wait, fetch) {
  const at = (kind) => openAt(kind, onError, life, wait, fetch);
  if (worker !== undefined) return at(worker);
  // If storage is blocked, a browser rejects hosts that it supports.
  return at(best()).catch(() => at("dedicated")).catch(() => at(false));
}

async function openAt(worker, onError, life, wait, fetch) {
  let own; // the worker that this call started, and may terminate
  let url;
  const isInPage = worker === false;
  const isReopenable = typeof worker !== "object";
  // Bundlers read these options: they stay literal. The build inserts the version into the names, so that two versions of
  // the package do not share a worker.
  if (worker === "elected") {
    const { openElected } = await import("./elected.js");
    const named = (error) => onError(url ? internal(`${error.message} (${url})`) : error);
    return openElected("kube-informer@0.0.0", named, life, start);
  }
  if (worker === "shared") return { ...host(await answering()), isShared: true, hasAnswered: true };
  if (worker === "dedicated") worker = own = start();
  if (isA("MessagePort", worker)) return host(worker);
  if (isA("SharedWorker", worker)) {
    listen(worker);
    return { ...host(worker.port), isShared: true };
  }
  const { port1, port2 } = new MessageChannel();
  if (isA("Worker", worker)) {
    listen(worker);
    worker.postMessage({ type: "port" }, [port2]);
  } else if (isInPage) {
    const { take } = await import("./host.js");
    take(port2, undefined, fetch);
  } else {
    throw badRequest('`worker` must be "shared", "elected", "dedicated", false, a Worker, a SharedWorker or a MessagePort');
  }
  return host(port1);

  function host(port) {
    const close = () => {
      port.close();
      own?.terminate();
    };
    return { port, url, isInPage, isReopenable, close };
  }

  function start() {
    return noted(madeFrom("Worker", () =>
      new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "kube-informer@0.0.0" })));
  }

  function noted({ made, url: from }) {
    url = from;
    wait(workerAnswers(url));
    return made;
  }

  /** Opens the shared worker, repeatedly: for a moment a browser returns one that has crashed and never responds. */
  async function answering() {
    for (let timeoutMs = 1000; ; timeoutMs *= 2) {
      const shared = noted(madeFrom("SharedWorker", () =>
        new SharedWorker(new URL("./worker.js", import.meta.url), { type: "module", name: "kube-informer@0.0.0" })));
      listen(shared);
      // Its first message, the abort event, or nothing after the timeout.
      const answer = await new Promise((resolve) => {
        shared.port.onmessage = resolve;
        onAbort(life, resolve);
        setTimeout(resolve, timeoutMs);
      });
      if (answer) return shared.port;
      shared.port.close();
    }
  }

  function listen(target) {
    target.addEventListener("error", (event) => {
      const why = event.message || "its file is missing, or the page's policy forbids it";
      onError(internal(`the worker could not be started: ${why}${url ? ` (${url})` : ""}`));
    });
  }
}

// Some of these classes are missing in a worker.
const isA = (name, value) => has(name) && value instanceof globalThis[name];
