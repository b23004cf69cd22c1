/** Options of `exec()` and `attach()`. */
export interface ExecOptions {
  /** Command and its arguments; no shell interprets them. Required by `exec()`, not accepted by `attach()`. */
  command?: readonly string[];
  /**
   * Container by name. Default: the one that the annotation `kubectl.kubernetes.io/default-container` names, else the first. Finding
   * it takes one request for the pod; if that is forbidden, a pod with several containers rejects with `"bad-request"`.
   */
  container?: string;
  /** Whether the process has a terminal. Then stderr is part of stdout. Default: false. */
  tty?: boolean;
  /** Whether the process has an input stream. Default: false. */
  stdin?: boolean;
  /** Ends the session: its streams and `exit` fail with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * A process in a container. Disposing closes it.
 *
 * ```ts
 * const shell = await factory.client.exec(
 *   { resource: "v1/pods", namespace: "shop", name: "web-0" },
 *   { command: ["sh"], stdin: true, tty: true },
 * );
 * shell.resize(120, 40);
 * const writer = shell.stdin!.getWriter();
 * await writer.write("exit 3\n");
 * const { code } = await shell.exit; // 3
 * ```
 */
export interface ExecSession extends Disposable {
  /** Input of the process; null without `stdin`. Closing it ends the input, unless `protocol` is v4: then it rejects with `"bad-request"`. */
  readonly stdin: WritableStream<string | BufferSource> | null;
  /** Output. If more than 64 MB wait to be read, the session ends with `"closed"`. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** Error output; null with `tty`. */
  readonly stderr: ReadableStream<Uint8Array> | null;
  /** Resolves when the process has ended. Rejects with `"network"` if the connection is lost, and with `"closed"` after `close()`. */
  readonly exit: Promise<ExecExit>;
  /** `"v5.channel.k8s.io"`, or v4 of servers before Kubernetes 1.30. */
  readonly protocol: string;
  /** Sets the size of the terminal, in characters. */
  resize(columns: number, rows: number): void;
  /** Closes the connection. The process may continue to run. Idempotent. */
  close(): void;
}

/** How a process ended. */
export interface ExecExit {
  /** Exit code; null if the process could not be started, or its code is unknown. */
  readonly code: number | null;
  /** `"Success"`, `"NonZeroExitCode"`, or the server's reason. */
  readonly reason: string;
  /** The server's message; empty for exit code 0. */
  readonly message: string;
}
