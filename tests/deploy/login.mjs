// Login proxy, as oauth2-proxy is one: adds the token of its session to each request, and answers 401 without a session. And an apiserver
// that accepts one token.
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { passUpgradeOn } from '../support/upgrade.mjs';

async function listen(server, scheme = 'http') {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { url: `${scheme}://127.0.0.1:${server.address().port}`, stop };
}

function forward(upstream, incoming, outgoing, headers) {
  const onward = request(upstream + incoming.url, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    outgoing.flushHeaders();
    answer.on('error', () => outgoing.destroy()).pipe(outgoing);
  });
  outgoing.on('close', () => onward.destroy());
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

function refuse(outgoing, status, reason) {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: reason, code: status });
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/**
 * Starts an apiserver, in front of the one at `upstream`, that accepts `token` only; with `tls` (key and certificate) by HTTPS. `seen` are
 * the headers of its requests.
 */
export async function startAuthenticated(upstream, token, tls) {
  const seen = [];
  const isMeant = ({ headers }) => (seen.push(headers), headers.authorization === `Bearer ${token}`);
  const answer = (incoming, outgoing) => {
    if (!isMeant(incoming)) return refuse(outgoing, 401, 'Unauthorized');
    forward(upstream, incoming, outgoing, incoming.headers);
  };
  const server = tls ? createSecureServer(tls, answer) : createServer(answer);
  server.on('upgrade', (incoming, socket, head) => (isMeant(incoming) ? passUpgradeOn(upstream, incoming, socket, head) : socket.destroy()));
  return { ...(await listen(server, tls && 'https')), seen };
}

/** Starts a login proxy before `upstream`. Without a `session`, requests for the API get 401. */
export async function startLogin(upstream) {
  const login = { session: undefined };
  const server = createServer((incoming, outgoing) => {
    if (!login.session && /^\/(api|apis|version|openapi)/.test(incoming.url)) return refuse(outgoing, 401, 'Unauthorized');
    forward(upstream, incoming, outgoing, { ...incoming.headers, authorization: `Bearer ${login.session}`, cookie: 'session=s3cret' });
  });
  server.on('upgrade', (incoming, socket, head) => {
    if (!login.session) return socket.destroy();
    incoming.headers.authorization = `Bearer ${login.session}`;
    passUpgradeOn(upstream, incoming, socket, head);
  });
  return Object.assign(login, await listen(server));
}
