// Pods of selections, by informers: each container joins when it has started, and again after each restart.
import { containersOf, statusOf } from "./containers.js";
import { followedJobs, isOwnedBy } from "./log-jobs.js";

/**
 * Calls `join(pod, container, isNew)` and `drop(uid)`, `tell(state)` while pods cannot be listed or watched, and `fail(error)` for a
 * selection whose pods never can be; returns what ends it. A pod of several selections joins once.
 */
export function followedPods(factory, selections, wanted, { join, drop, tell, fail }) {
  /** By uid: runs of containers that have joined, and the number of selections that have the pod. */
  const joined = new Map();
  const look = (pod, isNew) => {
    const { runs } = joined.get(pod.metadata.uid) ?? {};
    for (const container of runs ? containersOf(pod, wanted) : []) {
      const { state, lastState, restartCount = 0 } = statusOf(pod, container) ?? {};
      const run = `${container} ${restartCount}`;
      // Between two runs the kubelet serves the log of the one before.
      if (!(state?.running || state?.terminated || lastState?.terminated) || runs.has(run)) continue;
      // The first run that the informer shows may have begun long ago.
      const isFirst = ![...runs].some((known) => known.startsWith(`${container} `));
      runs.add(run);
      join(pod, container, isNew || !isFirst);
    }
  };
  const add = (pod, isNew) => {
    const { uid } = pod.metadata;
    const known = joined.get(uid) ?? { runs: new Set(), selections: 0 };
    known.selections++;
    joined.set(uid, known);
    look(pod, isNew);
  };
  const ends = selections.map(({ namespace, labelSelector, cronJob, owner }) => {
    /** Uids of the pods that have joined as those of the owner: a pod may be adopted or released later. */
    const owned = owner === undefined ? undefined : new Set();
    const isNewOwned = (pod) => isOwnedBy(owner)(pod) && !owned.has(pod.metadata.uid) && owned.add(pod.metadata.uid);
    const informer = factory.forResource("v1/pods", { namespace, labelSelector });
    const jobs = cronJob === undefined ? undefined : followedJobs(factory, { namespace, cronJob }, add);
    const registration = informer.addEventHandler({
      onAdd: (pod, isInInitialList) => (!owned || isNewOwned(pod)) && (jobs?.added ?? add)(pod, !isInInitialList),
      onUpdate: (_, pod) => {
        jobs?.updated(pod);
        if (owned && isNewOwned(pod)) add(pod, true);
        else look(pod, true);
      },
      onDelete: (pod) => {
        // A pod of another CronJob's job, or of another owner, has not joined.
        if ((owned && !owned.delete(pod.metadata.uid)) || jobs?.deleted(pod)) return;
        const { uid } = pod.metadata;
        const known = joined.get(uid);
        if (known && --known.selections > 0) return;
        joined.delete(uid);
        drop(uid);
      },
    });
    const unwatch = [informer, jobs?.informer].filter(Boolean).map((one) => {
      const end = watchStatus(one, tell, fail);
      factory.startOne(one);
      return end;
    });
    return () => {
      unwatch.forEach((end) => end());
      registration.remove();
      informer.stop();
      jobs?.end();
    };
  });
  return () => ends.forEach((end) => end());
}

/** Reports each failed attempt of an informer to list or watch, and the next success. */
function watchStatus(informer, tell, fail) {
  let reported;
  const look = () => {
    const { phase, lastError, nextRetryAt } = informer.status;
    if (phase === "reconnecting" && lastError && nextRetryAt && nextRetryAt !== reported) tell({ state: "reconnecting", error: lastError, nextRetryAt: (reported = nextRetryAt) });
    if (phase !== "watching" || reported === undefined) return;
    reported = undefined;
    tell({ state: "following" });
  };
  let isOver = false;
  informer.synced.catch((error) => isOver || fail(error));
  informer.addEventListener("status", look);
  look();
  return () => {
    isOver = true;
    informer.removeEventListener("status", look);
  };
}
