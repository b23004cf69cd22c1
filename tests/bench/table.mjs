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

/** A ratio that says more turned round: five times as many, not a fifth of the time. */
function ratio({ ratio, spread }) {
  if (ratio === null) return '–';
  const [low, high] = spread.ratio;
  return low === high ? short(ratio) : `${short(ratio)} (${short(low)}–${short(high)})`;
}

function row(line) {
  const { name, size, churn, value, unit, against, baseline, goal, met, note } = line;
  const where = `${count(size)}${churn ? `, ${count(churn)}/s` : ''}`;
  if (value === null) return `| ${name} | ${where} | – | ${against ?? ''} | ${note} | ${goal ?? ''} |`;
  const beside = baseline === null ? '' : `${against}: ${short(baseline)}`;
  const verdict = goal === null ? '' : `${goal} ${met ? '✓' : '✗'}`;
  return `| ${name} | ${where} | ${short(value)} ${unit} | ${beside} | ${baseline === null ? '' : ratio(line)} | ${verdict} |`;
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
