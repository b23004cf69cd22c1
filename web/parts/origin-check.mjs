// Origin check: a proxy in front of `kubectl proxy` that keeps the pages of other origins out, for `make dashboard EXEC=1`.
//
//   node web/parts/origin-check.mjs SOCKET PORT
//
// `kubectl proxy` checks the Host of a request and not its Origin. Browsers let any page open a WebSocket to any origin and
// send simple requests there, so without this check any page could open a shell. `kubectl proxy` listens on the Unix socket
// SOCKET, which no browser can reach.
import { createServer } from 'node:http';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { createProxyServer } from 'httpxy';

/** Returns the reason why a request is rejected; undefined if it is accepted. */
export function refusal({ method, headers: { host = '', origin } }, port, isUpgrade) {
  // Prevents DNS rebinding: a page whose own host name resolves to this machine.
  if (![`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].includes(host)) return `The Host header ${JSON.stringify(host)} is not allowed: use 127.0.0.1:${port}.`;
  // Browsers send an Origin with each WebSocket and with each request that is not a GET or a HEAD.
  const isOwn = origin === `http://${host}` || (origin === undefined && !isUpgrade);
  if (isOwn || (!isUpgrade && ['GET', 'HEAD'].includes(method))) return undefined;
  return `A page of the origin ${JSON.stringify(origin ?? 'unknown')} may not use the dashboard's connection to the cluster.`;
}

/** Starts the server; resolves to it. Port 0 takes any free one. */
export async function serve(socketPath, port) {
  const proxy = createProxyServer({ target: { socketPath } });
  const unreachable = 'kubectl proxy does not respond. Check that the dashboard is still running.\n';
  const reply = (outgoing, status, text) => {
    if (outgoing.headersSent) return void outgoing.destroy();
    outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  };
  const own = () => server.address().port;
  const server = createServer((incoming, outgoing) => {
    const reason = refusal(incoming, own(), false);
    if (reason) return reply(outgoing, 403, `${reason}\n`);
    proxy.web(incoming, outgoing).catch(() => reply(outgoing, 502, unreachable));
  });
  server.on('upgrade', (incoming, socket, head) => {
    socket.on('error', () => socket.destroy());
    const reason = refusal(incoming, own(), true);
    if (reason) return socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n${reason}\n`);
    proxy.ws(incoming, socket, {}, head).catch(() => socket.destroy());
  });
  // No time limit for receiving a request; Node's default is 300 s.
  server.requestTimeout = 0;
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  await serve(argv[2], Number(argv[3])).then(
    (server) => console.log(`listening on 127.0.0.1:${server.address().port}`),
    (error) => {
      console.error(error.code === 'EADDRINUSE' ? 'address already in use' : error.message);
      process.exit(1);
    },
  );
}
