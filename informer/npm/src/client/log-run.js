// Container run: from a start of the container to its termination. The kubelet keeps one log per run; a followed log continues with the next run.
import { statusOf } from "./containers.js";
import { sleep } from "./pace.js";

/** Shortest and longest polling interval for the next run, in milliseconds. The kubelet's crash back-off starts at ten seconds by default. */
const [FIRST_LOOK, LONGEST_LOOK] = [500, 5_000];

/**
 * The runs of one container of a pod, from that of `pod` on. `look()` resolves to the current pod. Without
 * `goesOn` the log ends with the first run: the caller opens each later run itself.
 */
export class Runs {
  #look;
  #container;
  #goesOn;
  /** A pod of the same name with another uid is another pod, which counts its restarts anew. */
  #uid;
  /** Number of the run that is read: the restarts before it. */
  #number;

  constructor(pod, container, look, goesOn) {
    [this.#container, this.#look, this.#goesOn] = [container, look, goesOn];
    this.#uid = pod?.metadata?.uid;
    this.#number = statusOf(pod, container)?.restartCount ?? 0;
  }

  /** Resolves to the end of the run, with `restarts` if another one follows; to undefined while it runs. */
  async end() {
    try {
      const pod = await this.#look();
      if (this.#isOther(pod)) return gone;
      const { state, lastState, restartCount = 0 } = statusOf(pod, this.#container) ?? {};
      const isNext = restartCount > this.#number;
      // During the kubelet's crash back-off, the end of this run is in `lastState`.
      const terminated = isNext || state?.waiting ? lastState?.terminated : state?.terminated;
      if (!terminated && !isNext) return undefined;
      return { ...ended(terminated ?? {}), restarts: this.#goesOn && (isNext || restarts(pod, this.#container, terminated)) };
    } catch (error) {
      if (error.code === "not-found") return gone;
      // The user may not read pods; the next attempt shows whether the container still runs.
      return undefined;
    }
  }

  /**
   * Resolves to the end of a run whose log no longer exists under this name: its pod is gone, or, without `goesOn`, another
   * run has begun. Resolves to undefined otherwise, and to `unknown` if the pod cannot be read.
   */
  async isPast(unknown) {
    try {
      const pod = await this.#look();
      if (this.#isOther(pod)) return gone;
      const { lastState, restartCount = 0 } = statusOf(pod, this.#container) ?? {};
      if (this.#goesOn || restartCount <= this.#number) return undefined;
      return ended((restartCount === this.#number + 1 && lastState?.terminated) || {});
    } catch (error) {
      if (error.code === "not-found") return gone;
      return error.retryable ? undefined : unknown;
    }
  }

  /** Resolves to whether the next run has begun; it is read from then on, if `goesOn`. */
  async hasRestarted() {
    try {
      const pod = await this.#look();
      const { restartCount = 0 } = statusOf(pod, this.#container) ?? {};
      const has = !this.#isOther(pod) && restartCount === this.#number + 1;
      if (has && this.#goesOn) this.#number = restartCount;
      return has;
    } catch {
      // The user may not read pods.
      return false;
    }
  }

  /** Resolves once the next run has begun; to how the last one has ended if none comes any more. Rejects when a signal is aborted. */
  async next(...signals) {
    const throwIfAborted = () => signals.forEach((signal) => signal?.throwIfAborted());
    for (let pause = 0; ; pause = Math.min(LONGEST_LOOK, Math.max(FIRST_LOOK, pause * 2))) {
      await sleep(pause, ...signals);
      throwIfAborted();
      try {
        const pod = await this.#look();
        if (this.#isOther(pod)) return gone;
        const { state, lastState, restartCount = 0 } = statusOf(pod, this.#container) ?? {};
        if (restartCount > this.#number && (state?.running || state?.terminated)) {
          this.#number = restartCount;
          return undefined;
        }
        const terminated = state?.terminated ?? lastState?.terminated;
        if (!restarts(pod, this.#container, terminated)) return ended(terminated ?? {});
      } catch (error) {
        throwIfAborted();
        if (error.code === "not-found") return gone;
        if (!error.retryable) return {};
      }
    }
  }

  #isOther(pod) {
    // A caller that names the container has not read the pod before.
    this.#uid ??= pod.metadata?.uid;
    return pod.metadata?.uid !== this.#uid;
  }
}

/** The end of a log whose pod was deleted, or recreated under the same name. */
export const gone = { reason: "the pod is gone" };

const ended = ({ exitCode, signal, reason = "", finishedAt }) => ({ exitCode, signal: signal || undefined, reason, finishedAt });

/** Whether the kubelet restarts a container after this termination. */
function restarts({ metadata, spec = {}, status = {} }, container, { exitCode } = {}) {
  if (metadata?.deletionTimestamp || ["Succeeded", "Failed"].includes(status.phase)) return false;
  const named = (list = []) => list.find(({ name }) => name === container);
  const init = named(spec.initContainers);
  const own = named(spec.containers) ?? init;
  // An ephemeral container runs once.
  if (!own) return false;
  const matches = ({ operator, values = [] } = {}) => values.includes(exitCode) === (operator === "In");
  if (own.restartPolicyRules?.some(({ action, exitCodes }) => action === "Restart" && matches(exitCodes))) return true;
  const policy = own.restartPolicy ?? spec.restartPolicy ?? "Always";
  // An init container is restarted until it succeeds.
  const isOnce = init && !own.restartPolicy;
  return policy === "Always" && !isOnce ? true : policy !== "Never" && exitCode !== 0;
}
