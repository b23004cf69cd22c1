// Benchmarks: `make bench`. All contestants are measured in one run, in alternating pairs.
//
//   SIZES=1k,10k      numbers of pods; default 1k,10k,50k,100k
//   SUITES=sync,watch those whose name matches; default all
//   PAIRS=5           pairs of each measurement; default 5 up to 10k, 3 beyond
//   RECORD=1          writes report, chart and tables although the run was narrowed
//   RECORD=more       the same, and keeps the report's figures of other suites and sizes, if they are of the same sources
//                     and machine, so that a long run can be split
//
// A whole run writes report.json, chart.svg and the tables of both READMEs. A narrowed one only prints its figures, and
// writes its report to the target folder. Contestants are compared only within one suite of one run.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { growth } from './growth.mjs';
import { machine } from './machine.mjs';
import { record } from './record.mjs';
import { here, launch, root, stageFiles, startApiserver, targetDir } from './stage.mjs';
import { unmeasured } from './statistics.mjs';

const suites = ['memory', 'app', 'reads', 'dashboard', 'overview', 'logs', 'start', 'relist', 'native', 'store', 'watch', 'sync', 'live', 'real'];

function sizes(text) {
  return text.split(',').map((word) => {
    const [, digits, thousand] = word.trim().match(/^(\d+)(k?)$/) ?? [];
    if (!digits) throw new Error(`SIZES=${text} is not a list of numbers such as 1k,10k`);
    return Number(digits) * (thousand ? 1000 : 1);
  });
}

/** The sizes that a suite measures: the wanted ones, unless it has its own. */
const sizesOf = (suite) => suite.sizes?.(wanted) ?? wanted;

const narrowed = Boolean(process.env.SIZES || process.env.SUITES || process.env.PAIRS);
const wanted = sizes(process.env.SIZES || '1k,10k,50k,100k');
const words = (process.env.SUITES || '').split(',').filter(Boolean);
const chosen = suites.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`no suite is named like ${words.join(', ')}; there are ${suites.join(', ')}`);

const recording = Boolean(process.env.RECORD) || !narrowed;
const reportFile = recording ? join(here, 'report.json') : join(targetDir, 'bench-report.json');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const set = ['SIZES', 'SUITES', 'PAIRS'].filter((key) => process.env[key]).map((key) => ` ${key}=${process.env[key]}`);
const figures = [];
const of = {
  commands: [`make bench${set.join('')}`],
  date: `${new Date().toISOString().slice(0, 16)}Z`,
  commit: git('rev-parse', '--short=12', 'HEAD'),
  sources: ['informer', 'web'].map((folder) => git('rev-parse', '--short=12', `HEAD:${folder}`)).join(' '),
  changed: git('status', '--porcelain', '--', 'informer', 'web') !== '',
};

/** Figures of an earlier part of this run that are not measured again. */
async function earlier(browser) {
  if (process.env.RECORD !== 'more') return [];
  const before = JSON.parse(await readFile(reportFile, 'utf8').catch(() => '{}'));
  const { cores, processor } = machine();
  const same =
    before.sources === of.sources &&
    !before.changed &&
    !of.changed &&
    before.browser === browser &&
    before.machine.cores === cores &&
    before.machine.processor === processor;
  if (!same) throw new Error('RECORD=more: the report is of other sources, another browser or another machine; take RECORD=1');
  of.commands.unshift(...before.commands);
  const again = new Map();
  for (const name of chosen) again.set(name, sizesOf(await import(`./suites/${name}.mjs`)));
  return before.figures.filter(({ suite, size }) => suite !== 'growth' && !again.get(suite)?.includes(size));
}

/** Saved after each measurement, because a later one may fail or be interrupted. */
async function save(complete) {
  const report = { ...of, complete, browser: of.browser, machine: machine(), figures };
  await mkdir(dirname(reportFile), { recursive: true });
  await writeFile(reportFile, `${JSON.stringify(report, null, 1)}\n`);
}

const say = (text) => console.log(`  ${text}`);

function show({ name, size, churn, value, unit, against, baseline, ratio, goal, met, note }) {
  const where = `${size.toLocaleString('en')}${churn ? ` at ${churn.toLocaleString('en')}/s` : ''}`;
  const beside = baseline === null ? '' : `, ${against} ${baseline}, ratio ${ratio}`;
  const verdict = met === null ? '' : met ? `  [goal met: ${goal}]` : `  [GOAL MISSED: ${goal}]`;
  say(`${name} (${where}): ${value === null ? note : `${value} ${unit}${beside}`}${verdict}`);
}

const ends = [];
try {
  const files = await stageFiles();
  ends.unshift(files.remove);
  const browser = await launch();
  ends.unshift(() => browser.close());
  of.browser = `Chromium ${browser.version()}`;
  figures.push(...(await earlier(of.browser)));
  const recordings = new Map();

  for (const name of chosen) {
    const suite = await import(`./suites/${name}.mjs`);
    console.log(`\n${name}: ${suite.title}`);
    for (const size of sizesOf(suite)) {
      const context = {
        browser,
        size,
        pairs: Number(process.env.PAIRS) || (size <= 10_000 ? 5 : 3),
        files,
        say,
        /** Runs `work` with a fresh apiserver. */
        async serving(options, work) {
          const server = await startApiserver({ www: files.folder, ...options });
          try {
            return await work(server.url, server);
          } finally {
            await server.stop();
          }
        },
        /** Recordings of a cluster of that size, made once per run. */
        async recorded(pods) {
          if (!recordings.has(pods)) {
            const path = `recorded/${pods}`;
            const summary = await record(join(files.folder, path), { pods, events: Math.min(20_000, Math.max(5_000, pods)) });
            recordings.set(pods, { ...summary, path: `/ui/${path}` });
          }
          return recordings.get(pods);
        },
      };
      const start = performance.now();
      let lines;
      try {
        lines = await suite.measure(context);
      } catch (error) {
        console.error(error);
        lines = [unmeasured({ name, unit: '', size, reason: error.message.split('\n')[0] })];
      }
      for (const line of lines) {
        show(line);
        figures.push({ suite: name, ...line });
      }
      await save(false);
      say(`(${((performance.now() - start) / 1000).toFixed(0)} s)`);
    }
  }

  // In the order of the suites, however many parts the run had.
  figures.sort((a, b) => suites.indexOf(a.suite) - suites.indexOf(b.suite) || a.size - b.size);
  const grown = growth(figures);
  if (grown.length > 0) console.log('\ngrowth: what an object costs in a large cluster, beside a small one');
  for (const line of grown) {
    show(line);
    figures.push({ suite: 'growth', ...line });
  }
  await save(true);
  if (recording) {
    execFileSync('node', [join(here, 'chart.mjs')], { stdio: 'inherit' });
    execFileSync('node', [join(here, 'table.mjs'), '--write'], { stdio: 'inherit' });
  }
  console.log(`\nwritten: ${recording ? 'tests/bench/report.json, tests/bench/chart.svg, the tables in README.md and tests/bench/README.md' : reportFile}`);
  const judged = figures.filter(({ met }) => met !== null);
  console.log(
    `${judged.filter(({ met }) => met).length} of ${judged.length} goals met, ${figures.filter(({ value }) => value === null).length} figures could not be taken`,
  );
} finally {
  for (const end of ends) await end();
}
