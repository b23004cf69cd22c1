// Causes: which changes of freshness and which requests the informer's counters explain.

/** Counters of the protocol, as differences. */
export const since = (before, after) => Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));

/**
 * Judges the states that a page has been in, by how often it came to each. A healthy page is live, and catches up when a
 * watch is opened again or is suspected; how often that is depends on the machine, and each time has a cause that is counted.
 *
 * @returns what has no cause, in words; nothing where all is well
 */
export function unexplained(states, { watches, suspicions }) {
  const strange = Object.keys(states).filter((state) => state !== 'live' && state !== 'catching-up');
  const causes = watches + suspicions;
  const caught = states['catching-up'] ?? 0;
  return [
    ...strange.map((state) => `${states[state]} times ${state}`),
    // The one that has begun may not be over.
    ...(caught > causes + 1 ? [`${caught} times catching up, for ${causes} causes`] : []),
  ];
}

/**
 * The most that a healthy page asks for. A watch lives for five to ten minutes; behind each there may be a proof or a list.
 * A suspicion costs a proof and a watch, and so does a watch that the server cuts off because the page reads too slowly.
 */
export function allowed(minutes, { suspicions, earlyEnds }) {
  const more = suspicions + earlyEnds;
  return { requests: 10 + 2 * minutes + 3 * more, lists: 1 + minutes / 10 + earlyEnds, watches: 2 + minutes / 4 + more };
}
