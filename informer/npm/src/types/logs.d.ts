import type { ObjectRef } from "./client.js";
import type { InformerError } from "./error.js";

/** Pods of a namespace, or of all namespaces, by their labels. */
export interface PodSelection {
  readonly resource?: "v1/pods";
  readonly namespace?: string;
  readonly labelSelector: string;
}

/**
 * What `logs()` reads: a pod; the pods that an object's `spec.selector` selects (a workload or a service); the pods of a CronJob's
 * jobs, which the user must be allowed to list; the pods that a custom object without a selector owns directly (a Tekton TaskRun), found
 * among all pods of its namespace, or of the cluster if it has none; or the pods of a `PodSelection`.
 */
export type LogTarget = ObjectRef | PodSelection;

/** Options of `logs()`. */
export interface LogOptions {
  /**
   * Container by name; `"*"` is all containers of each pod, merged. Default: the one that the annotation
   * `kubectl.kubernetes.io/default-container` names, else the first.
   */
  container?: string;
  /** Whether to read the log of the container's previous run. Not together with `follow`. Default: false. */
  previous?: boolean;
  /**
   * Whether to follow the log: new lines arrive as they are written. A restarted container is followed into its next run. Of
   * any target but a pod, informers of the factory add new pods, and new jobs of a CronJob. Default: false.
   */
  follow?: boolean;
  /** Time of the oldest line: a number of seconds before now, or a point in time (RFC 3339). Default: all lines. */
  since?: number | Date | string;
  /** Number of last lines of each container. Default: all lines. */
  tail?: number;
  /** Length at which lines are cut, in bytes, timestamp included. Default: 262,144 (256 KiB). */
  maxLineBytes?: number;
  /** Maximum number of containers that are read at once, of all targets together; others wait for one to end. Default: 50. */
  maxStreams?: number;
  /**
   * Whether a batch is one object of columns in place of an array of lines: several times cheaper to pass to WebAssembly or to a worker.
   * Default: false.
   */
  joined?: boolean;
  /**
   * Whether one request reads the existing lines of a followed log before the WebSocket opens. A long log loads three times as fast, but
   * the request takes one of the browser's HTTP/1.1 connections. No effect on logs that are merged, or if `tail` is at most 1,000.
   * Default: false.
   */
  pastFirst?: boolean;
  /** Called with each state, of each container. */
  onState?: (state: LogState) => void;
  /** Ends the iteration: it rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** One line. */
export interface LogLine {
  /** RFC 3339 timestamp with the kubelet's digits; null for a line without one. */
  readonly time: string | null;
  /** Text without the timestamp. Bytes that are not UTF-8 are U+FFFD. It may contain control characters. */
  readonly text: string;
  /** Bytes that were cut at the end of the line; 0 if it is whole. */
  readonly cut: number;
  /** Origin of the line, if several logs are merged. */
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
}

/** Batch of lines as columns, with the option `joined`. */
export interface JoinedLines {
  /** Number of lines. */
  readonly lines: number;
  /** Texts of all lines, joined by line feeds; no text has one. */
  readonly texts: string;
  /** Timestamps of all lines, joined by line feeds; empty for a line without one. */
  readonly times: string;
  /** Lines that were cut: index and bytes. */
  readonly cuts: readonly (readonly [number, number])[];
  /** Origins, if several logs are merged: each is that of the lines from index `from` on, until the next one. */
  readonly origins: readonly { readonly from: number; readonly namespace?: string; readonly pod?: string; readonly container?: string }[];
}

/** State of one container's log, or of a target that could not be read. */
export interface LogState {
  /**
   * - `connecting`: the first request is in flight.
   * - `following`: new lines arrive as they are written.
   * - `reconnecting`: the connection was lost, or the container has not started; the next attempt is at `nextRetryAt`. Without
   *   `pod`: the pods of a followed selection cannot be listed or watched; `following` without `pod` reports that it works again.
   * - `restarting`: the container has terminated (`exitCode`, `reason`), and the kubelet restarts it; the log continues with the next run.
   * - `ended`: the log is complete. `exitCode` and `reason` say how a followed container ended, as far as it is known.
   * - `failed`: no further attempt is made; `error` says why. Without `pod`: the pods of a selection cannot be read.
   * - `limited`: `waiting` containers wait for one of `maxStreams` to end. Reported when this number changes.
   */
  readonly state: "connecting" | "following" | "reconnecting" | "restarting" | "ended" | "failed" | "limited";
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
  /** Of several targets, the one that could not be read; `pod` is absent then. The others are read. */
  readonly ref?: LogTarget;
  /** Connection of a followed log. */
  readonly via?: "websocket" | "fetch";
  readonly error?: InformerError;
  /** Time of the next attempt, in milliseconds since 1970. */
  readonly nextRetryAt?: number;
  /** Exit code of the container. */
  readonly exitCode?: number;
  /** Number of the signal that ended the container. */
  readonly signal?: number;
  /** For example `"Completed"`, `"Error"`, `"OOMKilled"`, `"CrashLoopBackOff"`. */
  readonly reason?: string;
  /** Time at which the container ended, RFC 3339. */
  readonly finishedAt?: string;
  /** Number of containers that wait, with `limited`. */
  readonly waiting?: number;
}
