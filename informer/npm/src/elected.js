// Where there is no SharedWorker (Chrome on Android): one tab of the origin is elected, by a lock, and its worker serves
// all of them. A lock falls to the next one when its holder goes, however it goes. Each connection has a channel of its
// own, so that what is meant for one tab is not copied to all.
import { internal } from "./error.js";
import { whenGone } from "./locks.js";

/** Of this page: its connections, by what tells each of trouble, and what ends its candidature. */
const users = new Set();
let candidature;

/** Resolves to a place as in place.js, as soon as somebody leads. The worker that `start` makes is told to by a message. */
export async function openElected(name, onError, life, start) {
  const user = { onError };
  users.add(user);
  if (!candidature) {
    // A page that is frozen or put away must not lead, nor be the next who would.
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
    // At a hand-over it is back in a moment, and may have been elected meanwhile.
    setTimeout(() => users.size === 0 && candidature.abort(), 100);
  };
  life.addEventListener("abort", close);
  const call = () => control.postMessage({ type: "open", address: port.name });
  const { lock } = await new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data); // a leader's first word
    control.onmessage = ({ data }) => data?.type === "lead" && call();
    call();
  });
  control.close();
  life.removeEventListener("abort", close);
  return { port, lock, isShared: true, again: true, handsOver: true, hasAnswered: true, close };
}

/** Waits for its turn to lead, unless it does so already. */
function stand(name, start) {
  if (users.size === 0 || candidature?.signal.aborted === false) return;
  const own = (candidature = new AbortController());
  const { signal } = own;
  const over = (failed) => {
    own.abort();
    // Who cannot lead must not try for ever.
    if (candidature === own && !failed) stand(name, start);
  };
  navigator.locks.request(name, { signal }, () => lead(name, start, signal)).then(over, () => {});
}

/** Leads until the signal, or until its worker is gone; resolves to whether it was able to. */
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
    // Its first word: what it holds as long as it lives, or why it cannot lead.
    let hasStarted = false;
    worker.onmessage = ({ data }) => {
      hasStarted = true;
      if (data.failed) fail(data.failed);
      else whenGone(data.lock, signal, resolve);
    };
    // What is thrown later is the engine's to tell.
    worker.onerror = ({ message }) => hasStarted || fail(message || "its file is missing, or may not be run here");
    worker.postMessage({ type: "lead", name });
  });
  worker.terminate();
  return failed || signal.aborted;
}
