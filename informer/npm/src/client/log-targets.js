// Targets of logs: the pods of a reference, of labels, of an object's selector, or of an owner.
import { refuse, text } from "../check.js";
import { badRequest } from "../error.js";
import { isCronJob, isOwnedBy, podsOfCronJob } from "./log-jobs.js";
import { collection, locate, query } from "./refs.js";

function selection({ resource = "v1/pods", namespace, labelSelector }) {
  if (resource !== "v1/pods") throw badRequest("`labelSelector` selects pods: leave `resource` out");
  if (!text("labelSelector", labelSelector)) refuse("labelSelector", "a label selector that is not empty");
  return { namespace: text("namespace", namespace), labelSelector };
}

/** Whether a located object is a pod. */
export const isPod = (object) => object?.resource.resource === "pods" && !object.resource.group;

/** Resolves a reference to an object, or to a selection of pods. */
export async function targetOf({ kinds }, ref, { signal }) {
  return ref?.labelSelector === undefined ? { ref, object: await locate(ref, kinds, signal) } : { ref, selection: selection(ref) };
}

/** The pods of a target: those there are, or the selection that is followed. */
export async function podsOf(context, { ref, object, selection }, options) {
  const { follow, signal } = options;
  if (isCronJob(object)) return podsOfCronJob(context, ref, object, options);
  if (isPod(object)) return { pods: [await context.get(ref, { signal })], selections: [] };
  const { namespace, labelSelector, owner } = selection ?? (await selector(context, ref, object, signal));
  if (follow) return { pods: [], selections: [{ namespace, labelSelector, owner }] };
  const path = `${collection({ group: "", version: "v1", resource: "pods" }, namespace)}?${query({ labelSelector })}`;
  const { text: list } = await context.sender.text("GET", path, { signal });
  const pods = context.sender.parse(JSON.parse, list, "GET", path).items ?? [];
  return { pods: owner === undefined ? pods : pods.filter(isOwnedBy(owner)), selections: [] };
}

/** Whether a resource is not one of Kubernetes itself: only such an object may own pods without a selector for them. */
const isCustom = ({ group }) => group.includes(".") && !group.endsWith(".k8s.io");

/** The pods that a workload or a service selects, or that a custom object without a selector owns. */
async function selector({ get }, ref, { namespace, resource }, signal) {
  const { metadata, spec } = await get(ref, { signal });
  const { matchLabels, matchExpressions } = spec?.selector?.matchLabels || spec?.selector?.matchExpressions ? spec.selector : { matchLabels: spec?.selector };
  const words = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  for (const { key, operator, values = [] } of matchExpressions ?? []) {
    const operators = { In: `${key} in (${values})`, NotIn: `${key} notin (${values})`, Exists: key, DoesNotExist: `!${key}` };
    words.push(operators[operator] ?? refuse("spec.selector", `of a known operator, not ${operator}`));
  }
  if (words.length === 0 && isCustom(resource)) return { namespace, owner: metadata.uid };
  if (words.length === 0) throw badRequest(`the object of ${resource.resource} selects no pods: name a pod, or give a labelSelector`);
  return { namespace, labelSelector: words.join(",") };
}
