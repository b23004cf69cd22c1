// Origin check: a proxy in front of `kubectl proxy` that rejects requests from pages of other origins, for `make dashboard`.
// Without kubectl, it is in front of the embedded apiserver. clusters.mjs puts it in front of several.
//
//   node web/parts/origin-check.mjs SOCKET PORT [--reject-shells]
//
// `kubectl proxy` checks the Host of a request and not its Origin. Browsers let any page open a WebSocket to any origin and
// send simple requests there, so without this check any page could read a watch, or open a shell. `kubectl proxy` listens on the Unix
// socket SOCKET, which no browser can reach.
import { STATUS_CODES, createServer } from 'node:http';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { createProxyServer } from 'httpxy';

/** Paths of exec and attach: the default of `kubectl proxy --reject-paths`. The embedded apiserver has no `kubectl proxy` in front of it. */
const SHELLS = /^\/api\/.*\/pods\/.*\/(exec|attach)/;
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Returns the reason why a request is rejected; undefined if it is accepted. */
export function rejection({ method, headers: { host = '', origin } }, port, isUpgrade) {
  // Prevents DNS rebinding: a page whose own host name resolves to this machine.
  if (![`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].includes(host)) return `The Host header ${JSON.stringify(host)} is not allowed: use 127.0.0.1:${port}.`;
  // Browsers send an Origin with each WebSocket and with each request that is not a GET or a HEAD.
  const isOwn = origin === `http://${host}` || (origin === undefined && !isUpgrade);
  if (isOwn || (!isUpgrade && ['GET', 'HEAD'].includes(method))) return undefined;
  return `A page of the origin ${JSON.stringify(origin ?? 'unknown')} may not use the dashboard's connection to the cluster.`;
}

/** The path of a request as an apiserver reads it: decoded, and with single slashes. */
function pathOf(url) {
  const path = url.split('?')[0].replaceAll(/\/{2,}/g, '/');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Adds the prefix of a cluster to the target of a redirect on this server. Relative and foreign targets stay. */
function prefixed(location, prefix, host) {
  const path = location.startsWith(`http://${host}/`) ? location.slice(`http://${host}`.length) : location;
  return path.startsWith('/') && !path.startsWith('//') ? prefix + path : location;
}

/**
 * Starts a server and resolves to it. Port 0 selects any free port. `route(incoming)` is called for each accepted request and
 * upgrade. It returns one of:
 *
 * - `{ socketPath, url, prefix, isPage, unreachable }`: forwards the request to a Unix socket as `url`. `prefix` is added to redirects;
 *   `unreachable` is the sentence if the socket does not respond.
 * - `{ status, headers, body }`: the response, or a promise of it.
 */
export async function listen(route, port) {
  const proxy = createProxyServer({});
  const routes = new WeakMap();
  proxy.on('proxyRes', (answer, incoming, outgoing) => {
    const { isPage, prefix } = routes.get(incoming);
    // Through an apiserver, pods and services can serve HTML (`…/proxy/`). Without this header it would run as a page of the dashboard,
    // with the same rights.
    if (!isPage) answer.headers['content-security-policy'] = "sandbox; default-src 'none'";
    if (prefix && answer.headers.location) answer.headers.location = prefixed(answer.headers.location, prefix, incoming.headers.host);
    // httpxy sets the headers when this listener has returned. Node sends them with the first bytes of the body, which a quiet watch
    // does not have for minutes: informers would have to do without watches over HTTP.
    if (!answer.headers['content-length']) queueMicrotask(() => outgoing.flushHeaders());
  });
  const respond = (outgoing, { status, headers = TEXT, body }) => {
    if (outgoing.headersSent) return void outgoing.destroy();
    outgoing.writeHead(status, headers).end(body);
  };
  const ownPort = () => server.address().port;
  /** The route of an accepted request; the response to a rejected one. */
  const routeOf = (incoming, isUpgrade) => {
    const reason = rejection(incoming, ownPort(), isUpgrade);
    if (reason) return { status: 403, body: `${reason}\n` };
    const found = route(incoming);
    if (found.socketPath) {
      routes.set(incoming, found);
      incoming.url = found.url;
    }
    return found;
  };
  const server = createServer(async (incoming, outgoing) => {
    const found = await routeOf(incoming, false);
    if (!found.socketPath) return respond(outgoing, found);
    const { socketPath, unreachable } = found;
    proxy.web(incoming, outgoing, { target: { socketPath } }).catch(() => respond(outgoing, { status: 502, body: `${unreachable}\n` }));
  });
  server.on('upgrade', async (incoming, socket, head) => {
    socket.on('error', () => socket.destroy());
    const { socketPath, status, body } = await routeOf(incoming, true);
    if (socketPath) return void proxy.ws(incoming, socket, { target: { socketPath } }, head).catch(() => socket.destroy());
    // A path that has a response, and no WebSocket.
    const refused = status < 400 ? { status: 400, body: 'This path has no WebSocket.\n' } : { status, body };
    socket.end(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\ncontent-type: ${TEXT['content-type']}\r\nconnection: close\r\n\r\n${refused.body}`);
  });
  // No time limit for receiving a request; Node's default is 300 s.
  server.requestTimeout = 0;
  // Idle connections stay open, as those of `kubectl proxy` do; Node's default is 5 s.
  server.keepAliveTimeout = 0;
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
}

/** Starts the server in front of one socket. `rejectShells` rejects exec and attach, as `kubectl proxy` does. */
export function serve(socketPath, port, { rejectShells = false } = {}) {
  const unreachable = 'kubectl proxy does not respond. Check that the dashboard is still running.';
  const route = ({ url }) => {
    const path = pathOf(url);
    return rejectShells && SHELLS.test(path) ? { status: 403, body: 'Forbidden\n' } : { socketPath, url, isPage: path.startsWith('/ui/'), unreachable };
  };
  return listen(route, port);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  await serve(argv[2], Number(argv[3]), { rejectShells: argv[4] === '--reject-shells' }).then(
    (server) => console.log(`listening on 127.0.0.1:${server.address().port}`),
    (error) => {
      console.error(error.code === 'EADDRINUSE' ? 'address already in use' : error.message);
      process.exit(1);
    },
  );
}
