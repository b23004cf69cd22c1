// Chart of report.json: `node tests/bench/chart.mjs` writes chart.svg.
//
// It has four panels: time to sync, memory, events of a watch, and the native comparison with client-go. There is one
// bar per contestant, grouped by size. Each group has its own scale, because only ratios within a group matter.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Bars of a panel: [label, suite's figure name, against, side of the comparison]. */
const panels = [
  {
    title: 'Time to a synced cache',
    unit: 'ms',
    less: true,
    bars: [
      ['bare download', 'sync', 'download', 'baseline'],
      ['kube-informer', 'sync', 'download', 'value'],
      ['JavaScript', 'sync', 'javascript', 'baseline'],
      ['@kubernetes/client-node', 'sync', 'client-node', 'baseline'],
    ],
  },
  {
    title: 'Memory of the cache',
    unit: 'MB',
    less: true,
    bars: [
      ['JSON on the wire', 'memory, all in', 'JSON on the wire', 'baseline'],
      ['kube-informer', 'memory, all in', 'JSON on the wire', 'value'],
      ['JavaScript', 'memory, all in', 'V8 heap', 'baseline'],
    ],
  },
  {
    title: 'Events of a watch',
    unit: '/s',
    less: false,
    bars: [
      ['kube-informer', 'watch', 'javascript', 'value'],
      ['JavaScript', 'watch', 'javascript', 'baseline'],
      ['@kubernetes/client-node', 'watch', 'client-node', 'baseline'],
    ],
  },
  {
    title: 'Natively: CPU until synced',
    unit: 'ms',
    less: true,
    bars: [
      ['kube-informer', 'native CPU until synced', 'client-go', 'value'],
      ['client-go', 'native CPU until synced', 'client-go', 'baseline'],
      ['client-go, streaming list', 'native CPU until synced', 'client-go, streaming list', 'baseline'],
    ],
  },
];

const escape = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);
const number = (value) => (value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2))));

const WIDTH = 800;
const LABEL = 190;
const BAR = 16;
const colour = (label) => (label === 'kube-informer' ? 'ours' : ['bare download', 'JSON on the wire'].includes(label) ? 'floor' : 'theirs');

export function chart({ figures, machine, browser, date, commit }) {
  const find = (name, against, size) =>
    figures.find((line) => line.name === name && line.against === against && line.size === size && line.churn === 0);
  const parts = [];
  let y = 24;
  for (const { title, unit, less, bars } of panels) {
    const sizes = [
      ...new Set(figures.filter(({ name, value }) => bars.some(([, of]) => of === name) && value !== null).map(({ size }) => size)),
    ];
    // The smallest and the two largest sizes suffice; the report has all.
    const shown = sizes.filter((size) => size >= 10_000).length > 0 ? sizes.filter((size) => size >= 10_000) : sizes;
    if (shown.length === 0) continue;
    parts.push(
      `<text class="title" x="0" y="${y}">${escape(title)}<tspan class="quiet" dx="8">${less ? 'less' : 'more'} is better</tspan></text>`,
    );
    y += 12;
    for (const size of shown) {
      const values = bars.map(([label, name, against, side]) => [label, find(name, against, size)?.[side] ?? null]);
      const most = Math.max(...values.map(([, value]) => value ?? 0));
      y += 14;
      parts.push(`<text class="quiet" x="0" y="${y}">${size.toLocaleString('en')} pods</text>`);
      y += 6;
      for (const [label, value] of values) {
        const width = value === null ? 0 : Math.max(1, (value / most) * (WIDTH - LABEL - 110));
        parts.push(`<text class="label" x="${LABEL - 8}" y="${y + 12}">${escape(label)}</text>`);
        if (value !== null)
          parts.push(`<rect class="${colour(label)}" x="${LABEL}" y="${y + 2}" width="${width.toFixed(1)}" height="${BAR - 4}" rx="2"/>`);
        const said = value === null ? 'not measured' : `${number(value)} ${unit}`;
        parts.push(`<text x="${(LABEL + width + 6).toFixed(1)}" y="${y + 12}">${said}</text>`);
        y += BAR;
      }
    }
    y += 30;
  }
  const { cores, processor, memory } = machine;
  parts.push(
    `<text class="quiet" x="0" y="${y}">${escape(`${date.slice(0, 10)}, commit ${commit}, ${browser}, ${cores} cores (${processor}), ${memory}. Medians; each group has a scale of its own.`)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 0 ${WIDTH + 32} ${y + 16}" role="img" aria-label="Benchmarks of kube-informer">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .label { text-anchor: end }
  .quiet { font-size: 11px; font-weight: 400; fill: #59636e }
  .ours { fill: #1f6feb } .theirs { fill: #9aa4ae } .floor { fill: #c8ccd1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 }
    .ours { fill: #58a6ff } .theirs { fill: #6e7681 } .floor { fill: #484f58 }
  }
</style>
${parts.join('\n')}
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = JSON.parse(readFileSync(join(here, 'report.json'), 'utf8'));
  writeFileSync(join(here, 'chart.svg'), chart(report));
}
