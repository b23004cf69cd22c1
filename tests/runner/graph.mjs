// Task graph: runs steps, several at a time, as their dependencies and the things that they need alone allow.

/**
 * Runs each step once. Resolves when all have ended.
 *
 * A step is `{ name, after = [], uses = [] }`. It starts when the steps in `after` have ended, also by a failure, and
 * when no running step has a word of its `uses`; of those that can start, the first in the list does. Names in `after` that
 * are not in the list are ignored, so that a part of a graph is a graph.
 *
 * @param run called with a step; the step ends when its promise settles
 * @param jobs maximum number of parallel steps; at least 1
 */
export async function runGraph(steps, run, jobs) {
  const waiting = [...steps];
  const running = new Map();
  const isBlocked = ({ after = [], uses = [] }) =>
    [...waiting, ...running.keys()].some(({ name }) => after.includes(name)) || [...running.keys()].some((other) => other.uses?.some((word) => uses.includes(word)));
  while (waiting.length + running.size > 0) {
    const next = running.size < jobs ? waiting.findIndex((step) => !isBlocked(step)) : -1;
    if (next >= 0) {
      const [step] = waiting.splice(next, 1);
      running.set(step, Promise.resolve(step).then(run).catch(() => {}).then(() => running.delete(step)));
      continue;
    }
    if (running.size === 0) throw new Error(`these steps wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
    await Promise.race(running.values());
  }
}
