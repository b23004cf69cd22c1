// Mutation testing of the npm package's page side with Stryker: finds changes of informer/npm/src that no test detects.
//
//   make mutants NPM=1                 all of informer/npm/src
//   make mutants NPM=1 FILE=view.js    the files whose path has one of these words, such as client/
//   make mutants NPM=1 CHANGED=1       the lines that differ from BASE
//
// Its tests are those of informer/npm/test/unit and others that need no browser: node runs the modules against an engine that
// a test simulates, so a mutant takes a second instead of a start of Chromium. Stryker builds all mutants into
// one copy of the sources (target/mutants/npm) and notes which test file reaches which.
//
// The last line is `12 passed, 0 failed, 3 skipped`: mutants that were caught, those that were not where that fails the goal
// of GOAL percent, and others. A change may leave three survivors.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { base, changedLines, copyTree, git } from './tree.mjs';
import { excluded, sources, testGlobs } from './npm-files.mjs';
import { byFolder, judge, spared } from './verdict.mjs';

const { FILE = '', CHANGED = '', GOAL = '85' } = process.env;
const here = resolve('tests/mutants');
const copy = resolve('target/mutants/npm');
const project = join(copy, 'informer/npm');

function chosen() {
  const files = sources('informer/npm/src');
  const words = FILE.split(/[\s,]+/).map((word) => word.replace(/^.*informer\/npm\/src\//, ''));
  const some = files.filter((name) => words.some((word) => name.includes(word)));
  if (!CHANGED) return some.map((name) => `src/${name}`);
  const from = base();
  console.log(`changes since ${git('log', '-1', '--format=%h %s', from).trim()}`);
  const lines = changedLines(git('diff', '--no-color', '--no-ext-diff', '--unified=0', from, '--', 'informer/npm/src'));
  return some.flatMap((name) => (lines.get(`informer/npm/src/${name}`) ?? []).map(([first, last]) => `src/${name}:${first}-${last}`));
}

function finish(passed, failed, skipped) {
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`, () => process.exit(failed > 0 ? 1 : 0));
}

const mutate = chosen();
if (mutate.length === 0) {
  console.log(`  mutants skipped: ${CHANGED ? 'nothing of informer/npm/src has changed' : 'no such file'}`);
  finish(0, 0, 1);
} else {
  mkdirSync(copy, { recursive: true });
  rmSync(join(project, '.stryker-tmp'), { recursive: true, force: true });
  copyTree(['informer/npm/src', 'informer/npm/test', 'informer/npm/package.json'], copy);
  const testFiles = testGlobs(project);
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  writeFileSync(
    join(project, 'stryker.config.json'),
    JSON.stringify({
      plugins: [join(here, 'node_modules/@stryker-mutator/tap-runner/dist/src/index.js')],
      testRunner: 'tap',
      tap: { testFiles, nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'], forceBail: true },
      mutate,
      coverageAnalysis: 'perTest',
      ignoreStatic: false,
      reporters: ['json'],
      jsonReporter: { fileName: report },
      tempDirName: join(project, '.stryker-tmp'),
      concurrency: +(process.env.JOBS ?? 1),
      timeoutMS: 20_000,
      allowConsoleColors: false,
      disableTypeChecks: false,
      checkers: [],
    }),
  );
  const child = spawn(process.execPath, [join(here, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', 'stryker.config.json', '--logLevel', 'warn'], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0 || !existsSync(report)) {
    console.log(`Stryker ended with ${code}: see the lines above`);
    finish(0, 1, 0);
  } else {
    const { files } = JSON.parse(readFileSync(report, 'utf8'));
    let [passed, missed, useless] = [0, [], 0];
    const scores = [];
    for (const [file, { mutants, source }] of Object.entries(files)) {
      const lines = source.split('\n');
      const is = (...statuses) => mutants.filter(({ status }) => statuses.includes(status));
      const caught = is('Killed', 'Timeout');
      const survivors = is('Survived', 'NoCoverage');
      passed += caught.length;
      useless += mutants.length - caught.length - survivors.length;
      for (const { location: { start, end }, mutatorName, replacement, status } of survivors) {
        const text = start.line === end.line ? lines[start.line - 1].slice(start.column - 1, end.column - 1) : `${lines[start.line - 1].slice(start.column - 1)}…`;
        missed.push(`${file}:${start.line}:${start.column}: ${mutatorName}: ${text} → ${replacement ?? ''}${status === 'NoCoverage' ? ' (no test comes here)' : ''}`.replace(/\s+/g, ' '));
      }
      console.log(`${file}: ${caught.length} of ${caught.length + survivors.length} caught`);
      scores.push({ folder: dirname(file), caught: caught.length, viable: caught.length + survivors.length });
    }
    const { score, viable, isGood: good } = judge({ caught: passed, missed: missed.length, goal: +GOAL, isChange: Boolean(CHANGED) });
    console.log(`\nsurvivors:\n${missed.map((line) => `  ${line}`).join('\n') || '  none'}\n`);
    for (const [file, reason] of Object.entries(excluded)) console.log(`left out: ${file}: ${reason}`);
    for (const each of byFolder(scores)) console.log(`${each.folder}: ${each.score.toFixed(1)} % of ${each.viable}`);
    console.log(`score ${score.toFixed(1)} % of ${viable} viable mutants (goal ${GOAL} %)`);
    if (good && missed.length > 0) console.log(spared(missed));
    finish(passed, good ? 0 : missed.length, (good ? missed.length : 0) + useless);
  }
}
