// Exec and attach: opens a WebSocket to a process in a container (`v5.channel.k8s.io`, or `v4`).
import { optionsOf, refuse, text, whole } from "../check.js";
import { badRequest, InformerError } from "../error.js";
import { onAbort } from "../promises.js";
import { defaultContainer } from "./containers.js";
import { fromResponse } from "./errors.js";
import { ExecSession } from "./exec-session.js";
import { query } from "./refs.js";

/** Timeout of a handshake in milliseconds. */
const HANDSHAKE = 30_000;

/** Opens a session; resolves when the process runs. `verb` is "exec" or "attach"; `get` reads the pod. */
export async function open(verb, sender, { path, resource, name }, given, get) {
  const options = `${verb === "exec" ? "command " : ""}container tty stdin signal`;
  const { command, container, tty = false, stdin = false, signal } = optionsOf(`${verb}()`, options, given);
  if (resource.resource !== "pods") throw badRequest(`${verb}() wants a pod, not an object of ${resource.resource}`);
  const isCommand = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string");
  if (verb === "exec" && !isCommand) refuse("command", 'an array of strings: ["sh", "-c", "ls"]');
  text("container", container);
  const asked = query({ command, container: container ?? (await defaultOf(get)), stdin: !!stdin, stdout: true, stderr: !tty, tty: !!tty });
  const request = `GET ${path}/${verb}`;
  const url = sender.at(`${path}/${verb}?${asked}`);
  url.protocol = url.protocol.replace("http", "ws");
  signal?.throwIfAborted();
  const attempt = async () => connectTo(url, await credential(sender, request, signal), sender, { request, tty, stdin, what: `${verb} in ${name}` }, signal);
  // A token may have expired since it was handed out.
  const session = (await attempt()) ?? (sender.isRenewable ? await attempt() : undefined);
  if (session) return session;
  const aborted = [signal, sender.life].find((one) => one?.aborted);
  throw aborted ? aborted.reason : await whyNot(sender, `${path}/${verb}?${asked}`, verb, request, signal);
}

/** Opens a session by WebSocket; undefined if the handshake fails. */
async function connectTo(url, protocols, sender, options, signal) {
  const { request, what } = options;
  let socket;
  try {
    socket = new WebSocket(url, ["v5.channel.k8s.io", "v4.channel.k8s.io", ...protocols]);
  } catch (error) {
    // A page that is served by https may open no `ws:`.
    throw new InformerError("network", `the browser opens no WebSocket to this address: ${error.message}`, { request, cause: error });
  }
  socket.binaryType = "arraybuffer";
  const session = new ExecSession(socket, options);
  const forget = [onAbort(signal, (reason) => session.end(reason)), onAbort(sender.life, (reason) => session.end(reason))];
  session.exit.catch(() => {}).finally(() => forget.forEach((once) => once()));
  const event = await new Promise((resolve) => {
    const timer = setTimeout(resolve, HANDSHAKE);
    socket.addEventListener("open", resolve);
    socket.addEventListener("close", resolve);
    session.exit.catch(() => {}).finally(() => clearTimeout(timer));
    socket.addEventListener("open", () => clearTimeout(timer));
  });
  if (event?.type === "open") return session;
  // A handshake that fails has 1006. If a connection ends at once, Firefox reports its Close frame only (log-source.js).
  if (event?.code === 1000) {
    throw new InformerError("network",
      `${what} has run, and ended before the browser had opened the WebSocket: Firefox then loses its output and exit status`,
      { request });
  }
  socket.close();
  return undefined;
}

/** The bearer token as a subprotocol, since scripts cannot add headers to a WebSocket. An apiserver reads it from there. */
async function credential(sender, request, signal) {
  const value = await sender.userHeader("authorization", request, signal);
  if (!value) return [];
  const token = /^bearer\s+(\S+)$/i.exec(value)?.[1];
  if (!token) throw new InformerError("bad-request", "a WebSocket can authenticate by a bearer token only, and the header Authorization has another scheme", { request });
  const bytes = String.fromCharCode(...new TextEncoder().encode(token));
  const base64url = btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return [`base64url.bearer.authorization.k8s.io.${base64url}`];
}

/** The default container of a pod. Without the right to read the pod, the server chooses the only one. */
async function defaultOf(get) {
  try {
    return defaultContainer(await get());
  } catch (error) {
    if (error.code === "forbidden") return undefined;
    throw error;
  }
}

/** Finds the reason of a failed handshake, which a browser hides, by the same request over HTTP. The server starts nothing for it. */
async function whyNot(sender, path, verb, request, signal) {
  let response;
  let body;
  try {
    response = await sender.send("GET", path, { signal });
    body = await response.text();
  } catch (error) {
    return error;
  }
  if (response.status === 403 && !/"kind":\s*"Status"/.test(body)) {
    return new InformerError("forbidden",
      `the proxy rejects ${verb}: kubectl proxy does so by default. To allow it, start it with --reject-paths='^$'. ` +
        "Then any web page that is open in this browser can reach a shell by WebSocket, unless something before the proxy checks the Origin.",
      { status: 403, request });
  }
  // The server accepts the request except for the missing upgrade, so the WebSocket itself was blocked.
  if (response.ok || /upgrade/i.test(body)) {
    return new InformerError("network",
      `${verb} requires a WebSocket, and none could be opened. Check that all proxies on the way forward WebSockets, and that the server is Kubernetes 1.30 or later.`,
      { status: response.status, request, retryable: true });
  }
  return fromResponse(response, body, request);
}
