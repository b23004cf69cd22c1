// The verdict of a run: whether enough mutants were caught.

/** Number of survivors that a change may have. Of three mutants, 85 % is all of them, and one of them may be equivalent. */
export const SPARED = 3;

/** Whether the score is good: `caught` of all viable mutants is at least `goal` percent, or a change leaves few survivors. */
export function judge({ caught, missed, goal, isChange }) {
  const viable = caught + missed;
  const score = viable === 0 ? 100 : (100 * caught) / viable;
  return { viable, score, isGood: score >= goal || (isChange && missed <= SPARED) };
}

/** The score of each folder, in percent, from `{ folder, caught, viable }` of its files. */
export function byFolder(scores) {
  const folders = new Map();
  for (const { folder, caught, viable } of scores) {
    const sum = folders.get(folder) ?? { folder, caught: 0, viable: 0 };
    folders.set(folder, { folder, caught: sum.caught + caught, viable: sum.viable + viable });
  }
  return [...folders.values()].map(({ folder, caught, viable }) => ({ folder, viable, score: judge({ caught, missed: viable - caught }).score }));
}

/** The survivors of a good run, as the test runner's reasons: it repeats these at its end. */
export const spared = (names) => names.map((name) => `  mutants skipped: survivor: ${name}`).join('\n');
