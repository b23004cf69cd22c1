// Fake WebSocket: its other end is the test.
import { afterEach } from 'node:test';

let before;
afterEach(() => {
  if (globalThis.WebSocket === Socket) globalThis.WebSocket = before;
});

/** A WebSocket whose other end is the test. */
export class Socket extends EventTarget {
  static OPEN = 1;
  static made = [];
  /** Whether handshakes succeed; undefined: they take forever. */
  static opens = true;
  /** Code of those that do not open. */
  static code = 1006;

  /** Takes the place of the platform's, with none made yet. */
  static take() {
    Object.assign(Socket, { made: [], opens: true, code: 1006 });
    if (globalThis.WebSocket !== Socket) before = globalThis.WebSocket;
    globalThis.WebSocket = Socket;
  }

  readyState = 0;
  bufferedAmount = 0;
  protocol = 'v5.channel.k8s.io';
  sent = [];
  /** Whether the page has closed it. */
  isClosing = false;

  constructor(url, protocols) {
    super();
    Object.assign(this, { url: new URL(url), protocols });
    Socket.made.push(this);
    setImmediate(() => (Socket.opens ? this.open() : Socket.opens === false && this.end(Socket.code, false)));
  }

  open() {
    if (this.readyState !== 0) return;
    this.readyState = 1;
    this.onopen?.();
    this.dispatchEvent(new Event('open'));
  }

  send(frame) {
    this.sent.push([frame[0], new TextDecoder().decode(frame.subarray(1))]);
  }

  /** A frame of a channel. */
  say(channel, text) {
    const payload = typeof text === 'string' ? new TextEncoder().encode(text) : Uint8Array.from(text);
    const frame = new Uint8Array(payload.length + 1);
    frame.set([channel]);
    frame.set(payload, 1);
    this.onmessage({ data: frame.buffer });
  }

  /** A frame of a log. */
  write(text) {
    this.onmessage({ data: new TextEncoder().encode(text).buffer });
  }

  end(code = 1000, wasClean = true) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code, wasClean });
    this.dispatchEvent(Object.assign(new Event('close'), { code, wasClean }));
  }

  close() {
    this.isClosing = true;
    // A handshake that is given up has no Close frame.
    const isOpen = this.readyState === 1;
    setImmediate(() => this.end(isOpen ? 1000 : 1006, isOpen));
  }
}
