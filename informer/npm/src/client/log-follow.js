// The log of one container: read to its end, or followed, and resumed after a drop.
import { InformerError } from "../error.js";
import { Cursor } from "./log-cursor.js";
import { LineSplitter, stamped } from "./log-lines.js";
import { gone } from "./log-run.js";
import { openLog } from "./log-source.js";
import { Pace, sleep } from "./pace.js";
import { query } from "./refs.js";

/** Lines in one batch, at most: about ten milliseconds of work for a page that shows them. */
const MOST = 2_000;
/** Bytes that are read at once. */
const PORTION = 128 << 10;
/** Maximum `tail` of a log that is read as a plain request: a stream's slot can take seconds if watches use all connections. */
const FEW = 1_000;
/** Pauses between attempts, in milliseconds. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [800, 30_000];
/** Duration after which an open connection counts as healthy, in milliseconds. */
const HEALTHY = 10_000;
/** Number of attempts without progress after which a log that is not followed fails. */
const ATTEMPTS = 5;
/** The kubelet's error messages for a container that has not started. */
const NOT_STARTED = /waiting to start|is not available|PodInitializing|ContainerCreating/;
/** The kubelet's words for a pod that it does not know yet, or not yet again after its own restart, and for a container between two runs. */
const NO_LOG = /no logs available|is terminated/;

/**
 * Yields batches of lines. With `pastFirst` the existing lines of a followed log are read by `fetch`: a WebSocket brings them in
 * frames of two kilobytes, which takes three times as long. `pod` has the path, `runs` are those of the container; `tell` receives
 * each state.
 */
export async function* followLog({ sender, pod, runs }, { container, previous, follow, pastFirst, sinceTime, sinceSeconds, tail, maxLineBytes, signal }, tell) {
  const cursor = new Cursor();
  const pace = new Pace();
  const began = Date.now();
  let attempts = 0;
  /** Seconds from the call to this attempt, because the server counts `sinceSeconds` from the request. */
  let elapsed = 0;
  let isResumed = false;
  let isStuck = false;
  let isPrimed = !(follow && tail === 0);
  /** Whether the existing lines are being read, by a request of their own. */
  let readsExisting = follow && pastFirst && !(tail <= FEW);
  /** Whether they have just been read: the run may have ended before it is followed. */
  let hasReadExisting = false;
  const path = () => {
    const seconds = sinceSeconds && sinceSeconds + elapsed;
    const since = cursor.since ? { sinceTime: cursor.since } : { sinceTime, sinceSeconds: seconds, tailLines: tail };
    return `${pod.path}/log?${query({ container, previous: previous || undefined, follow: (follow && !readsExisting) || undefined, timestamps: true, ...since })}`;
  };
  /** Records the last existing line. Otherwise a log that is dropped before its first new line would skip that line. */
  const prime = async () => {
    const last = `${pod.path}/log?${query({ container, timestamps: true, tailLines: 1 })}`;
    const { text } = await sender.text("GET", last, { signal, headers: { accept: "*/*" } });
    const line = text.split("\n", 1)[0];
    if (line) cursor.note(stamped(new LineSplitter(maxLineBytes).push(new TextEncoder().encode(`${line}\n`))[0]));
    // All lines of an empty log are new.
    else tail = undefined;
    // The number of lines in its second is unknown.
    cursor.startRun();
    isPrimed = true;
  };
  /** The last lines of a run that ended after its existing lines were read. Its log may be gone. */
  const remainder = async function* () {
    const last = `${pod.path}/log?${query({ container, previous: true, timestamps: true, sinceTime: cursor.since })}`;
    const { text } = await sender.text("GET", last, { signal, headers: { accept: "*/*" } }).catch((error) => {
      if (!(error instanceof InformerError) || signal?.aborted || sender.life.aborted) throw error;
      return { text: "" };
    });
    const splitter = new LineSplitter(maxLineBytes);
    const { filter, rest } = cursor.resume();
    const lines = [...splitter.push(new TextEncoder().encode(text)), ...splitter.end()].map(stamped);
    yield* batches([...filter(lines), ...rest()], cursor);
  };
  const tellEnd = ({ restarts, ...ended }) => tell({ state: "ended", ...ended });
  const throwIfOver = () => {
    signal?.throwIfAborted();
    if (!sender.life.aborted) return;
    tell({ state: "failed", error: sender.life.reason });
    throw sender.life.reason;
  };
  tell({ state: "connecting" });
  for (;;) {
    let source;
    let error;
    let isHealthy = () => false;
    let hasPassed = false;
    try {
      if (!isPrimed) await prime();
      source = await openLog(sender, path(), { follow: follow && !readsExisting, isShort: tail <= FEW && !cursor.since, canWait: isStuck, signal });
      // During the pause the pod may have been recreated, or the container restarted.
      const over = follow && isResumed ? await runs.isPast() : undefined;
      if (hasReadExisting && (await runs.hasRestarted())) {
        yield* remainder();
        // Of the next run, all lines are new.
        cursor.startRun();
      }
      hasReadExisting = false;
      if (over) return tellEnd(over);
      const opened = Date.now();
      isHealthy = () => Date.now() - opened >= HEALTHY;
      if (follow && !readsExisting) tell({ state: "following", via: source.via });
      const splitter = new LineSplitter(maxLineBytes);
      const { filter, rest } = cursor.resume();
      const read = (lines) => filter(lines.map(stamped));
      for (let chunks = await source.read(); chunks; chunks = await source.read()) {
        // Up to four megabytes may be waiting. They are read in portions, so that the page can do other work between them.
        for (const { part, bytes, isLast } of portions(chunks)) {
          const lines = part.flatMap((piece) => read(splitter.push(piece)));
          if (lines.length > 0) [attempts, hasPassed] = [0, true];
          yield* batches(lines, cursor);
          await pace.turn(bytes, isLast);
          signal?.throwIfAborted();
        }
      }
      if (readsExisting) {
        // The last line may be incomplete; the follower reads it again.
        yield* batches(rest(), cursor);
        [readsExisting, hasReadExisting, isResumed, attempts] = [false, true, true, 0];
        elapsed = Math.ceil((Date.now() - began) / 1000);
        continue;
      }
      const end = follow ? await runs.end() : {};
      if (end) {
        yield* batches([...read(splitter.end()), ...rest()], cursor);
        const { restarts, ...ended } = end;
        if (!restarts) return tellEnd(end);
        tell({ state: "restarting", ...ended });
        source.close();
        const last = await runs.next(signal, sender.life);
        if (last) return tellEnd(last);
        // The next run is read from its beginning. If some of its lines were delivered already, the cursor has the last
        // one.
        cursor.startRun();
        [tail, sinceTime, sinceSeconds, attempts, isResumed] = [undefined, undefined, undefined, 0, false];
        continue;
      }
    } catch (cause) {
      throwIfOver();
      error = cause;
      const isNew = follow && error.status === 400 && NOT_STARTED.test(error.message);
      // A container that has not started has no old lines.
      if (isNew) [tail, isPrimed] = [undefined, true];
      const isMissing = follow && error.code === "not-found";
      const isWaiting = isNew || isMissing || (follow && error.status === 400 && NO_LOG.test(error.message));
      // The kubelet learns of a new pod late, and of all pods after a restart: the status of the pod decides.
      const past = isWaiting ? ((await runs.isPast(isMissing ? gone : undefined)) ?? (attempts >= ATTEMPTS ? await runs.end() : undefined)) : undefined;
      throwIfOver();
      if (past && !past.restarts) return tellEnd(past);
      if (!isWaiting && (!error.retryable || (!follow && attempts >= ATTEMPTS))) {
        tell({ state: "failed", error });
        throw error;
      }
    } finally {
      source?.close();
    }
    throwIfOver();
    // The log grew faster than it was read, and the attempt delivered no new line.
    isStuck = error?.isSlowReader ? isStuck || !hasPassed : isStuck && !isHealthy();
    // A log whose connection was healthy is resumed at once, also a quiet one that a proxy has closed.
    if (isHealthy() || error?.isRevoked) attempts = 0;
    const pause = attempts === 0 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempts - 1));
    attempts++;
    const delay = Math.max(pause, error?.retryAfterMs ?? 0);
    if (!error?.isSlowReader) tell({ state: "reconnecting", error, nextRetryAt: Date.now() + delay });
    await sleep(delay, signal, sender.life);
    throwIfOver();
    isResumed = true;
    elapsed = Math.ceil((Date.now() - began) / 1000);
  }
}

/** Chunks in portions of at most so many bytes; `isLast` marks the last one. A chunk of a fetch may have a megabyte. */
function* portions(chunks) {
  let [part, bytes] = [[], 0];
  let waiting = chunks.reduce((sum, { length }) => sum + length, 0);
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const piece = chunk.subarray(start, start + PORTION - bytes);
      part.push(piece);
      [start, bytes, waiting] = [start + piece.length, bytes + piece.length, waiting - piece.length];
      if (bytes < PORTION && waiting > 0) continue;
      yield { part, bytes, isLast: waiting === 0 };
      [part, bytes] = [[], 0];
    }
  }
}

function* batches(lines, cursor) {
  for (let start = 0; start < lines.length; start += MOST) {
    const batch = lines.slice(start, start + MOST);
    for (const line of batch) cursor.note(line);
    yield batch;
  }
}
