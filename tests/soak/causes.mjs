// Causes: which changes of freshness and which requests the informer's counters explain.

/** Counters of the protocol, as differences. */
export const since = (before, after) => Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));

/**
 * Checks the numbers of transitions of a page to each state. A healthy page is live, and catches up when a watch is opened
 * again or is suspected; the number depends on the machine, and each time has a counted cause.
 *
 * @returns descriptions of transitions without a cause; empty if there are none
 */
export function unexplained(states, { watches, suspicions }) {
  const strange = Object.keys(states).filter((state) => state !== 'live' && state !== 'catching-up');
  const causes = watches + suspicions;
  const caught = states['catching-up'] ?? 0;
  return [
    ...strange.map((state) => `${states[state]} times ${state}`),
    // The last one may not have ended.
    ...(caught > causes + 1 ? [`${caught} times catching up, for ${causes} causes`] : []),
  ];
}

/**
 * Maximum number of requests of a healthy page. A watch lasts five to ten minutes; a probe or a list may follow each. A
 * suspicion causes a probe and a watch, and so does a watch that the server ends because the page reads too slowly.
 */
export function allowed(minutes, { suspicions, earlyEnds }) {
  const more = suspicions + earlyEnds;
  return { requests: 10 + 2 * minutes + 3 * more, lists: 1 + minutes / 10 + earlyEnds, watches: 2 + minutes / 4 + more };
}
