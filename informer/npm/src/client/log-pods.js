// Pods of a selection, by an informer: each container joins when it has started, and again after each restart.
import { containersOf } from "./containers.js";

/** Calls `join(pod, container, isNew)` and `drop(uid)`; returns a function that stops it. */
export function followedPods(factory, { namespace, labelSelector }, wanted, { join, drop }) {
  const informer = factory.forResource("v1/pods", { namespace, labelSelector });
  /** Runs of containers that have joined, by pod. */
  const joined = new Map();
  const look = (pod, isNew) => {
    const { uid } = pod.metadata;
    const runs = joined.get(uid) ?? new Set();
    joined.set(uid, runs);
    const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
    const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
    for (const container of containersOf(pod, wanted)) {
      const { state, restartCount = 0 } = statuses.find(({ name }) => name === container) ?? {};
      const run = `${container} ${restartCount}`;
      if (!(state?.running || state?.terminated) || runs.has(run)) continue;
      // The first run that the informer shows may have begun long ago.
      const isFirst = ![...runs].some((known) => known.startsWith(`${container} `));
      runs.add(run);
      join(pod, container, isNew || !isFirst);
    }
  };
  const registration = informer.addEventHandler({
    onAdd: (pod, isInInitialList) => look(pod, !isInInitialList),
    onUpdate: (_, pod) => look(pod, true),
    onDelete: ({ metadata: { uid } }) => {
      joined.delete(uid);
      drop(uid);
    },
  });
  factory.start();
  return () => {
    registration.remove();
    informer.stop();
  };
}
