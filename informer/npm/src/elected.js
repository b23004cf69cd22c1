// Leader election, for browsers without SharedWorker (Chrome on Android): the tab that holds a Web Lock is the leader, and its
// worker serves all tabs of the origin. When the holder ends or crashes, the next tab gets the lock. Each connection has its
// own BroadcastChannel, so that messages for one tab are not copied to all.
import { internal } from "./error.js";
import { whenGone } from "./locks.js";

/** The connections of this page, each as `{ onError }`, and the controller that ends its candidature. */
const users = new Set();
let candidature;

/** Resolves to an engine host (engine-host.js) as soon as there is a leader. `start` starts a worker, which leads on a message. */
export async function openElected(name, onError, life, start) {
  const user = { onError };
  users.add(user);
  if (!candidature) {
    // A page that is frozen or in the back/forward cache must not lead or stand for election.
    const pauses = [[globalThis.document, "freeze", "resume"], [globalThis, "pagehide", "pageshow"]];
    for (const [target, away, back] of pauses) {
      target?.addEventListener(away, () => candidature.abort());
      target?.addEventListener(back, () => stand(name, start));
    }
  }
  stand(name, start);
  const port = new BroadcastChannel(`${name} ${crypto.randomUUID()}`);
  const control = new BroadcastChannel(name);
  const close = () => {
    control.close();
    port.close();
    users.delete(user);
    // At a hand-over it reopens in a moment, and may have been elected meanwhile.
    setTimeout(() => users.size === 0 && candidature.abort(), 100);
  };
  life.addEventListener("abort", close);
  const call = () => control.postMessage({ type: "open", address: port.name });
  const { lock } = await new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data); // a leader's first message
    control.onmessage = ({ data }) => data?.type === "lead" && call();
    call();
  });
  control.close();
  life.removeEventListener("abort", close);
  return { port, lock, isShared: true, isReopenable: true, handsOver: true, hasAnswered: true, close };
}

/** Stands for election, unless it does so already. */
function stand(name, start) {
  if (users.size === 0 || candidature?.signal.aborted === false) return;
  const own = (candidature = new AbortController());
  const { signal } = own;
  const over = (failed) => {
    own.abort();
    // A page whose worker cannot start does not try again without limit.
    if (candidature === own && !failed) stand(name, start);
  };
  navigator.locks.request(name, { signal }, () => lead(name, start, signal)).then(over, () => {});
}

/** Leads until the signal is aborted or its worker ends; resolves to whether it failed or was aborted. */
async function lead(name, start, signal) {
  let failed = false;
  const worker = start();
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
    const fail = (why) => {
      failed = true;
      for (const { onError } of users) onError(internal(`the worker could not be started: ${why}`));
      resolve();
    };
    // Its first message: its liveness lock, or why it cannot lead.
    let hasStarted = false;
    worker.onmessage = ({ data }) => {
      hasStarted = true;
      if (data.failed) fail(data.failed);
      else whenGone(data.lock, signal, resolve);
    };
    // Later errors are reported by the engine.
    worker.onerror = ({ message }) => hasStarted || fail(message || "its file is missing, or the page's policy forbids it");
    worker.postMessage({ type: "lead", name });
  });
  worker.terminate();
  return failed || signal.aborted;
}
