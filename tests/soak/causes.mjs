// Causes: which changes of freshness and which requests the informer's counters explain.

/** Counters of the protocol, as differences. */
export const since = (before, after) => Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));

/**
 * Checks the numbers of transitions of a page to each state. A healthy page is live, and catches up when a watch is opened
 * again or is suspected; where a starved worker misses the answer to a request, that is an error, and the page is disconnected
 * or stale. The numbers depend on the machine, and each time has a counted cause.
 *
 * @returns descriptions of transitions without a cause; empty if there are none
 */
export function unexplained(states, { watches, suspicions, errors }) {
  const others = Object.keys(states).filter((state) => state !== 'live' && state !== 'catching-up');
  const isKnown = others.every((state) => state === 'disconnected' || state === 'stale');
  const strange = isKnown && others.reduce((sum, state) => sum + states[state], 0) <= errors ? [] : others;
  const causes = watches + suspicions + errors;
  const caught = states['catching-up'] ?? 0;
  return [
    ...strange.map((state) => `${states[state]} times ${state}`),
    // The last one may not have ended.
    ...(caught > causes + 1 ? [`${caught} times catching up, for ${causes} causes`] : []),
  ];
}

/**
 * Requests that count the kinds of the navigation (`web/src/counting.rs`): one for each kind of the embedded apiserver, which may begin
 * before the first look, and so many a minute from then on.
 */
const [KINDS, COUNTS] = [50, 10];

/**
 * Maximum number of requests of a healthy page. A watch lasts five to ten minutes; a probe or a list may follow each. A
 * suspicion causes a probe and a watch, and so does a watch that the server ends because the page reads too slowly, or a request
 * without an answer.
 */
export function allowed(minutes, { suspicions, earlyEnds, errors }) {
  const more = suspicions + earlyEnds + errors;
  return { requests: 10 + KINDS + (2 + COUNTS) * minutes + 3 * more, lists: 1 + minutes / 10 + earlyEnds, watches: 2 + minutes / 4 + more };
}
