// Container run: from a start of the container to its termination. The kubelet keeps one log per run; a followed log continues with the next run.
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

  /** Resolves to undefined once the next run has begun, or to the end of the last run if no other follows. */
  async next(signal) {
    for (let pause = 0; ; pause = Math.min(LONGEST_LOOK, Math.max(FIRST_LOOK, pause * 2))) {
      await sleep(pause, signal);
      signal?.throwIfAborted();
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

const gone = { reason: "the pod is gone" };

const ended = ({ exitCode, signal, reason = "", finishedAt }) => ({ exitCode, signal: signal || undefined, reason, finishedAt });

function statusOf(pod, container) {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod?.status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(({ name }) => name === container);
}

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
