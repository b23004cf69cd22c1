// The README's table, made from report.json.
//
//   node tests/bench/table.mjs          prints it
//   node tests/bench/table.mjs --write  puts it between the markers in README.md
//   node tests/bench/table.mjs --check  fails when README.md has another one, or the chart is not the report's
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const readme = join(here, '../../README.md');
const [begin, end] = ['<!-- bench -->', '<!-- /bench -->'];

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

/** The figures that have a goal, and those that could not be taken. */
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
      `${browser}, load ${load} at the end. All figures: [tests/bench/report.json](tests/bench/report.json).`,
  ].join('\n');
}

function section(text) {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no place for the table: ${begin} and ${end} are missing`);
  return { before: text.slice(0, from + begin.length), now: text.slice(from + begin.length, to).trim(), after: text.slice(to) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(here, 'report.json');
  if (!existsSync(file)) throw new Error('tests/bench/report.json is missing: run make bench');
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const text = readFileSync(readme, 'utf8');
  const made = table(report);
  if (process.argv.includes('--write')) {
    const { before, after } = section(text);
    writeFileSync(readme, `${before}\n${made}\n${after}`);
  } else if (process.argv.includes('--check')) {
    const stale = [];
    if (section(text).now !== made) stale.push('the table in README.md');
    if (readFileSync(join(here, 'chart.svg'), 'utf8') !== chart(report)) stale.push('tests/bench/chart.svg');
    if (stale.length > 0) {
      console.error(
        `${stale.join(' and ')} and tests/bench/report.json differ: run node tests/bench/table.mjs --write && node tests/bench/chart.mjs`,
      );
      process.exit(1);
    }
  } else {
    console.log(made);
  }
}
