// Second attempt: in CI, the files of failed browser tests run once more. A test that passes then is named in the last lines of
// the run: it depends on the machine, which is a fault of the test or a rare one of the page. Without CI there is none.
import { fail } from './counts.mjs';

/** More files than this have a cause in common. */
const MOST = 3;

/** Failed tests in the output of node:test's spec reporter: `{ file, title }`. */
export function failedIn(output) {
  // A cancelled test has no duration.
  const found = output.matchAll(/^test at (\S+?\.mjs):\d+:\d+\n✖ (.+?)(?: \([\d.]+ms\))?$/gm);
  return [...found].map(([, file, title]) => ({ file, title }));
}

/**
 * The counts after a second attempt. `first` and `counts` are the output of the first one and its counts, `again(files)` runs these
 * files and resolves to the counts of all their tests.
 */
export async function secondAttempt(first, counts, again) {
  const failed = failedIn(first);
  const files = [...new Set(failed.map(({ file }) => file))];
  // A failure that is not found here might be in another file.
  if (failed.length < counts.failed || files.length > MOST) return counts;
  const second = await again(files);
  if (second.failed > 0 || second.passed < failed.length) return { ...counts, notes: [...counts.notes, ...fail('the second attempt did not pass').notes] };
  const names = failed.map(({ file, title }) => `failed once, passed at the second attempt: ${title} (${file})`);
  return { ...counts, passed: counts.passed + counts.failed, failed: 0, notes: [...counts.notes, ...names] };
}
