// Origin check: a proxy in front of `kubectl proxy` that rejects requests from pages of other origins, for `make dashboard`.
// Without kubectl, it is in front of the embedded apiserver.
//
//   node web/parts/origin-check.mjs SOCKET PORT [--reject-shells]
//
// `kubectl proxy` checks the Host of a request and not its Origin. Browsers let any page open a WebSocket to any origin and
// send simple requests there, so without this check any page could read a watch, or open a shell. `kubectl proxy` listens on the Unix
// socket SOCKET, which no browser can reach.
import { createServer } from 'node:http';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { createProxyServer } from 'httpxy';

/** Paths of exec and attach: the default of `kubectl proxy --reject-paths`. The embedded apiserver has no `kubectl proxy` in front of it. */
const SHELLS = /^\/api\/.*\/pods\/.*\/(exec|attach)/;

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

/** Starts the server and resolves to it. Port 0 selects any free port. `rejectShells` rejects exec and attach, as `kubectl proxy` does. */
export async function serve(socketPath, port, { rejectShells = false } = {}) {
  const proxy = createProxyServer({ target: { socketPath } });
  // Through an apiserver, pods and services can serve HTML (`…/proxy/`). Without this header it would run as a page of the dashboard, with
  // the same rights.
  proxy.on('proxyRes', (answer, { url }) => {
    if (!pathOf(url).startsWith('/ui/')) answer.headers['content-security-policy'] = "sandbox; default-src 'none'";
  });
  const unreachable = 'kubectl proxy does not respond. Check that the dashboard is still running.\n';
  const respond = (outgoing, status, text) => {
    if (outgoing.headersSent) return void outgoing.destroy();
    outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  };
  const ownPort = () => server.address().port;
  const isShell = ({ url }) => rejectShells && SHELLS.test(pathOf(url));
  const server = createServer((incoming, outgoing) => {
    const reason = rejection(incoming, ownPort(), false);
    if (reason) return respond(outgoing, 403, `${reason}\n`);
    if (isShell(incoming)) return respond(outgoing, 403, 'Forbidden\n');
    proxy.web(incoming, outgoing).catch(() => respond(outgoing, 502, unreachable));
  });
  server.on('upgrade', (incoming, socket, head) => {
    socket.on('error', () => socket.destroy());
    const reason = rejection(incoming, ownPort(), true) ?? (isShell(incoming) ? 'Forbidden' : undefined);
    if (reason) return socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n${reason}\n`);
    proxy.ws(incoming, socket, {}, head).catch(() => socket.destroy());
  });
  // No time limit for receiving a request; Node's default is 300 s.
  server.requestTimeout = 0;
  // Idle connections stay open, as those of `kubectl proxy` do; Node's default is 5 s.
  server.keepAliveTimeout = 0;
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
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
