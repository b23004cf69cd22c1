// Logs: of one container, or of several containers and pods merged by time.
import { number, optionsOf, refuse, text, whole } from "../check.js";
import { badRequest, InformerError } from "../error.js";
import { onAbort } from "../promises.js";
import { containersOf, defaultContainer } from "./containers.js";
import { listener } from "./listener.js";
import { followLog } from "./log-follow.js";
import { joined } from "./log-columns.js";
import { Merge } from "./log-merge.js";
import { item } from "./refs.js";
import { followedPods } from "./log-pods.js";
import { Runs } from "./log-run.js";
import { isPod, podsOf, targetOf } from "./log-targets.js";
const OPTIONS = "container previous follow since tail maxLineBytes maxStreams joined pastFirst onState signal";
const MAX_LINE = 256 << 10;

/** Yields batches of lines. `context` has the client's functions. */
export async function* logs(context, ref, given) {
  const options = check(optionsOf("logs()", OPTIONS, given));
  if (!options.joined) return yield* read(context, ref, options);
  for await (const lines of read(context, ref, options)) yield joined(lines);
}

async function* read(context, ref, options) {
  const tell = listener("onState", options.onState);
  if (Array.isArray(ref)) return yield* merged(context, await several(context, ref, options, tell), options, tell);
  const target = await targetOf(context, ref, options);
  const { object } = target;
  if (!isPod(object) || options.container === "*") return yield* merged(context, await orFailed(tell, {}, podsOf(context, target, options)), options, tell);
  const pod = options.container === undefined || options.follow ? await orFailed(tell, { namespace: object.namespace, pod: object.name }, context.get(ref, { signal: options.signal })) : undefined;
  const container = options.container ?? defaultContainer(pod);
  const origin = { namespace: object.namespace, pod: object.name, container };
  const states = (state) => tell({ ...state, ...origin });
  yield* followLog(source(context, object, container, pod, options.signal, true), { ...options, container }, states);
}

function check({ container, previous = false, follow = false, since, tail, maxLineBytes = MAX_LINE, maxStreams = 50, joined = false, pastFirst = false, onState, signal }) {
  text("container", container);
  whole("tail", tail);
  whole("maxLineBytes", maxLineBytes, 1);
  whole("maxStreams", maxStreams, 1);
  if (previous && follow) throw badRequest("a previous container writes no more: leave out `follow` or `previous`");
  return { container, previous, follow, ...sinceOf(since), tail, maxLineBytes, maxStreams, joined, pastFirst, onState, signal };
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

/** The pods of several targets. One that cannot be read does not end the others: a state says why. */
async function several(context, refs, options, tell) {
  if (refs.length === 0) refuse("ref", "an array with at least one object");
  const targets = await Promise.all(refs.map((ref) => targetOf(context, ref, options)));
  let [failures, failure] = [0, undefined];
  const found = await Promise.all(targets.map((target) => podsOf(context, target, options).catch((error) => {
    if (!(error instanceof InformerError)) throw error;
    failures++;
    failure ??= error;
    tell({ state: "failed", error, ref: target.ref });
    return { pods: [], selections: [] };
  })));
  if (failures === targets.length) throw failure;
  return { pods: found.flatMap(({ pods }) => pods), selections: found.flatMap(({ selections }) => selections) };
}

/** The same pod has the same name and uid. */
const identity = ({ metadata: { namespace, name, uid } }) => `${namespace}/${name}/${uid}`;

/** The logs of pods, and of those that selections have while they are followed: new pods join. */
async function* merged(context, { pods, selections }, options, tell) {
  const named = new Map(pods.map((pod) => [identity(pod), pod]));
  const merge = new Merge();
  const life = new AbortController();
  const forget = [onAbort(options.signal, (reason) => merge.close(reason)), onAbort(context.sender.life, (reason) => merge.close(reason))];
  let running = 0;
  let waiting = [];
  let [begun, failures, failure] = [0, 0, undefined];
  let failedSelections = 0;
  const limited = () => tell({ state: "limited", waiting: waiting.length });
  /** If each of them has failed, the merge does, too. */
  const finishIfOver = () => running === 0 && selections.length === 0 && merge.finish(failures > 0 && failures === begun ? failure : undefined);
  /** Joins a container's log, or waits for a place. One that is `named` is followed into its next run by itself. */
  const join = (pod, container, isNew, isNamed) => {
    if (running >= options.maxStreams) {
      waiting.push([pod, container, isNew, isNamed]);
      return limited();
    }
    running++;
    begun++;
    const { name, namespace } = pod.metadata;
    const origin = { namespace, pod: name, container };
    const path = item({ group: "", version: "v1", resource: "pods" }, namespace, name);
    // A container that joins later is read from its beginning.
    // Several logs would wait for each other's connection.
    const how = { ...options, container, pastFirst: false, signal: life.signal, ...(isNew && { tail: undefined, sinceTime: undefined, sinceSeconds: undefined }) };
    const states = (state) => {
      if (state.state !== "connecting") merge.opened(origin);
      tell({ ...state, ...origin });
    };
    const lines = followLog(source(context, { path, namespace, name }, container, pod, life.signal, isNamed), how, states);
    merge.add(lines, origin, { past: !isNew }).catch((error) => {
      // One that fails does not end the others; its state says why.
      failures++;
      failure ??= error;
      if (!(error instanceof InformerError) && !life.signal.aborted) merge.close(error);
    }).finally(() => {
      running--;
      const next = life.signal.aborted ? undefined : waiting.shift();
      if (next) join(...next);
      else finishIfOver();
    });
  };
  let leave = () => {};
  try {
    for (const pod of named.values()) for (const container of containersOf(pod, options.container)) join(pod, container, false, true);
    finishIfOver();
    if (selections.length > 0) {
      leave = followedPods(context.factory, selections, options.container, {
        join: (pod, container, isNew) => named.has(identity(pod)) || join(pod, container, isNew, false),
        drop: (uid) => {
          const before = waiting.length;
          waiting = waiting.filter(([pod, , , isNamed]) => isNamed || pod.metadata.uid !== uid);
          if (waiting.length < before) limited();
        },
        tell,
        fail: (error) => {
          tell({ state: "failed", error });
          failedSelections++;
          // The other selections are still followed.
          if (failedSelections === selections.length && named.size === 0) merge.close(error);
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
