// Status of a request, with any method and headers, which fetch does not allow: Host, Origin and those of a WebSocket.
import { once } from 'node:events';
import { request } from 'node:http';

/** Headers of a WebSocket handshake. */
export const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };

/** The status of a response, or of a rejected or accepted upgrade. */
export async function status(url, { method = 'GET', headers = {}, body = '' } = {}) {
  const sent = request(url, { method, headers });
  sent.end(body);
  const [response, socket] = await Promise.race([once(sent, 'response'), once(sent, 'upgrade')]);
  socket?.destroy();
  response.resume();
  return response.statusCode;
}
