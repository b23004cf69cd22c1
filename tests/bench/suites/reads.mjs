// Latency of a page's requests to the worker: an index, a sort, a keystroke in the filter. Round trips of the engine's
// messages, without the page's processing.
import { Runner } from '../stage.mjs';
import { figure, median } from '../statistics.mjs';

export const title = 'reads, sorts and filters, from the page to the worker and back';

export async function measure({ browser, size, serving }) {
  return serving({ pods: size }, async (origin) => {
    const page = await Runner.open(browser, origin, 'reads', 'page');
    await page.call('sync');
    // Warm-up.
    await page.call('index', 20);
    const index = await page.call('index', 60);
    await page.call('sort', 6);
    const sort = await page.call('sort', 24);
    await page.call('filter', 6);
    const filter = await page.call('filter', 24);
    await page.close();
    const goal = (limit) => (size === 100_000 ? { value: true, below: limit } : undefined);
    const each = `${index.each.toFixed(0)} pods each`;
    return [
      figure({ name: 'byIndex', unit: 'ms', size, value: index.objects, goal: goal(1), note: `${each}, as text` }),
      figure({ name: 'byIndex, parsed in the page', unit: 'ms', size, value: index.parsed, note: each }),
      figure({ name: 'indexKeys', unit: 'ms', size, value: index.keys, note: each }),
      ...Object.entries(sort.by).map(([column, value]) =>
        figure({ name: `sort by ${column.toLowerCase()}`, unit: 'ms', size, value, goal: goal(50), note: 'of an open view' }),
      ),
      figure({
        name: 'a keystroke of the filter',
        unit: 'ms',
        size,
        value: filter.milliseconds,
        goal: goal(30),
        note: `typed letter by letter: ${letters(filter)}`,
      }),
      figure({
        name: 'the first letter of the filter',
        unit: 'ms',
        size,
        value: Object.values(filter.by)[0],
        goal: goal(30),
        note: 'the one of the keystrokes that every row is asked for',
      }),
    ];
  });
}

/** Time of each keystroke, and the number of matching rows. */
const letters = ({ by, totals }) =>
  Object.entries(by)
    .map(([word, times]) => `${word} ${median(times).toFixed(1)} ms (${totals[word].toLocaleString('en')} rows)`)
    .join(', ');
