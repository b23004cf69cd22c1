// Session of exec or attach: the streams of a process, its size on screen and its exit, as channels of one WebSocket.
import { refuse, whole } from "../check.js";
import { InformerError } from "../error.js";
import { deferred, dispose } from "../promises.js";

const [STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE] = [0, 1, 2, 3, 4, 255];
/** Maxima of unread output and of unsent input, in bytes. */
const MAX_WAITING = 64 << 20;
const MAX_UNSENT = 1 << 20;

export class ExecSession {
  #socket;
  #exit = deferred();
  #request;
  #what;
  #isOver = false;
  #outputs = new Map();
  #status;
  stdin;
  stdout;
  stderr;

  constructor(socket, { request, tty, stdin, what }) {
    [this.#socket, this.#request, this.#what] = [socket, request, what];
    this.stdout = this.#output(STDOUT);
    this.stderr = tty ? null : this.#output(STDERR);
    this.stdin = stdin ? this.#input() : null;
    socket.onmessage = ({ data }) => this.#receive(new Uint8Array(data));
    socket.onclose = ({ code, wasClean }) => this.#closed(code, wasClean);
  }

  get protocol() {
    return this.#socket.protocol;
  }

  get exit() {
    return this.#exit.promise;
  }

  resize(columns, rows) {
    if (!whole("columns", columns, 1) || !whole("rows", rows, 1)) refuse("resize()", "called with columns and rows");
    this.#send(RESIZE, new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows })));
  }

  close() {
    this.end(new InformerError("closed", `${this.#what} has been closed`, { request: this.#request }));
  }

  [dispose]() {
    this.close();
  }

  /** Ends the session with a reason. */
  end(reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#exit.reject(reason);
    for (const controller of this.#outputs.values()) controller.error(reason);
    this.#outputs.clear();
    this.#socket.close();
  }

  #output(channel) {
    return new ReadableStream({
      start: (controller) => void this.#outputs.set(channel, controller),
      cancel: () => void this.#outputs.delete(channel),
    }, new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING }));
  }

  #input() {
    const encoder = new TextEncoder();
    return new WritableStream({
      write: async (chunk) => {
        const bytes = typeof chunk === "string" ? encoder.encode(chunk) : new Uint8Array(chunk.buffer ?? chunk, chunk.byteOffset ?? 0, chunk.byteLength);
        for (let start = 0; start < bytes.length; start += 32 << 10) {
          // A WebSocket has no event for a drained send buffer.
          while (this.#socket.bufferedAmount > MAX_UNSENT && !this.#isOver) await new Promise((resolve) => setTimeout(resolve, 10));
          if (this.#isOver) throw new InformerError("closed", `${this.#what} has ended`, { request: this.#request });
          this.#send(STDIN, bytes.subarray(start, start + (32 << 10)));
        }
      },
      close: () => {
        if (!this.protocol.startsWith("v5")) {
          throw new InformerError("bad-request", "the server supports only v4.channel.k8s.io, which cannot close stdin: end the process, or close the session");
        }
        this.#send(CLOSE, Uint8Array.of(STDIN));
      },
      abort: (reason) => this.end(reason),
    });
  }

  #send(channel, bytes) {
    if (this.#isOver || this.#socket.readyState !== WebSocket.OPEN) return;
    const frame = new Uint8Array(bytes.length + 1);
    frame[0] = channel;
    frame.set(bytes, 1);
    this.#socket.send(frame);
  }

  #receive(frame) {
    if (this.#isOver || frame.length === 0) return;
    const [channel, bytes] = [frame[0], frame.subarray(1)];
    if (channel === ERROR) {
      this.#status = exitOf(bytes) ?? this.#status;
    } else if (channel === CLOSE) {
      this.#finish(bytes[0]);
    } else if (bytes.length > 0) {
      const output = this.#outputs.get(channel);
      output?.enqueue(bytes);
      if (output?.desiredSize <= 0) this.end(new InformerError("closed", `the output of ${this.#what} is not read: ${MAX_WAITING >> 20} MB wait`, { request: this.#request }));
    }
  }

  #finish(channel) {
    this.#outputs.get(channel)?.close();
    this.#outputs.delete(channel);
  }

  #closed(code, wasClean) {
    if (this.#isOver) return;
    if (!this.#status) {
      const how = wasClean ? `it was closed with code ${code}` : `code ${code}`;
      return this.end(new InformerError("network", `the connection to ${this.#what} was lost, and its exit status with it (${how})`, {
        request: this.#request, retryable: true,
      }));
    }
    this.#isOver = true;
    for (const channel of [...this.#outputs.keys()]) this.#finish(channel);
    this.#exit.resolve(this.#status);
  }
}

/** Parses the Status of the error channel: `{ code, reason, message }`. `code` is null if the process was not started. */
function exitOf(bytes) {
  const said = new TextDecoder().decode(bytes);
  let status;
  try {
    status = JSON.parse(said);
  } catch {
    return { code: null, reason: "Unknown", message: said.slice(0, 1000) };
  }
  if (status?.status === "Success") return { code: 0, reason: "Success", message: "" };
  const exit = status?.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  const code = /^\d+$/.test(exit ?? "") ? Number(exit) : null;
  return { code, reason: status?.reason ?? "Unknown", message: status?.message ?? "" };
}
