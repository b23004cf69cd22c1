// Free port: for a program that takes the number of its port, and cannot choose one itself.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Resolves to a port of 127.0.0.1 that was free just now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
