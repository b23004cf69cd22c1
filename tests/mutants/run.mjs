// Mutation testing of the Rust core: finds code changes that no test detects.
//
//   make mutants                     all modules that .cargo/mutants.toml names
//   make mutants FILE=view/order.rs  the files of the crates whose path has one of these words
//   make mutants SKIP=name           without the tests whose names contain one of these words
//   make mutants CHANGED=1           the lines that differ from BASE; at most MOST mutants, evenly chosen
//
// cargo-mutants lists the mutants. A build for each would take days, so switch/ puts all of them into one build,
// each behind a switch, in a copy of the tree (target/mutants). Which test reaches which mutant is recorded once; then each
// mutant is switched on, and the tests that reach it run, the fast ones first. The few that cannot be put behind a switch
// (a binding condition, a constant, an opaque type) are built one by one by cargo-mutants, in the whole run.
//
// The survivors and the score are printed, and as the last line `12 passed, 0 failed, 3 skipped`: mutants that were caught,
// those that were not where that fails the goal of GOAL percent, and others. A change may leave three survivors. An exception
// in .cargo/mutants.toml that matches no mutant is an error.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readConfig, withoutExceptions, withoutMatch } from './exceptions.mjs';
import { base, changedLines, copyFolder, copyTree, git } from './tree.mjs';
import { judge as judgeScore, spared } from './verdict.mjs';

const { FILE = '', CHANGED = '', LEFT = CHANGED || FILE ? '' : '1' } = process.env;
// With few mutants, an equivalent one has a large weight.
const goal = +(process.env.GOAL || (CHANGED ? 85 : 95));
const most = +(process.env.MOST || (CHANGED ? 100 : Infinity));
const folder = resolve('target/mutants');
const tree = join(folder, 'tree');
// A copy of the sources at the start, so that later edits do not change the run.
const pristine = join(folder, 'pristine');
const sources = ['Cargo.toml', 'Cargo.lock', '.cargo', 'clippy.toml', 'informer', 'web', 'tests/apiserver', 'tests/bench/native', 'tests/conformance'];

const crates = [
  { name: 'informer', sources: 'informer/src' },
  { name: 'informer-engine', sources: 'informer/engine/src' },
];
const packages = crates.flatMap(({ name }) => ['--package', name]);
/** Working directory of each test binary: the folder of its package. */
const folders = new Map();

const settings = readFileSync('.cargo/mutants.toml', 'utf8');
const config = readConfig(settings);
const { additional_cargo_test_args: testArgs, features, profile } = config;
const env = {
  ...process.env,
  CARGO_TARGET_DIR: join(folder, 'target'),
  // Fewer cases find nearly as many mutants; the cases are deterministic, and failing ones need not be shrunk.
  PROPTEST_CASES: process.env.PROPTEST_CASES ?? '24',
  PROPTEST_RNG_SEED: '1',
  PROPTEST_MAX_SHRINK_ITERS: '0',
  PROPTEST_DISABLE_FAILURE_PERSISTENCE: 'true',
  RUST_BACKTRACE: '0',
};

/**
 * Runs a command. Some mutants loop or allocate without end, so seconds of CPU and kilobytes of memory can be limited; not
 * the time, which depends on the machine. A process without CPU use for twenty seconds waits forever.
 */
function run(command, args, { cwd = tree, extra = {}, cpu, show = false, memory = 16e6 } = {}) {
  return new Promise((done, fail) => {
    const limited = ['-c', `ulimit -v ${memory}; ulimit -t ${cpu ?? 'unlimited'}; exec "$@"`, 'bash', command, ...args];
    const child = spawn('bash', limited, { cwd, env: { ...env, ...extra }, stdio: ['ignore', 'pipe', show ? 'inherit' : 'pipe'], detached: true });
    const output = [];
    let late = false;
    let before;
    const timer = cpu && setInterval(() => {
      const spent = cpuOf(child.pid);
      if (spent === before) ((late = true), tryKill(child.pid));
      before = spent;
    }, 20_000);
    child.stdout.on('data', (chunk) => (output.push(chunk), show && process.stdout.write(chunk)));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.once('error', fail);
    child.once('close', (code, signal) => {
      clearInterval(timer);
      done({ code, late: late || signal === 'SIGXCPU' || (cpu && signal === 'SIGKILL'), output: Buffer.concat(output).toString() });
    });
    process.once('exit', () => child.exitCode === null && child.signalCode === null && tryKill(child.pid));
    process.setMaxListeners(0);
  });
}

/** Ticks of CPU that a process has used. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, '').split(/\s+/);
    return `${fields[12]} ${fields[13]}`;
  } catch {
    return `${performance.now()}`; // Another system: only the bound on its CPU ends it.
  }
}

function tryKill(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function finish(counts, failed = false) {
  const { passed = 0, missed = 0, skipped = 0 } = counts;
  process.stdout.write(`${passed} passed, ${missed} failed, ${skipped} skipped\n`, () => process.exit(failed || missed > 0 ? 1 : 0));
}

function skip(reason) {
  console.log(`  mutants skipped: ${reason}`);
  finish({ skipped: 1 });
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(0)} s`;

/** The mutants of cargo-mutants. */
async function list() {
  let isChosen = ({ file }) => FILE.split(/[\s,]+/).some((word) => file.includes(word.replace(/^.*\/src\//, '')));
  if (CHANGED) {
    const from = base();
    console.log(`changes since ${git('log', '-1', '--format=%h %s', from).trim()}`);
    const lines = changedLines(git('diff', '--no-color', '--no-ext-diff', '--unified=0', from, '--', ...crates.map(({ sources }) => sources)));
    const inChange = ({ file, span: { start, end } }) => (lines.get(file) ?? []).some(([first, last]) => start.line <= last && first <= end.line);
    const before = isChosen;
    isChosen = (mutant) => before(mutant) && inChange(mutant);
    if (lines.size === 0) return [];
  }
  return (await listAll()).filter(isChosen);
}

/** All mutants, as the settings of a file name them. */
async function listAll(file = '.cargo/mutants.toml') {
  const { code, output } = await run('cargo', ['mutants', '--list', '--json', ...packages, '--config', file], { cwd: pristine });
  const start = output.indexOf('[');
  if (code !== 0 || start < 0) throw new Error(`cargo mutants --list: ${output}`);
  return JSON.parse(output.slice(start, output.lastIndexOf(']') + 1));
}

/** Exceptions and globs of the settings that match nothing. */
async function findWithoutMatch() {
  const bare = resolve(folder, 'without-exceptions.toml');
  writeFileSync(bare, withoutExceptions(settings));
  const names = (await listAll(bare)).map(({ name }) => name);
  return withoutMatch(config, names, git('ls-files', '--cached', '--others', '--exclude-standard').split('\n'));
}

/** Builds the tests with all mutants. Mutants that do not compile are found by the compiler's errors, and removed. */
async function build(mutants) {
  const tool = { extra: { CARGO_TARGET_DIR: join(folder, 'switch') }, cwd: '.' };
  const made = await run('cargo', ['build', '--quiet', '--manifest-path', 'tests/mutants/switch/Cargo.toml'], tool);
  if (made.code !== 0) throw new Error(made.output);
  const [listed, droppedFile] = ['list.json', 'dropped.json'].map((name) => join(folder, name));
  writeFileSync(listed, JSON.stringify(mutants));
  // A mutant with another return type cannot be in the same opaque function.
  const dropped = new Set(mutants.flatMap((mutant, number) => (isOpaque(mutant) ? [number] : [])));
  // The compiler's checks find nearly all of it, in a part of the time.
  let isChecked = false;
  for (let round = 1; ; round++) {
    copyFolder(pristine, tree);
    writeFileSync(droppedFile, JSON.stringify([...dropped]));
    const switched = await run(join(folder, 'switch/debug/switch'), [tree, listed, droppedFile], { cwd: '.' });
    if (switched.code !== 0) throw new Error(switched.output);
    const result = JSON.parse(switched.output);
    cpSync('tests/mutants/switch/mutant.rs', join(tree, 'informer/src/mutant.rs'));
    appendFileSync(join(tree, 'informer/src/lib.rs'), '\npub mod mutant;\n');
    appendFileSync(join(tree, 'informer/engine/src/lib.rs'), '\npub(crate) use informer::mutant;\n');
    const start = performance.now();
    const command = isChecked ? ['test', '--no-run'] : ['check'];
    const args = [...command, '--message-format=json', ...packages, '--profile', profile, '--features', features.join()];
    const built = await run('cargo', [...args, '--lib', '--test', 'it'], { extra: { RUSTFLAGS: '--cap-lints=allow' } });
    const messages = built.output.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    console.log(`build ${round}: ${result.switched.length} mutants behind switches, ${dropped.size} that do not compile (${seconds(start)})`);
    if (built.code === 0 && !isChecked) {
      isChecked = true;
      continue;
    }
    if (built.code === 0) {
      const tests = messages.filter(({ executable, profile }) => executable && profile?.test);
      const binaries = tests.map(({ executable }) => executable);
      for (const { executable, manifest_path: manifest } of tests) folders.set(executable, dirname(manifest));
      return { ...result, dropped, binaries };
    }
    const before = dropped.size;
    const errors = messages.filter(({ message }) => message?.level === 'error').map(({ message }) => message);
    for (const { spans } of errors) {
      const known = dropped.size;
      // The primary position of the error, otherwise a secondary one.
      for (const isPrimary of [true, false]) {
        if (dropped.size > known) break;
        for (const span of spans.filter((span) => span.is_primary === isPrimary).flatMap(expansions)) drop(span, result.ranges, dropped);
      }
    }
    if (dropped.size === before) {
      throw new Error(`the tree does not build with mutants in it:\n${errors.map(({ rendered }) => rendered).join('\n').slice(0, 4000) || built.output.slice(-4000)}`);
    }
  }
}

const isOpaque = ({ genre, function: of }) => genre === 'FnValue' && /impl /.test(of?.return_type ?? '');

const expansions = (span) => [span, ...(span.expansion ? expansions(span.expansion.span) : [])];

function drop({ file_name: file, byte_start: at }, ranges, dropped) {
  const found = (ranges[file] ?? []).filter(([start, end]) => start <= at && at < end);
  // The innermost one.
  const [, , number] = found.sort((a, b) => a[1] - a[0] - (b[1] - b[0]))[0] ?? [];
  if (number !== undefined) dropped.add(number);
}

/** Runs all tests once, without a mutant: returns the duration of each, and the mutants that it reaches. */
async function reach(binaries) {
  const file = join(folder, 'reached.txt');
  const tests = new Map(); // by mutant: the tests that reach it
  const skipped = (process.env.SKIP ?? '').split(/[\s,]+/).filter(Boolean).flatMap((name) => ['--skip', name]);
  const filters = [...testArgs.slice(testArgs.indexOf('--') + 1), ...skipped];
  for (const binary of binaries) {
    rmSync(file, { force: true });
    // The durations of tests are not stable in libtest yet.
    const extra = { MUTANTS_REACHED: file, RUSTC_BOOTSTRAP: '1' };
    const { code, output } = await run(binary, ['-Zunstable-options', '--report-time', ...filters], { cwd: folders.get(binary), extra });
    if (code !== 0) throw new Error(`the tests fail without a mutant:\n${output.slice(-4000)}`);
    const took = new Map([...output.matchAll(/^test (\S+).* \.\.\. ok <([\d.]+)s>$/gm)].map(([, name, time]) => [name, +time]));
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
      const [, number, name] = line.match(/^(\d+) (.*)$/) ?? [];
      if (!took.has(name)) continue;
      if (!tests.has(+number)) tests.set(+number, []);
      tests.get(+number).push({ binary, name, time: took.get(name) });
    }
  }
  for (const of of tests.values()) of.sort((a, b) => a.time - b.time);
  return tests;
}

const killers = new Map(); // by file: the number of its mutants that each test has caught

/** The tests that may catch a mutant, in parts: first those that caught others of its file, then the fast ones, then all. */
function inParts(tests, file) {
  const kills = killers.get(file) ?? new Map();
  const known = tests.filter(({ name }) => kills.has(name)).sort((a, b) => kills.get(b.name) - kills.get(a.name)).slice(0, 6);
  const others = tests.filter((test) => !known.includes(test));
  // Named like the file, so about it.
  const topic = file.replace(/^.*\/src\//, '').replace('.rs', '').split('/').filter((word) => word !== 'transport');
  const about = others.filter(({ name, time }) => time < 0.2 && topic.some((word) => name.split('::').slice(0, -1).some((part) => part.startsWith(word))));
  const first = about.slice(0, 60);
  const fast = others.filter((test) => !first.includes(test) && test.time < 0.03);
  const slow = others.filter((test) => !first.includes(test) && !fast.includes(test));
  return [known, first, fast.slice(0, 40), fast.slice(40), slow.slice(0, 20), slow.slice(20)].filter((part) => part.length > 0);
}

/** Whether some test fails with this mutant: `caught`, `timeout` or `missed`. */
async function judge(number, tests, file) {
  for (const part of inParts(tests, file)) {
    for (const binary of new Set(part.map(({ binary }) => binary))) {
      const mine = part.filter((test) => test.binary === binary);
      const time = mine.reduce((sum, { time }) => sum + time, 0);
      const options = { cwd: folders.get(binary), extra: { MUTANT: `${number}` }, cpu: Math.ceil(5 + 5 * time), memory: 2e6 };
      const { code, late, output } = await run(binary, ['--quiet', '--exact', ...mine.map(({ name }) => name)], options);
      if (late) return 'timeout';
      if (code === 0) continue;
      if (!killers.has(file)) killers.set(file, new Map());
      const kills = killers.get(file);
      for (const [, name] of output.matchAll(/^ {4}(\w+(?:::\w+)+)$/gm)) kills.set(name, (kills.get(name) ?? 0) + 1);
      return 'caught';
    }
  }
  return 'missed';
}

mkdirSync(folder, { recursive: true });
const began = performance.now();
copyTree(sources, pristine);
const wrong = await findWithoutMatch();
const all = wrong.length > 0 ? [] : await list();
if (wrong.length > 0) {
  console.log(`.cargo/mutants.toml: ${wrong.join('; ')}`);
  finish({ missed: wrong.length });
} else if (all.length === 0) skip(CHANGED ? 'nothing of these modules has changed' : 'no mutant in what was chosen');
else {
  const every = Math.max(1, Math.ceil(all.length / most));
  const mutants = all.filter((_, at) => at % every === 0);
  console.log(`${mutants.length} of ${all.length} mutants`);
  const { binaries, switched, left, dropped } = await build(mutants);
  const reached = await reach(binaries);
  const start = performance.now();
  const outcome = new Map();
  let file;
  const report = () => {
    const of = [...outcome].filter(([number]) => mutants[number].file === file);
    const missed = of.filter(([, is]) => is === 'missed').length;
    if (file) console.log(`${file}: ${of.length - missed} of ${of.length} caught (${seconds(start)})`);
  };
  for (const number of [...new Set(switched)].sort((a, b) => a - b)) {
    if (file !== mutants[number].file) report();
    file = mutants[number].file;
    const tests = reached.get(number) ?? [];
    outcome.set(number, tests.length === 0 ? 'missed' : await judge(number, tests, mutants[number].file));
    if (outcome.get(number) === 'missed') console.log(`missed: ${mutants[number].name}${tests.length === 0 ? ' (no test comes here)' : ''}`);
  }
  report();
  // Mutants without a switch, and those that do not compile behind one; cargo-mutants may still build them.
  const rest = Object.keys(left).map(Number).concat([...dropped].filter((number) => isOpaque(mutants[number])));
  const count = (what) => [...outcome.values()].filter((is) => is === what).length;
  const counts = { caught: count('caught'), timeout: count('timeout') };
  const missed = [...outcome].filter(([, is]) => is === 'missed').map(([number]) => mutants[number]);
  let notRun = rest.length;
  if (LEFT && rest.length > 0) {
    console.log(`one by one: ${rest.length}`);
    copyFolder(pristine, tree);
    const names = rest.flatMap((number) => ['--re', `^${escaped(mutants[number].name)}$`]);
    const args = ['mutants', '--dir', tree, ...packages, '--in-place', '--no-shuffle', '--output', folder, '--colors', 'never', ...names];
    const { code } = await run('cargo', args, { cwd: '.', show: true });
    if (![0, 2, 3].includes(code)) throw new Error(`cargo-mutants ended with ${code}: see ${folder}/mutants.out/log`);
    const lines = (name) => readFileSync(join(folder, 'mutants.out', `${name}.txt`), 'utf8').split('\n').filter(Boolean);
    counts.caught += lines('caught').length;
    counts.timeout += lines('timeout').length;
    missed.push(...lines('missed').map((name) => mutants.find((mutant) => mutant.name === name) ?? { name, file: name.split(':')[0] }));
    notRun = 0;
  }
  const caught = counts.caught + counts.timeout;
  const { viable, score, isGood: good } = judgeScore({ caught, missed: missed.length, goal, isChange: Boolean(CHANGED) });
  console.log(`\nsurvivors:\n${missed.map(({ name }) => `  ${name}`).join('\n') || '  none'}\n`);
  const byFile = Map.groupBy?.(missed, ({ file }) => file) ?? new Map();
  for (const [file, of] of byFile) console.log(`  ${file}: ${of.length}`);
  writeFileSync(join(folder, 'survivors.txt'), missed.map(({ name }) => `${name}\n`).join(''));
  console.log(`score ${score.toFixed(1)} % of ${viable} viable mutants (goal ${goal} %): ${caught} caught, of which ${counts.timeout} by time; ${missed.length} missed;`);
  console.log(`${dropped.size} do not compile, ${notRun} not run as they have no switch; ${seconds(began)}`);
  if (good && missed.length > 0) console.log(spared(missed.map(({ name }) => name)));
  if (notRun > 0) console.log(`  mutants skipped: ${notRun} that have no switch; the whole run builds them one by one`);
  if (viable + notRun === 0) skip('no mutant of these lines compiles');
  else finish({ passed: caught, missed: good ? 0 : missed.length, skipped: (good ? missed.length : 0) + notRun });
}
