// Pods of selections, by informers: each container joins when it has started, and again after each restart.
import { containersOf } from "./containers.js";

/** Calls `join(pod, container, isNew)` and `drop(uid)`; returns what ends it. A pod of several selections joins once. */
export function followedPods(factory, selections, wanted, { join, drop }) {
  /** By uid: runs of containers that have joined, and the number of selections that have the pod. */
  const joined = new Map();
  const look = (pod, isNew) => {
    const { runs } = joined.get(pod.metadata.uid) ?? {};
    const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
    const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
    for (const container of runs ? containersOf(pod, wanted) : []) {
      const { state, restartCount = 0 } = statuses.find(({ name }) => name === container) ?? {};
      const run = `${container} ${restartCount}`;
      if (!(state?.running || state?.terminated) || runs.has(run)) continue;
      // The first run that is seen may have begun long ago.
      const isFirst = ![...runs].some((known) => known.startsWith(`${container} `));
      runs.add(run);
      join(pod, container, isNew || !isFirst);
    }
  };
  const ends = selections.map(({ namespace, labelSelector }) => {
    const informer = factory.forResource("v1/pods", { namespace, labelSelector });
    const registration = informer.addEventHandler({
      onAdd: (pod, isInInitialList) => {
        const { uid } = pod.metadata;
        const known = joined.get(uid) ?? { runs: new Set(), selections: 0 };
        known.selections++;
        joined.set(uid, known);
        look(pod, !isInInitialList);
      },
      onUpdate: (_, pod) => look(pod, true),
      onDelete: ({ metadata: { uid } }) => {
        const known = joined.get(uid);
        if (known && --known.selections > 0) return;
        joined.delete(uid);
        drop(uid);
      },
    });
    return () => {
      registration.remove();
      informer.stop();
    };
  });
  factory.start();
  return () => ends.forEach((end) => end());
}
