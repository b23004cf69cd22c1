// Where the engine lives: opens a port to it.
import { workerAnswers } from "./deadline.js";
import { badRequest, internal } from "./error.js";
import { onAbort } from "./promises.js";
import { madeFrom } from "./worker-url.js";

const has = (...names) => names.every((name) => typeof globalThis[name] === "function");

/** The best there is here. */
function best() {
  if (has("SharedWorker")) return "shared";
  if (!has("Worker")) return false;
  return has("BroadcastChannel") && globalThis.navigator?.locks ? "elected" : "dedicated";
}

/**
 * Resolves to `{ port, url, isShared, isHere, again, handsOver, hasAnswered, lock, close }`: the worker's file where it is
 * known, whether the same words open another one when this one is gone, whether it may go without anything being wrong,
 * whether its first word was heard, and what an elected worker holds while it lives. `onError` is told when the worker's
 * file cannot be run, and `wait` what is waited for; what happens to a running engine comes through the port.
 */
export function openPlace(worker, onError, life, wait) {
  const at = (kind) => openAt(kind, onError, life, wait);
  if (worker !== undefined) return at(worker);
  // Where storage is blocked a browser refuses what it has.
  return at(best()).catch(() => at("dedicated")).catch(() => at(false));
}

async function openAt(worker, onError, life, wait) {
  let own; // what we made, and so may end
  let url;
  const isHere = worker === false;
  const again = typeof worker !== "object";
  // The options stay literal, bundlers read them. The build puts the version into the names: two versions of the
  // package must not meet in one worker.
  if (worker === "elected") {
    const { openElected } = await import("./elected.js");
    const named = (error) => onError(url ? internal(`${error.message} (${url})`) : error);
    return openElected("kube-informer@0.0.0", named, life, start);
  }
  if (worker === "shared") return { ...place(await answering()), isShared: true, hasAnswered: true };
  if (worker === "dedicated") worker = own = start();
  if (isA("MessagePort", worker)) return place(worker);
  if (isA("SharedWorker", worker)) {
    listen(worker);
    return { ...place(worker.port), isShared: true };
  }
  const { port1, port2 } = new MessageChannel();
  if (isA("Worker", worker)) {
    listen(worker);
    worker.postMessage({ type: "port" }, [port2]);
  } else if (isHere) {
    const { take } = await import("./host.js");
    take(port2);
  } else {
    throw badRequest('`worker` must be "shared", "elected", "dedicated", false, a Worker, a SharedWorker or a MessagePort');
  }
  return place(port1);

  function place(port) {
    const close = () => {
      port.close();
      own?.terminate();
    };
    return { port, url, isHere, again, close };
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

  /** A worker that has crashed may be found for a moment longer. It never answers, and is asked for again. */
  async function answering() {
    for (let patience = 1000; ; patience *= 2) {
      const shared = noted(madeFrom("SharedWorker", () =>
        new SharedWorker(new URL("./worker.js", import.meta.url), { type: "module", name: "kube-informer@0.0.0" })));
      listen(shared);
      // Its first word, or the reason not to wait for it any longer.
      const heard = await new Promise((resolve) => {
        shared.port.onmessage = resolve;
        onAbort(life, resolve);
        setTimeout(resolve, patience);
      });
      if (heard) return shared.port;
      shared.port.close();
    }
  }

  function listen(target) {
    target.addEventListener("error", (event) => {
      const why = event.message || "its file is missing, or may not be run here";
      onError(internal(`the worker could not be started: ${why}${url ? ` (${url})` : ""}`));
    });
  }
}

// A worker's scope may lack some of them.
const isA = (name, value) => has(name) && value instanceof globalThis[name];
