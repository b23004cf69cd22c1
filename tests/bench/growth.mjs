// Growth: the cost of an object at the largest size, compared with 10,000.
import { figure } from './statistics.mjs';

// Figures that include the network depend on the server, whose pages are slower in a large cluster. They are reported
// without a goal.
const followed = {
  sync: 'download',
  'CPU of the renderer during sync': 'javascript',
  'decode and store': 'JSON.parse and Map',
  'memory, all in': 'JSON on the wire',
};

export function growth(figures) {
  return Object.entries(followed).flatMap(([name, against]) => {
    const of = figures.filter((line) => line.name === name && line.against === against && line.value !== null);
    const small = of.find(({ size }) => size === 10_000);
    const large = of.filter(({ size }) => size > 10_000).at(-1);
    if (!small || !large) return [];
    const each = ({ value, size }) => (1000 * value) / size;
    const unit = { ms: 'µs an object', MB: 'kB an object' }[small.unit];
    const download = name === 'sync' && (large.baseline / large.size / (small.baseline / small.size)).toFixed(2);
    const goal = large.size === 100_000 ? { ratio: true, atMost: 1.3 } : undefined;
    return [
      figure({
        name: `growth of ${name}`,
        unit,
        size: large.size,
        against: '10,000 objects',
        value: [each(large)],
        baseline: [each(small)],
        goal,
        judged: !download,
        note: download ? `the bare download grows by ${download}` : undefined,
      }),
    ];
  });
}
