// Stage of the tests of logs: lines, bodies that end or break off, pods in each state, and a log that is read or followed.
import { clientStage, json } from './client-stage.mjs';
import { until } from './engine.mjs';

// Node has one from version 22 on; by default logs go over `fetch`.
globalThis.WebSocket = undefined;

export const bytes = (text) => new TextEncoder().encode(text);
export const texts = (lines) => lines.map(({ text }) => text);
export const at = (second, nanos = '') => `2026-01-01T00:00:${String(second).padStart(2, '0')}${nanos && `.${nanos}`}Z`;
export const line = (time, text) => ({ time, text, cut: 0 });

/** Stops the clock: a source that has been quiet for long holds up no other, and on a loaded machine any of them may be. */
export const stopClock = (t) => t.mock.timers.enable({ apis: ['Date'], now: 1e12 });

/** A body that ends, or breaks off, once its parts have been read: what waits to be read when a stream fails is lost. */
export function chunked(parts, fails) {
  const left = [...parts];
  const pull = (controller) => {
    if (left.length > 0) controller.enqueue(bytes(left.shift()));
    else if (fails) controller.error(new TypeError('network error'));
    else controller.close();
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
}

/** The pod `p` after so many restarts of its container. */
export const restarted = (restartCount, state, lastState, spec, metadata) =>
  json({ metadata: { name: 'p', ...metadata }, spec: { containers: [{ name: 'c' }], ...spec }, status: { containerStatuses: [{ name: 'c', restartCount, state, lastState }] } });
export const crash = (finishedAt) => ({ terminated: { exitCode: 1, reason: 'Error', finishedAt } });

export const p = { resource: 'v1/pods', namespace: 'n', name: 'p' };

/**
 * Reads logs to their end: `{ lines, states, error, asked, stage }`. `answer` is called with the path of each request, `onState`
 * with the stage, too.
 */
export async function readAll(answer, ref, options, prepare = () => {}, url = undefined) {
  const states = [];
  const stage = await clientStage((_, path, init) => answer(path, init), { url });
  const lines = [];
  prepare(stage, lines, states);
  let error;
  try {
    for await (const batch of stage.client.logs(ref, { ...options, onState: (state) => (states.push(state), options?.onState?.(state, stage)) })) lines.push(...batch);
  } catch (cause) {
    error = cause;
  }
  return { lines, states, error, asked: stage.asked, stage };
}

/** Follows the log of `p`, whose status and whose logs are answered in turn; the last ones are repeated. */
export function follow(pods, logs, options) {
  const next = (answers) => (answers.length > 1 ? answers.shift() : answers[0])();
  return readAll((path) => next(path.includes('/log') ? logs : pods), p, { follow: true, ...options });
}

/** The states of a log, each with its exit code or its reason. */
export const told = (states) => states.map(({ state, exitCode, reason }) => [state, exitCode ?? reason].filter((word) => word !== undefined).join(' '));

/**
 * A followed selection of pods, whose informer is the test's: `say()` sends it changes, `say.to()` to another handler; `done` resolves
 * when the log has ended.
 */
export async function followSelection(answer, options, ref = { namespace: 'n', labelSelector: 'app=web' }) {
  const log = {};
  let begun;
  const ready = new Promise((resolve) => (begun = resolve));
  const done = readAll(answer, ref, { follow: true, ...options }, (stage, lines, states) => {
    Object.assign(log, { stage, lines, states });
    begun();
  });
  await ready;
  const heard = (type) => log.stage.page.engine.heard.findLast((message) => message.type === type);
  await until(() => heard('addEventHandler'));
  const { informer, handler } = heard('addEventHandler');
  const say = (...changes) => say.to(informer, handler, ...changes);
  say.to = (of, handler, ...changes) => log.stage.page.engine.say({ type: 'changes', informer: of, handler, changes });
  return { ...log, informer, heard, say, done };
}
