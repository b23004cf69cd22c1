// Second attempt: in CI, the browser tests that failed run once more, alone. A test that passes then is named in the last lines of
// the run: it depends on the machine, which is a fault of the test or a rare one of the page. Without CI there is none.
import { fail } from './counts.mjs';

/** More files than this have a cause in common. */
const MOST = 3;

/** Failed tests in the output of node:test's spec reporter: `{ file, title }`. */
export function failedIn(output) {
  const found = output.matchAll(/^test at (\S+?\.mjs):\d+:\d+\n✖ (.+?) \([\d.]+ms\)/gm);
  return [...found].map(([, file, title]) => ({ file, title }));
}

/**
 * The counts after a second attempt. `first` and `counts` are the output of the first one and its counts, `again(files)` runs these
 * files and resolves to the counts of all their tests.
 */
export async function secondAttempt(first, counts, again) {
  const failed = failedIn(first);
  const files = [...new Set(failed.map(({ file }) => file))];
  if (files.length === 0 || files.length > MOST) return counts;
  const second = await again(files);
  if (second.failed > 0) return { ...counts, notes: [...counts.notes, ...fail('the second attempt failed, too').notes] };
  const names = failed.map(({ file, title }) => `failed once, passed at the second attempt: ${title} (${file})`);
  return { ...counts, passed: counts.passed + counts.failed, failed: 0, notes: [...counts.notes, ...names] };
}
