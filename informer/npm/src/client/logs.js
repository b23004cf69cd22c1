// Logs: of one container, or of several containers and pods merged by time.
import { number, optionsOf, refuse, text, whole } from "../check.js";
import { badRequest, InformerError } from "../error.js";
import { onAbort } from "../promises.js";
import { containersOf, defaultContainer } from "./containers.js";
import { listener } from "./listener.js";
import { followLog } from "./log-follow.js";
import { Merge } from "./log-merge.js";
import { collection, item, locate, query } from "./refs.js";
import { followedPods } from "./log-pods.js";
import { Runs } from "./log-run.js";

const OPTIONS = "container previous follow since tail maxLineBytes maxStreams onState signal";
const MAX_LINE = 256 << 10;

/** Yields batches of lines. `context` has the client's functions. */
export async function* logs(context, ref, given) {
  const options = check(optionsOf("logs()", OPTIONS, given));
  const tell = listener("onState", options.onState);
  if (ref?.labelSelector !== undefined) return yield* merged(context, selection(ref), options, tell);
  const object = await locate(ref, context.kinds, options.signal);
  if (object.resource.resource !== "pods" || object.resource.group) {
    return yield* merged(context, await orFailed(tell, {}, selector(context, ref, object, options.signal)), options, tell);
  }
  const reading = () => orFailed(tell, { namespace: object.namespace, pod: object.name }, context.get(ref, { signal: options.signal }));
  if (options.container === "*") return yield* mergedPods(context, [await reading()], options, tell);
  const pod = options.container === undefined || options.follow ? await reading() : undefined;
  const container = options.container ?? defaultContainer(pod);
  const origin = { namespace: object.namespace, pod: object.name, container };
  const states = (state) => tell({ ...state, ...origin });
  yield* followLog(source(context, object, container, pod, options.signal, true), { ...options, container }, states);
}

function check({ container, previous = false, follow = false, since, tail, maxLineBytes = MAX_LINE, maxStreams = 50, onState, signal }) {
  text("container", container);
  whole("tail", tail);
  whole("maxLineBytes", maxLineBytes, 1);
  whole("maxStreams", maxStreams, 1);
  if (previous && follow) throw badRequest("a previous container writes no more: leave out `follow` or `previous`");
  return { container, previous, follow, ...sinceOf(since), tail, maxLineBytes, maxStreams, onState, signal };
}

/** Seconds before now, or a point in time. */
function sinceOf(since) {
  if (since === undefined) return {};
  if (typeof since === "number") return { sinceSeconds: Math.max(1, Math.ceil(number("since", since))) };
  const time = since instanceof Date || typeof since === "string" ? new Date(since) : undefined;
  if (!time || Number.isNaN(time.getTime())) refuse("since", "a number of seconds, a Date or an RFC 3339 time");
  return { sinceTime: time.toISOString() };
}

/** A request before a log begins. If it fails, a state says so, as of a log that has begun. */
async function orFailed(tell, origin, request) {
  try {
    return await request;
  } catch (error) {
    if (error instanceof InformerError) tell({ state: "failed", error, ...origin });
    throw error;
  }
}

/** Log of a pod: its path, and the runs of its container. `pod` is the pod at the start. */
function source({ sender, get }, { path, namespace, name }, container, pod, signal, goesOn) {
  return { sender, pod: { path }, runs: new Runs(pod, container, () => get({ resource: "v1/pods", namespace, name }, { signal }), goesOn) };
}

function selection({ resource = "v1/pods", namespace, labelSelector }) {
  if (resource !== "v1/pods") throw badRequest("`labelSelector` selects pods: leave `resource` out");
  if (!text("labelSelector", labelSelector)) refuse("labelSelector", "a label selector that is not empty");
  return { namespace: text("namespace", namespace), labelSelector };
}

/** The pods that an owner or a service selects. */
async function selector({ get }, ref, { namespace, resource }, signal) {
  const { spec } = await get(ref, { signal });
  const { matchLabels, matchExpressions } = spec?.selector?.matchLabels || spec?.selector?.matchExpressions ? spec.selector : { matchLabels: spec?.selector };
  const words = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  for (const { key, operator, values = [] } of matchExpressions ?? []) {
    const operators = { In: `${key} in (${values})`, NotIn: `${key} notin (${values})`, Exists: key, DoesNotExist: `!${key}` };
    words.push(operators[operator] ?? refuse("spec.selector", `of a known operator, not ${operator}`));
  }
  if (words.length === 0) throw badRequest(`the object of ${resource.resource} selects no pods: name a pod, or give a labelSelector`);
  return { namespace, labelSelector: words.join(",") };
}

/** The logs of all selected pods; while it follows, new pods join. */
async function* merged(context, { namespace, labelSelector }, options, tell) {
  if (options.follow) return yield* mergedPods(context, { namespace, labelSelector }, options, tell);
  const path = `${collection({ group: "", version: "v1", resource: "pods" }, namespace)}?${query({ labelSelector })}`;
  const { text: list } = await orFailed(tell, {}, context.sender.text("GET", path, { signal: options.signal }));
  yield* mergedPods(context, context.sender.parse(JSON.parse, list, "GET", path).items ?? [], options, tell);
}

async function* mergedPods(context, pods, options, tell) {
  const merge = new Merge();
  const life = new AbortController();
  const forget = [onAbort(options.signal, (reason) => merge.close(reason)), onAbort(context.sender.life, (reason) => merge.close(reason))];
  let running = 0;
  let waiting = [];
  let [begun, failures, failure] = [0, 0, undefined];
  const limited = () => tell({ state: "limited", waiting: waiting.length });
  /** If each of them has failed, the merge does, too. */
  const finish = () => merge.finish(failures > 0 && failures === begun ? failure : undefined);
  /** Joins a container's log, or waits for a place. */
  const join = (pod, container, isNew) => {
    if (running >= options.maxStreams) {
      waiting.push([pod, container, isNew]);
      return limited();
    }
    running++;
    begun++;
    const { name, namespace } = pod.metadata;
    const origin = { namespace, pod: name, container };
    const path = item({ group: "", version: "v1", resource: "pods" }, namespace, name);
    // A container that joins later is read from its beginning.
    const how = { ...options, container, signal: life.signal, ...(isNew && { tail: undefined, sinceTime: undefined, sinceSeconds: undefined }) };
    const lines = followLog(source(context, { path, namespace, name }, container, pod, life.signal, Array.isArray(pods)), how, (state) => tell({ ...state, ...origin }));
    merge.add(lines, origin).catch((error) => {
      // One that fails does not end the others; its state says why.
      failures++;
      failure ??= error;
      if (!(error instanceof InformerError) && !life.signal.aborted) merge.close(error);
    }).finally(() => {
      running--;
      const next = life.signal.aborted ? undefined : waiting.shift();
      if (next) join(...next);
      else if (running === 0 && Array.isArray(pods)) finish();
    });
  };
  let leave = () => {};
  try {
    if (Array.isArray(pods)) {
      for (const pod of pods) for (const container of containersOf(pod, options.container)) join(pod, container, false);
      if (running === 0) finish();
    } else {
      leave = followedPods(context.factory, pods, options.container, {
        join,
        drop: (uid) => {
          const before = waiting.length;
          waiting = waiting.filter(([pod]) => pod.metadata.uid !== uid);
          if (waiting.length < before) limited();
        },
        tell,
        fail: (error) => {
          tell({ state: "failed", error });
          merge.close(error);
        },
      });
    }
    yield* merge;
  } finally {
    forget.forEach((once) => once());
    merge.close();
    life.abort(new InformerError("aborted", "the log reader was closed"));
    leave();
  }
}
