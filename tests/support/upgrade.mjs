import { connect } from 'node:net';

/** Forwards a WebSocket to a server, byte for byte, from the handshake on: for the `upgrade` event of a Node.js server. */
export function passUpgradeOn(upstream, incoming, socket, head) {
  const { hostname, port } = new URL(upstream);
  const onward = connect(port, hostname, () => {
    const headers = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : `${name}: ${all[at + 1]}`));
    onward.write(`${[`${incoming.method} ${incoming.url} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`);
    onward.write(head);
    onward.pipe(socket).pipe(onward);
  });
  socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  onward.on('error', () => socket.destroy());
}
