// Test runner: a graph of steps, two at a time, all of them despite failures, and one line of numbers at the end.
//
//   --check  only the quick ones: format, clippy, unit tests, types (`make check`)
//   JOBS=1   one step after the other, with live output
//
// The numbers are the tools' own: cargo's and wasm-bindgen-test's `test result:` lines, node:test's summary.
// A step without tests in it, such as rustfmt, counts as one. A step that should have tests and shows
// none has failed, because its runner found no test.
//
// If steps run in parallel, the output of each is printed at its end. No step asserts a duration, so a compiler beside a
// browser test is harmless; measurements (`make bench`) are separate.
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findBrowser } from './support/browser.mjs';
import { run } from './support/processes.mjs';
import { startEmbedded, startRealWithProxy } from './support/start.mjs';
import { add, countGo, countLastLine, countNode, countRust, describe, fail, none, skip, sum } from './runner/counts.mjs';
import { FEATURES } from './runner/find.mjs';
import { runGraph } from './runner/graph.mjs';
import { secondAttempt } from './runner/second-attempt.mjs';

const features = FEATURES;
const hour = 3_600_000;

// --- running ---

/** The step that code runs for: `{ print, cpu }`. */
const current = new AsyncLocalStorage();
const print = (text) => (current.getStore()?.print ?? ((text) => process.stdout.write(text)))(text);

/** The process groups that run. */
const groups = new Set();

// Writes the CPU time of the command and its children to its third pipe: minutes and seconds of user and system.
const timed = 'trap : INT; "$@" 3>&-; code=$?; times >&3; exit $code';

/** Runs a command in a process group of its own; shows its output and resolves to it. */
function execute(command, args, { env } = {}) {
  print(`$ ${[command, ...args].join(' ')}\n`);
  const step = current.getStore();
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'];
    const child = spawn('sh', ['-c', timed, 'sh', command, ...args], { env: { ...process.env, ...env }, stdio, detached: true });
    groups.add(child.pid);
    const late = setTimeout(() => endGroup(child.pid, 'SIGKILL'), hour);
    let [output, times] = ['', ''];
    const show = (chunk) => {
      output += chunk;
      print(chunk);
    };
    child.stdout.setEncoding('utf8').on('data', show);
    child.stderr.setEncoding('utf8').on('data', show);
    child.stdio[3].setEncoding('utf8').on('data', (chunk) => (times += chunk));
    const finish = (code, signal) => {
      clearTimeout(late);
      groups.delete(child.pid);
      for (const [, minutes, seconds] of times.matchAll(/(\d+)m([\d.]+)s/g)) if (step) step.cpu += +minutes * 60 + +seconds;
      resolve({ output: stripVTControlCharacters(output), ended: signal ?? code, ok: code === 0 });
    };
    child.once('error', (error) => finish(error.message, null));
    child.once('close', finish);
  });
}

function endGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended already.
  }
}
process.on('exit', () => groups.forEach((group) => endGroup(group, 'SIGTERM')));

/** A command that is one check. */
async function check(command, args, options) {
  const { ok, ended } = await execute(command, args, options);
  return ok ? { ...none, passed: 1 } : fail(`${command} ended with ${ended}`);
}

/** A command that runs tests; `count` finds their numbers in its output. `again` may count it differently, with that output. */
async function tests(count, command, args, { again = (output, counts) => counts, ...options } = {}) {
  const { ok, ended, output } = await execute(command, args, options);
  const counts = count(output);
  if (!ok && counts.failed === 0) return add(counts, fail(`${command} ended with ${ended}, though no test is counted as failed`));
  if (counts.passed + counts.failed + counts.skipped === 0) return fail(`${command} ran no test`);
  return again(output, counts);
}

/** The files with tests in these folders. */
const testsIn = (...folders) => folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.test.mjs')).map((name) => join(folder, name)));

// --- shared inputs of several steps, built once ---

let binariesBuilt;
/** The embedded apiserver and the conformance suite: separate builds would use other features of their shared dependencies. */
function buildBinaries() {
  binariesBuilt ??= check('cargo', ['build', '--profile', 'native', '-p', 'apiserver', '-p', 'conformance', '--bins']);
  return binariesBuilt;
}

/** Runs `step` once those are built; a failed build fails the step. */
async function withBinaries(step) {
  const built = await buildBinaries();
  return built.failed ? built : step();
}

/** Runs `step` beside a fresh embedded apiserver; a failure to build or to start it is the step's failure. */
const withApiserver = (args, step) =>
  withBinaries(async () => {
    let server;
    try {
      server = await startEmbedded(args);
    } catch (error) {
      return fail(`the embedded apiserver did not start: ${error.message}`);
    }
    try {
      return await step(server.url);
    } finally {
      await server.stop();
    }
  });

/** Runs `step` beside a real apiserver, through `kubectl proxy`; if none is available, the step is skipped. */
async function withKube(step) {
  let server;
  try {
    server = await startRealWithProxy();
  } catch (error) {
    if (error.exitCode === 75) return skip(error.message.split('\n').at(-1));
    return fail(`the real apiserver did not start: ${error.message}`);
  }
  try {
    return await step(server.url);
  } finally {
    await server.stop();
  }
}

/** The tests of informer/engine/tests/live, natively, on the apiserver at `url`. */
function live(url, ...args) {
  const target = ['--workspace', ...features, '--test', 'live_native'];
  return tests(countRust, 'cargo', ['test', ...target, '--', ...args], { env: { KUBE_INFORMER_TEST_APISERVER: url } });
}

let pageFailed = false;
async function buildPage() {
  const built = await check('web/build.sh', []);
  pageFailed = built.failed > 0;
  return built;
}

/** A step that uses the page. A failed build keeps the last good one, whose test would be meaningless. */
async function withPage(step) {
  return pageFailed ? fail('there is no page to test, its build failed') : withBinaries(step);
}

/**
 * End-to-end tests of the page alone: they run on the embedded apiserver only, because no other one could change their result. What
 * they read (lists, watches, single objects) is compared with a real apiserver by the conformance suite, and by all other files.
 */
const OF_THE_PAGE = [
  ...['chips', 'clusters', 'clusters-access', 'combobox', 'compare', 'csp', 'dates', 'deferred', 'density', 'drafts', 'drawer', 'export', 'favourites', 'filter'],
  ...['first-page', 'flash', 'focus', 'groups', 'inspector-screen', 'keyboard', 'marks', 'object-keys', 'palette', 'parts-access', 'parts-on-demand', 'parts-policy', 'protected'],
  ...['reload', 'saved', 'screen-reader', 'screens-access', 'serve-clusters', 'serve-script', 'status-line', 'style-cost', 'untrusted-text'],
];

/**
 * Two files at a time, beside another step: a test waits for a third of its time, and four browsers keep two cores busy. A file has
 * a cluster, a proxy and a browser of its own.
 */
const e2e = (cluster) =>
  withPage(() => {
    const env = { E2E_CLUSTER: cluster };
    const concurrency = process.env.JOBS === '1' ? 1 : 2;
    const isMeant = (file) => cluster === 'embedded' || !OF_THE_PAGE.some((name) => file.endsWith(`/${name}.test.mjs`));
    const attempt = (files, options) => tests(countNode, 'node', ['--test', `--test-concurrency=${concurrency}`, '--test-reporter=spec', ...files], { env, ...options });
    const again = (output, counts) => (process.env.CI && counts.failed > 0 ? secondAttempt(output, counts, attempt) : counts);
    return attempt(testsIn('tests/e2e').filter(isMeant), { again });
  });

/** The page of `make dashboard` on a machine without dist/: `make test` tests the optimised page otherwise. */
const quickPage = () =>
  withBinaries(async () => {
    const { ok, ended, output } = await execute('web/build.sh', ['quick']);
    if (!ok) return fail(`web/build.sh quick ended with ${ended}`);
    // Among the messages, which come by another pipe.
    const env = { PAGE: output.match(/^\/.*\/dist$/m)?.[0], E2E_CLUSTER: 'embedded' };
    return tests(countNode, 'node', ['--test', '--test-reporter=spec', 'tests/e2e/deferred.test.mjs'], { env });
  });

/** The tests of the stub kubelet. */
const kubelet = async () => {
  if (!(await execute('bash', ['-c', 'command -v go'])).ok) return skip('the stub kubelet is not tested without Go: install Go 1.26 or newer');
  return tests(countGo, 'go', ['test', '-C', 'tests/kube/kubelet', '-count=1', '-v', './...'], { env: { CGO_ENABLED: '0' } });
};

/** Three minutes of `make soak` by default. */
const soak = () =>
  withPage(async () => {
    const env = { MINUTES: process.env.MINUTES ?? '3' };
    return add(
      await tests(countNode, 'node', ['--test', '--test-reporter=spec', 'tests/soak/verdict.test.mjs', 'tests/soak/causes.test.mjs']),
      await tests(countLastLine, 'node', ['tests/soak/run.mjs'], { env }),
    );
  });

// --- the steps ---

const has = async (tool) => (await execute('bash', ['-c', `command -v ${tool}`])).ok;
const clippy = (...args) => check('cargo', ['clippy', ...args, '--', '-D', 'warnings']);

/**
 * Licences, sources and known vulnerabilities of the crates, and known vulnerabilities of the npm packages that a page contains. Skipped
 * without cargo-deny, and where a registry has no audit or GitHub cannot be reached for the list of vulnerabilities.
 */
async function checkDependencies() {
  let counts = skip('cargo-deny is not installed (`cargo install cargo-deny`): licences and sources of crates are not checked');
  if (await has('cargo-deny')) {
    counts = await check('cargo', ['deny', '--log-level', 'error', 'check', 'licenses', 'bans', 'sources']);
    const advisories = await execute('cargo', ['deny', '--log-level', 'error', 'check', 'advisories']);
    const isUnreachable = /failed to fetch advisory database/.test(advisories.output);
    counts = add(counts, advisories.ok ? { ...none, passed: 1 } : isUnreachable ? skip('the list of vulnerable crates cannot be reached') : fail('cargo deny found vulnerable crates'));
  }
  const audit = await execute('npm', ['audit', '--fetch-retries=0', '--omit=dev', '--package-lock-only', '--prefix', 'web/parts']);
  if (audit.ok) return add(counts, { ...none, passed: 1 });
  return add(counts, /audit endpoint returned an error/.test(audit.output) ? skip('this npm registry has no audit') : fail('npm audit found vulnerable packages'));
}

// The bookmarks each second let a test see one without waiting for a minute.
const smallCluster = ['--pods', '50', '--bookmark-seconds', '1'];

// `make check`: minutes when it is warm, and before all else in `make test`.
const quick = { quick: true, after: ['setup for checks'] };
const cargo = { after: ['setup'], uses: ['cargo'] }; // `target/debug` is locked by one cargo at a time
const page = { after: ['setup', 'dashboard build'] };
// Only these: the others are compiled for nothing, and run without a test.
const browserTargets = ['page', 'shared_worker', 'worker'].flatMap((name) => ['--test', `browser_${name}`]);
const kube = { uses: ['kube'] }; // its first start builds it

// The first step that can start does. The quick checks come first, in parallel with the setup of the rest; then two long
// compilations of one core each, then one lane of cargo and one of browsers: each step of cargo precedes its parallel ones.
const steps = [
  { name: 'setup for checks', quick: true, run: () => check('.ci/setup', ['check']) },
  { name: 'runner', ...quick, run: () => tests(countNode, 'node', ['--test', '--test-reporter=spec', ...testsIn('tests/runner', 'tests/kube', 'tests/mutants', 'web/parts/test')]) },
  {
    name: 'rustfmt',
    ...quick,
    run: async () => add(await check('cargo', ['fmt', '--all', '--check']), await check('cargo', ['fmt', '--check', '--manifest-path', 'informer/examples/leptos-pods/Cargo.toml'])),
  },
  { name: 'dependencies', ...quick, run: checkDependencies },
  // --all-targets omits the targets that `cargo test` does not run by default.
  {
    name: 'clippy',
    ...quick,
    uses: ['cargo'],
    run: async () =>
      add(await clippy('--workspace', ...features, '--all-targets'), await clippy('--workspace', ...features, '--test', 'live_native')),
  },
  { name: 'npm unit tests', ...quick, run: () => npmTests('test:unit') },
  { name: 'clippy wasm32', ...quick, uses: ['cargo'], run: () => clippy('-p', 'informer', '-p', 'informer-engine', '-p', 'web', '-p', 'demo', '--target', 'wasm32-unknown-unknown', '--all-targets') },
  { name: 'unit tests', ...quick, uses: ['cargo'], run: () => tests(countRust, 'cargo', ['test', '--workspace', '--no-fail-fast', ...features, '--lib', '--bins']) },
  { name: 'setup', after: ['setup for checks'], run: () => check('.ci/setup', ['test']) },
  { name: 'dashboard build', after: ['setup'], run: buildPage },
  { name: 'npm package', after: ['setup'], run: () => check('informer/npm/build.sh', []) },
  // The longest steps of the lane of browsers first, so that none runs alone at the end.
  { name: 'e2e kube', ...page, ...kube, run: () => e2e('kube') },
  { name: 'e2e embedded', ...page, run: () => e2e('embedded') },
  { name: 'native tests', ...cargo, run: nativeTests },
  { name: 'live embedded', ...cargo, run: () => withApiserver(smallCluster, (url) => live(url)) },
  // Tests that only the embedded apiserver supports are in a module of that name.
  { name: 'live kube', ...cargo, uses: ['cargo', 'kube'], run: () => withKube((url) => live(url, '--skip', 'embedded::')) },
  {
    name: 'browser tests',
    ...cargo,
    run: () =>
      withApiserver([...smallCluster, '--cors'], (url) =>
        tests(countRust, 'wasm-pack', ['test', '--headless', '--chrome', 'informer/engine', ...browserTargets], {
          // Seconds for all tests of a target together; the default of 20 is too few on a busy machine.
          env: { KUBE_INFORMER_TEST_APISERVER: url, WASM_BINDGEN_TEST_TIMEOUT: '900' },
        }),
      ),
  },
  { name: 'npm tests', after: ['setup', 'npm package'], run: () => withBinaries(() => npmTests('test:built')) },
  // The guarantees in each host of the engine. The other tests of the package use parts of Playwright that Puppeteer lacks.
  { name: 'npm tests Firefox', after: ['setup', 'npm package'], run: () => withBinaries(npmFirefox) },
  { name: 'bundlers', after: ['setup', 'npm package'], run: () => withBinaries(() => tests(countNode, 'node', ['--test', '--test-reporter=spec', ...testsIn('tests/bundlers')])) },
  { name: 'launcher', ...page, run: () => withPage(() => tests(countNode, 'node', ['--test', '--test-concurrency=1', '--test-reporter=spec', ...testsIn('tests/launcher')])) },
  { name: 'deploy', ...page, ...kube, run: () => withPage(() => tests(countNode, 'node', ['--test', '--test-concurrency=1', '--test-reporter=spec', ...testsIn('tests/deploy')])) },
  { name: 'demo', ...page, uses: ['cargo'], run: () => withPage(() => tests(countNode, 'node', ['--test', '--test-reporter=spec', ...testsIn('tests/demo')])) },
  { name: 'docs', after: ['setup'], run: () => tests(countNode, 'node', ['--test', '--test-reporter=spec', ...testsIn('tests/docs')]) },
  { name: 'soak', ...page, run: soak },
  { name: 'quick page', after: ['setup'], run: quickPage },
  { name: 'crate examples', after: ['setup'], run: () => withBinaries(() => tests(countNode, 'node', ['--test', '--test-reporter=spec', ...testsIn('tests/examples')])) },
  // Some two minutes, five at most; a new seed with each commit.
  {
    name: 'monkey',
    ...page,
    run: () =>
      withPage(async () =>
        add(
          await tests(countNode, 'node', ['--test', '--test-reporter=spec', 'tests/monkey/focus.test.mjs']),
          await tests(countLastLine, 'node', ['tests/monkey/run.mjs'], { env: { ACTIONS: process.env.ACTIONS ?? '1500', MINUTES: process.env.MINUTES ?? '5' } }),
        ),
      ),
  },
  { name: 'kubelet', after: ['setup'], run: kubelet },
  {
    name: 'conformance',
    after: ['setup'],
    ...kube,
    run: () =>
      withBinaries(async () =>
        add(
          await tests(countLastLine, 'node', ['tests/conformance/run.mjs']),
          await tests(countLastLine, 'node', ['tests/kube/compare-protobuf.mjs']),
        ),
      ),
  },
  { name: 'mutants', ...cargo, after: ['setup', 'native tests', 'npm package'], run: mutants },
  // Checks that the READMEs have the report's figures, and that no download is beyond its limit; measuring is `make bench`.
  {
    name: 'bench figures',
    after: ['setup', 'npm package', 'dashboard build'],
    run: async () =>
      add(
        await check('node', ['tests/bench/table.mjs', '--check']),
        await check('node', ['.ci/size.mjs']),
        await tests(countNode, 'node', ['--test', '--test-reporter=spec', 'tests/bench/statistics.test.mjs']),
      ),
  },
];

async function npmFirefox() {
  if (!findBrowser('firefox')) return skip('there is no Firefox: install it, or name it with FIREFOX=');
  const files = ['modes', 'rules', 'client'].map((name) => `informer/npm/test/${name}.test.mjs`);
  return tests(countNode, 'node', ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files], { env: { NPM_TEST_BROWSER: 'firefox' } });
}

/** Mutants of the lines that have changed. `make mutants` runs all of them, and brings the tools. */
async function mutants() {
  const changed = { env: { CHANGED: '1' } };
  const rust = (await has('cargo-mutants'))
    ? await tests(countLastLine, 'node', ['tests/mutants/run.mjs'], changed)
    : skip('cargo-mutants is missing: .ci/setup mutants installs it');
  const npm = existsSync('tests/mutants/node_modules/@stryker-mutator/core')
    ? await tests(countLastLine, 'node', ['tests/mutants/npm.mjs'], changed)
    : skip('Stryker is missing: make mutants NPM=1 installs it');
  return add(rust, npm);
}

/** The Rust tests that are no unit tests: integration tests, examples, and those in the documentation. */
async function nativeTests() {
  const metadata = await run('cargo', ['metadata', '--no-deps', '--format-version', '1']);
  const targets = JSON.parse(metadata).packages.flatMap((found) => found.targets);
  const names = new Set(targets.filter(({ kind, test }) => kind.includes('test') && test).map(({ name }) => name));
  names.delete('simulation');
  const cargoTest = (...args) => tests(countRust, 'cargo', ['test', '--no-fail-fast', ...args]);
  return sum([
    await cargoTest('--workspace', ...features, '--examples', ...[...names].flatMap((name) => ['--test', name])),
    await cargoTest('--workspace', ...features, '--doc'),
    // 20,000 stories take five seconds when they are optimised, as for `make simulate`, and minutes otherwise.
    await cargoTest('--profile', 'native', '-p', 'informer-engine', '--test', 'simulation'),
  ]);
}

/** The package's tests: of its types (without a summary they count as one), and all others. */
async function npmTests(script) {
  const { ok, ended, output } = await execute('npm', ['run', script, '--prefix', 'informer/npm']);
  const counts = add(countNode(output), countRust(output));
  if (counts.passed + counts.failed + counts.skipped > 0 && ok === (counts.failed === 0)) return counts;
  return ok ? { ...none, passed: 1 } : add(counts, fail(`npm run ${script} ended with ${ended}`));
}

// --- the run ---

const isCheck = process.argv.includes('--check');
const words = process.argv.slice(2).filter((word) => word !== '--check');
const chosen = steps.filter(({ name, quick }) => (isCheck ? quick : words.length === 0 || words.some((word) => name.includes(word))));
const jobs = Number(process.env.JOBS || Math.min(2, availableParallelism(), Math.max(1, chosen.length)));
if (!(jobs >= 1)) throw new Error(`JOBS=${process.env.JOBS} is no number of steps at a time`);
const results = new Map();

async function runStep({ name, run }) {
  // A single job needs no separate output.
  let kept = '';
  const step = { cpu: 0, print: (text) => (jobs === 1 ? process.stdout.write(text) : (kept += text)) };
  console.log(jobs === 1 ? `\n=== ${name} ===` : `... ${name}`);
  const start = performance.now();
  let counts;
  try {
    counts = await current.run(step, run);
  } catch (error) {
    counts = fail(error.stack ?? error);
  }
  const wall = ((performance.now() - start) / 1000).toFixed(1);
  const line = `${name.padEnd(16)} ${describe(counts)} (${wall} s, ${step.cpu.toFixed(1)} s of CPU)`;
  results.set(name, { counts, lines: [line, ...counts.notes.map((note) => `  ${note}`)] });
  if (jobs > 1) process.stdout.write(`\n=== ${name} ===\n${kept.replace(/\n?$/, '\n')}`);
  console.log(`--- ${line}`);
}

if (chosen.length === 0) {
  const names = steps.map(({ name }) => name);
  results.set('', { counts: fail(''), lines: [`no step is named like ${words.join(', ')}; there are: ${names.join(', ')}`] });
}
await runGraph(chosen, runStep, jobs);

const inOrder = [...results].sort(([a], [b]) => chosen.findIndex(({ name }) => name === a) - chosen.findIndex(({ name }) => name === b));
const total = inOrder.map(([, { counts }]) => counts).reduce(add, none);
console.log(`\n${inOrder.flatMap(([, { lines }]) => lines).join('\n')}\n`);
// The last line, exactly in this form: other programs read it.
process.stdout.write(`${describe(total)}\n`, () => process.exit(total.failed === 0 ? 0 : 1));
