// Connections of logs: a WebSocket if one can be opened, because WebSockets do not count against a browser's six HTTP/1.1
// connections per host; otherwise `fetch`.
import { InformerError } from "../error.js";
import { onAbort } from "../promises.js";
import { brokenOff, fromResponse } from "./errors.js";

/**
 * Maximum number of buffered bytes, of one log and of all. A WebSocket has no backpressure: above the limit it is closed and the log
 * resumed later. A resumed log repeats the last second. The buffer must hold it; otherwise the log makes no progress.
 */
const MAX_WAITING = 16 << 20;
const MAX_WAITING_IN_TOTAL = 64 << 20;
/** Timeout of a handshake, and pause after a rejected one, in milliseconds. */
const HANDSHAKE = 8_000;
const SOCKETS_AGAIN = 600_000;

let waitingOfAll = 0;

/** By base URL: handshakes that have failed in a row, and until when no WebSocket is tried. */
const refused = new Map();

/**
 * Opens a log: `{ via, read, close }`. `read` resolves to chunks, or to undefined at the end. A short log that is not followed
 * takes the connection of a request, not that of a stream. `canWait`: the reader applies backpressure, which only `fetch` supports.
 */
export async function openLog(sender, path, { follow, isShort, canWait, signal }) {
  let isRefused = false;
  if (follow && !canWait && sender.allowsSockets && typeof WebSocket === "function" && Date.now() >= (refused.get(sender.url)?.until ?? 0)) {
    const socket = await openSocket(sender, path, signal);
    isRefused = socket === undefined;
    // Also one that has ended already: its handshake succeeded.
    if (socket !== undefined) refused.delete(sender.url);
    if (socket) return socket;
  }
  const request = `GET ${path.split("?")[0]}`;
  const response = await sender.send("GET", path, { isStream: follow || !isShort, signal, headers: { accept: "*/*" } });
  if (!response.ok) throw fromResponse(response, await response.text(), request);
  // The server responds, but rejects WebSockets. One failure may be due to the network. A pod without a node has no log
  // over either transport (204).
  if (isRefused && response.status === 200) {
    const times = (refused.get(sender.url)?.times ?? 0) + 1;
    refused.set(sender.url, { times, until: times > 1 ? Date.now() + SOCKETS_AGAIN : 0 });
  }
  const reader = response.body?.getReader();
  return {
    via: "fetch",
    async read() {
      const { value, done } = (await reader?.read()) ?? { done: true };
      return done ? undefined : [value];
    },
    close: () => reader?.cancel().catch(() => {}),
  };
}

/** Opens a WebSocket; undefined if that fails, because a browser gives no reason, and null if the log has ended before. */
async function openSocket(sender, path, signal) {
  const url = sender.at(path);
  url.protocol = url.protocol.replace("http", "ws");
  // Without a requested subprotocol the server responds with an empty one, which browsers reject.
  let socket;
  try {
    socket = new WebSocket(url, ["binary.k8s.io"]);
  } catch {
    // A page that is served by https may open no `ws:`.
    return undefined;
  }
  socket.binaryType = "arraybuffer";
  const request = `GET ${path.split("?")[0]}`;
  let [chunks, waiting, end, wake] = [[], 0, undefined, () => {}];
  const over = (reason) => {
    end ??= reason;
    socket.close();
    wake();
  };
  socket.onmessage = ({ data }) => {
    if (end) return;
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
    chunks.push(bytes);
    waiting += bytes.length;
    waitingOfAll += bytes.length;
    if (waiting > MAX_WAITING || waitingOfAll > MAX_WAITING_IN_TOTAL) over({ error: tooMuch(request) });
    wake();
  };
  // 1000 is the code of the server's Close frame, which follows all data. `wasClean` says less: servers in Go end the connection right
  // after that frame, and Firefox counts this as unclean. If all of it arrives at once, it even omits the events `open` and `message`.
  socket.onclose = ({ code }) => over(code === 1000 ? {} : { error: brokenOff(request, new Error(`WebSocket closed with code ${code}`)) });
  const forget = [onAbort(sender.life, (error) => over({ error })), onAbort(signal, (error) => over({ error }))];
  const take = () => {
    const taken = chunks;
    waitingOfAll -= waiting;
    [chunks, waiting] = [[], 0];
    return taken;
  };
  const close = () => {
    take();
    forget.splice(0).forEach((once) => once());
    over({});
  };
  const opened = {
    via: "websocket",
    async read() {
      while (chunks.length === 0 && !end) await new Promise((resolve) => (wake = resolve));
      if (chunks.length > 0) return take();
      if (end.error) throw end.error;
      return undefined;
    },
    close,
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      close();
      resolve(undefined);
    }, HANDSHAKE);
    let isOpen = false;
    socket.onopen = () => {
      isOpen = true;
      clearTimeout(timer);
      resolve(opened);
    };
    socket.addEventListener("close", ({ code }) => {
      clearTimeout(timer);
      // Lines received before the end are still read.
      if (isOpen) return;
      close();
      const aborted = [sender.life, signal].find((one) => one?.aborted);
      if (aborted) reject(aborted.reason);
      else resolve(code === 1000 ? null : undefined);
    });
  });
}

/** Error of a slow reader: the caller resumes the log at once. */
const tooMuch = (request) =>
  Object.assign(new InformerError("network", "the log arrives faster than the page reads it; the stream is resumed", { request, retryable: true }), { isSlowReader: true });
