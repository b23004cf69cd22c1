// Front server between the page and the cluster, in place of `kubectl proxy`: it serves the page, forwards everything
// else including WebSockets, counts, and can be stopped.
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { passUpgradeOn } from './upgrade.mjs';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

export class Front {
  /** Requests and handshakes for the API since the start. */
  requests = 0;
  #away = false;
  #sockets = new Set();
  #server;

  /**
   * @param upstream the apiserver's URL, or a proxy's  @param dist the built page
   * @param onRequest called with method and path of each request and handshake for the API
   */
  constructor(upstream, dist, onRequest = () => {}) {
    const to = new URL(upstream);
    this.#server = createServer((incoming, outgoing) => {
      const { pathname } = new URL(incoming.url, 'http://any');
      if (pathname.startsWith('/ui/')) return void this.#file(dist, pathname.slice(4) || 'index.html', outgoing);
      this.requests++;
      onRequest(incoming.method, incoming.url);
      const onward = request(upstream + incoming.url, { method: incoming.method, headers: { ...incoming.headers, host: to.host } }, (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        outgoing.flushHeaders(); // a watch may be silent for long
        answer.on('error', () => outgoing.destroy()).pipe(outgoing);
      });
      outgoing.on('close', () => onward.destroy());
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    this.#server.on('connection', (socket) => {
      if (this.#away) return void socket.destroy();
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (incoming, socket, head) => {
      this.requests++;
      onRequest('UPGRADE', incoming.url);
      passUpgradeOn(upstream, incoming, socket, head);
    });
  }

  async #file(dist, name, outgoing) {
    try {
      const body = await readFile(join(dist, normalize(`/${name}`)));
      outgoing.writeHead(200, { 'content-type': types[extname(name)] ?? 'application/octet-stream', 'cache-control': 'no-store' }).end(body);
    } catch {
      outgoing.writeHead(404).end();
    }
  }

  listen() {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${this.#server.address().port}`)));
  }

  /** Simulates a killed proxy: open streams end in the middle of a line, and requests get no response. */
  goAway() {
    this.#away = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  comeBack() {
    this.#away = false;
  }

  /** Simulates a network that drops packets: open connections stay open, without data. */
  stall() {
    for (const socket of this.#sockets) socket.pause(), socket.cork();
  }

  stop() {
    // WebSockets too, which the server no longer tracks.
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
