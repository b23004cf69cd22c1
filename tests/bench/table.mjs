// Tables of report.json: all figures with a goal in tests/bench/README.md, six of them in the root README.
//
//   node tests/bench/table.mjs          prints both
//   node tests/bench/table.mjs --write  writes them between the markers of their files
//   node tests/bench/table.mjs --check  fails if a file or the chart differs from report.json
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Files, each with the name of its markers (`<!-- name -->`, `<!-- /name -->`) and the table between them. */
const PLACES = [
  { file: 'tests/bench/README.md', name: 'bench', make: table },
  { file: 'README.md', name: 'figures', make: highlights },
];

/** The figures of the root README: name and size in the report, and their wording. */
const HIGHLIGHTS = [
  ['memory, all in', 100_000, 'Memory of the cache in a browser'],
  ['native resident memory', 100_000, 'Memory of a native informer'],
  ['native sync', 100_000, 'First list, natively'],
  ['sync', 100_000, 'First list, in a browser'],
  ['a keystroke of the filter', 100_000, 'A keystroke in the filter'],
  ['dashboard, event to painted cell, 99 %', 50_000, 'Event to painted cell, 99th percentile'],
];

const count = (number) => number.toLocaleString('en');
const short = (number) => {
  if (number === null) return '–';
  if (number >= 100) return count(Math.round(number));
  return String(Number(number.toPrecision(number >= 1 ? 3 : 2)));
};

/** A median, and the middle half of its samples where that is more than a point. */
function withSpread(middle, spread) {
  const [low, high] = spread.map(short);
  return low === high ? short(middle) : `${short(middle)} (${low}–${high})`;
}

function row({ name, size, churn, value, unit, against, baseline, ratio, spread, goal, met, note }) {
  const where = `${count(size)}${churn ? `, ${count(churn)}/s` : ''}`;
  if (value === null) return `| ${name} | ${where} | – | ${against ?? ''} | ${note} | ${goal ?? ''} |`;
  const verdict = met === null ? `${goal}: ${note}` : `${goal} ${met ? '✓' : '✗'}`;
  if (baseline === null) return `| ${name} | ${where} | ${withSpread(value, spread.value)} ${unit} | | | ${verdict} |`;
  return `| ${name} | ${where} | ${short(value)} ${unit} | ${against}: ${short(baseline)} | ${withSpread(ratio, spread.ratio)} | ${verdict} |`;
}

/** Table of the figures that have a goal, and of those that could not be measured. */
export function table(report) {
  const { figures, machine, browser, commit, changed, date, commands } = report;
  const lines = figures.filter(({ goal }) => goal !== null);
  const { cores, processor, memory, load } = machine;
  return [
    '| | pods | ours | beside | ratio (middle half) | goal |',
    '|---|--:|--:|--:|--:|---|',
    ...lines.map(row),
    '',
    `${commands.map((command) => `\`${command}\``).join(', ')} on ${date.slice(0, 10)} at commit ${commit}${changed ? ' with changes' : ''}: ${cores} cores (${processor}), ${memory}, ` +
      `${browser}, load ${load} at the end. All figures: [report.json](report.json).`,
  ].join('\n');
}

/** The figures of the root README. */
export function highlights({ figures }) {
  const lines = HIGHLIGHTS.map(([name, size, text]) => {
    const { value, unit, against, baseline, churn } = figures.find((figure) => figure.name === name && figure.size === size);
    const where = `${count(size)}${churn ? `, ${count(churn)} changes/s` : ''}`;
    return `| ${text} | ${where} | ${short(value)} ${unit} | ${baseline === null ? '' : `${against}: ${short(baseline)} ${unit}`} |`;
  });
  return ['| | pods | kube-informer | compared with |', '|---|--:|--:|--:|', ...lines].join('\n');
}

function section(text, { file, name }) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for its table: ${begin} and ${end} are missing`);
  return { before: text.slice(0, from + begin.length), now: text.slice(from + begin.length, to).trim(), after: text.slice(to) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = join(here, 'report.json');
  if (!existsSync(source)) throw new Error('tests/bench/report.json is missing: run make bench');
  const report = JSON.parse(readFileSync(source, 'utf8'));
  const stale = [];
  for (const place of PLACES) {
    const path = join(here, '../..', place.file);
    const made = place.make(report);
    const { before, now, after } = section(readFileSync(path, 'utf8'), place);
    if (process.argv.includes('--write')) writeFileSync(path, `${before}\n${made}\n${after}`);
    else if (!process.argv.includes('--check')) console.log(`${made}\n`);
    else if (now !== made) stale.push(`the table in ${place.file}`);
  }
  if (process.argv.includes('--check')) {
    if (readFileSync(join(here, 'chart.svg'), 'utf8') !== chart(report)) stale.push('tests/bench/chart.svg');
    if (stale.length > 0) {
      console.error(
        `${stale.join(' and ')} differ from tests/bench/report.json: run node tests/bench/table.mjs --write && node tests/bench/chart.mjs`,
      );
      process.exit(1);
    }
  }
}
