// Pods of a CronJob: those of its jobs. The CronJob has no selector for them, so they are found by the owner references of its jobs.
import { collection, query } from "./refs.js";

/** A label of every pod of a job. */
const OF_A_JOB = "job-name";

export const isCronJob = (object) => object?.resource.group === "batch" && object.resource.resource === "cronjobs";

/** Whether the owner references of an object contain this uid. */
export const isOwnedBy = (uid) => ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

/** What `podsOf()` returns, of a CronJob. */
export async function podsOfCronJob({ get, sender }, ref, { namespace }, { follow, signal }) {
  const { metadata: { uid } } = await get(ref, { signal });
  if (follow) return { pods: [], selections: [{ namespace, labelSelector: OF_A_JOB, cronJob: uid }] };
  const list = async (resource, parameters) => {
    const path = `${collection(resource, namespace)}?${query(parameters)}`;
    const { text } = await sender.text("GET", path, { signal });
    return sender.parse(JSON.parse, text, "GET", path).items ?? [];
  };
  const jobs = (await list({ group: "batch", version: "v1", resource: "jobs" }, {})).filter(isOwnedBy(uid));
  if (jobs.length === 0) return { pods: [], selections: [] };
  const labelSelector = `${OF_A_JOB} in (${jobs.map(({ metadata }) => metadata.name)})`;
  const pods = await list({ group: "", version: "v1", resource: "pods" }, { labelSelector });
  return { pods: pods.filter((pod) => jobs.some((job) => isOwnedBy(job.metadata.uid)(pod))), selections: [] };
}

/**
 * The jobs of a CronJob, followed by an informer: `add(pod, isNew)` is called for each pod of one of them, once its job is known, which
 * may come after the pod. The result takes the changes of pods: `added`, `updated`, `deleted`; `informer`, and `end()`.
 */
export function followedJobs(factory, { namespace, cronJob }, add) {
  const jobs = new Set();
  /** Pods of unknown jobs, by uid. */
  const held = new Map();
  const isOwn = (pod) => pod.metadata.ownerReferences?.some(({ uid }) => jobs.has(uid));
  const informer = factory.forResource("batch/v1/jobs", { namespace });
  const registration = informer.addEventHandler({
    onAdd: (job) => {
      if (!isOwnedBy(cronJob)(job)) return;
      jobs.add(job.metadata.uid);
      for (const [uid, { pod, isNew }] of held) if (isOwn(pod) && held.delete(uid)) add(pod, isNew);
    },
  });
  return {
    informer,
    added: (pod, isNew) => (isOwn(pod) ? add(pod, isNew) : held.set(pod.metadata.uid, { pod, isNew })),
    updated: (pod) => held.has(pod.metadata.uid) && (held.get(pod.metadata.uid).pod = pod),
    deleted: ({ metadata: { uid } }) => held.delete(uid),
    end: () => {
      registration.remove();
      informer.stop();
    },
  };
}
