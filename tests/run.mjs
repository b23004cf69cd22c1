// The test runner: one step after the other, whatever fails, and one line of numbers at the end.
//
// The numbers are the tools' own: cargo's and wasm-bindgen-test's `test result:` lines, node:test's summary.
// A step without tests in it, such as rustfmt, counts as one. A step that should have tests and shows
// none has failed: a runner that found nothing to run is not good news.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { run, serve } from './e2e/processes.mjs';

const targetDir = process.env.CARGO_TARGET_DIR ?? 'target';
// What the native tests need beyond the defaults: the reqwest transport, the scripted one.
const features = ['--features', 'informer/native,informer/testing'];
const hour = 3_600_000;

// --- counting ---

const none = { passed: 0, failed: 0, skipped: 0, notes: [] };
const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  notes: [...a.notes, ...b.notes],
});
const sum = (counts) => counts.reduce(add, none);
const skip = (reason) => ({ ...none, skipped: 1, notes: [`skipped: ${reason}`] });

/** Lines such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`: cargo's and wasm-bindgen-test's. */
function countRust(output) {
  const results = [...output.matchAll(/^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm)].map(
    ([, passed, failed, skipped]) => ({ passed: +passed, failed: +failed, skipped: +skipped, notes: [] }),
  );
  const ignored = [...output.matchAll(/^test (.+?) \.\.\. ignored(?:, (.*))?$/gm)].map(
    ([, name, reason]) => `skipped: ${name}: ${reason ?? 'ignored without a reason'}`,
  );
  return { ...sum(results), notes: ignored };
}

/** The last line of the conformance suite, and its reasons for what it skipped: `12 passed, 0 failed, 3 skipped`. The soak's, too. */
function countLastLine(output) {
  const [, passed, failed, skipped] = output.match(/^(\d+) passed, (\d+) failed, (\d+) skipped\s*$(?![\s\S]*^\d+ passed)/m) ?? [0, 0, 0, 0];
  const reasons = [...output.matchAll(/^\s*(?:skipped on .*|\S+ skipped: .*)$/gm)].map(([line]) => line.trim());
  return { passed: +passed, failed: +failed, skipped: +skipped, notes: reasons };
}

/** The summary of node:test's spec reporter: `ℹ pass 3`. */
function countNode(output) {
  const total = (name) => [...output.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].reduce((n, match) => n + +match[1], 0);
  const skipped = [...output.matchAll(/^\s*﹣ (.+?) \([\d.]+ms\)(?: # (.*))?$/gm)].map(
    ([, name, reason]) => `skipped: ${name}: ${reason ?? 'without a reason'}`,
  );
  return {
    passed: total('pass'),
    failed: total('fail') + total('cancelled'),
    skipped: total('skipped') + total('todo'),
    notes: [...new Set(skipped)],
  };
}

// --- running ---

let current; // the process group of the step that runs

/** Runs a command in a process group of its own; shows its output and resolves to it. */
function execute(command, args, { env } = {}) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    current = child.pid;
    const late = setTimeout(() => endGroup('SIGKILL'), hour);
    let output = '';
    const show = (to) => (chunk) => {
      output += chunk;
      to.write(chunk);
    };
    child.stdout.setEncoding('utf8').on('data', show(process.stdout));
    child.stderr.setEncoding('utf8').on('data', show(process.stderr));
    const finish = (code, signal) => {
      clearTimeout(late);
      current = undefined;
      resolve({ output: stripVTControlCharacters(output), ended: signal ?? code, ok: code === 0 });
    };
    child.once('error', (error) => finish(error.message, null));
    child.once('close', finish);
  });
}

function endGroup(signal) {
  try {
    if (current) process.kill(-current, signal);
  } catch {
    // It has ended already.
  }
}
process.on('exit', () => endGroup('SIGTERM'));

/** A command that is one check. */
async function check(command, args, options) {
  const { ok, ended } = await execute(command, args, options);
  return ok ? { ...none, passed: 1 } : { ...none, failed: 1, notes: [`failed: ${command} ended with ${ended}`] };
}

/** A command that runs tests; `count` finds their numbers in its output. */
async function tests(count, command, args, options) {
  const { ok, ended, output } = await execute(command, args, options);
  const counts = count(output);
  if (!ok && counts.failed === 0) {
    return add(counts, { ...none, failed: 1, notes: [`failed: ${command} ended with ${ended}, though no test is counted as failed`] });
  }
  if (counts.passed + counts.failed + counts.skipped === 0) {
    return { ...none, failed: 1, notes: [`failed: ${command} ran no test`] };
  }
  return counts;
}

// --- what several steps need, built once ---

let apiserverBuilt;
function buildApiserver() {
  apiserverBuilt ??= check('cargo', ['build', '--profile', 'native', '-p', 'apiserver']);
  return apiserverBuilt;
}

/** Runs `step` beside a fresh embedded apiserver; a failure to build or to start it is the step's failure. */
async function withApiserver(args, step) {
  const built = await buildApiserver();
  if (built.failed) return built;
  let server;
  try {
    server = await serve(join(targetDir, 'native/apiserver'), ['--port', '0', ...args], { ready: /listening on (http:\S+)/ });
  } catch (error) {
    return { ...none, failed: 1, notes: [`failed: the embedded apiserver did not start: ${error.message}`] };
  }
  try {
    return await step(server.match[1]);
  } finally {
    await server.stop();
  }
}

/** Runs `step` beside a real apiserver, through `kubectl proxy`; one that cannot be had here is a reason to skip it. */
async function withKube(step) {
  const kube = 'tests/kube/kube.sh';
  const ends = [];
  let url;
  try {
    // Half an hour: the first time on a machine it builds them.
    const server = await serve(kube, [], { ready: /^ready KUBECONFIG=(.*)$/m, seconds: 1800 });
    ends.unshift(server.stop);
    const kubectl = (await run(kube, ['kubectl'])).trim();
    const args = ['proxy', '--address=127.0.0.1', '--port=0'];
    const proxy = await serve(kubectl, args, { env: { KUBECONFIG: server.match[1] }, ready: /Starting to serve on (\S+)/ });
    ends.unshift(proxy.stop);
    url = `http://${proxy.match[1]}`;
  } catch (error) {
    for (const end of ends) await end();
    if (error.exitCode === 75) return skip(error.message.split('\n').at(-1));
    return { ...none, failed: 1, notes: [`failed: the real apiserver did not start: ${error.message}`] };
  }
  try {
    return await step(url);
  } finally {
    for (const end of ends) await end();
  }
}

/** The tests of informer/tests/live, natively, on the apiserver at `url`. */
function live(url, ...args) {
  const target = ['--workspace', ...features, '--test', 'live_native'];
  return tests(countRust, 'cargo', ['test', ...target, '--', ...args], { env: { KUBE_INFORMER_TEST_APISERVER: url } });
}

let pageFailed = false;
async function buildPage() {
  const built = await check('trunk', ['build', '--release']);
  pageFailed = built.failed > 0;
  return built;
}

async function e2e(cluster) {
  // Trunk leaves the last good page where it was, and a test of that one says nothing.
  if (pageFailed) return { ...none, failed: 1, notes: ['failed: there is no page to test, its build failed'] };
  if (cluster === 'embedded') {
    const built = await buildApiserver();
    if (built.failed) return built;
  }
  const testFiles = readdirSync('tests/e2e').filter((name) => name.endsWith('.test.mjs')).map((name) => join('tests/e2e', name));
  // One file at a time: they measure how soon a change is on screen.
  const args = ['--test', '--test-concurrency=1', '--test-reporter=spec', ...testFiles];
  return tests(countNode, 'node', args, { env: { E2E_CLUSTER: cluster } });
}

/** Five minutes of `make soak`, unless told otherwise. */
async function soak() {
  if (pageFailed) return { ...none, failed: 1, notes: ['failed: there is no page to test, its build failed'] };
  const built = await buildApiserver();
  if (built.failed) return built;
  return add(
    await tests(countNode, 'node', ['--test', '--test-reporter=spec', 'tests/soak/verdict.test.mjs']),
    await tests(countLastLine, 'node', ['tests/soak/run.mjs'], { env: { MINUTES: process.env.MINUTES ?? '5' } }),
  );
}

// --- the steps ---

const clippy = (...args) => check('cargo', ['clippy', ...args, '--', '-D', 'warnings']);

// The bookmarks each second let a test see one without waiting for a minute.
const smallCluster = ['--pods', '50', '--bookmark-seconds', '1'];

const steps = {
  setup: () => check('.ci/setup', ['test']),
  rustfmt: () => check('cargo', ['fmt', '--all', '--check']),
  // --all-targets leaves out what `cargo test` does not run by itself.
  clippy: async () =>
    add(await clippy('--workspace', ...features, '--all-targets'), await clippy('--workspace', ...features, '--test', 'live_native')),
  'clippy wasm32': () => clippy('-p', 'informer', '-p', 'web', '--target', 'wasm32-unknown-unknown', '--all-targets'),
  'native tests': () => tests(countRust, 'cargo', ['test', '--workspace', '--no-fail-fast', ...features]),
  'live embedded': () => withApiserver(smallCluster, (url) => live(url)),
  // What only the embedded apiserver can do is in a module of that name.
  'live kube': () => withKube((url) => live(url, '--skip', 'embedded::')),
  'browser tests': () =>
    withApiserver([...smallCluster, '--cors'], (url) =>
      tests(countRust, 'wasm-pack', ['test', '--headless', '--chrome', 'informer'], {
        // Seconds for all tests of a target together; the default of 20 is too few on a busy machine.
        env: { KUBE_INFORMER_TEST_APISERVER: url, WASM_BINDGEN_TEST_TIMEOUT: '300' },
      }),
    ),
  conformance: () => tests(countLastLine, 'node', ['tests/conformance/run.mjs']),
  'dashboard build': buildPage,
  'e2e embedded': () => e2e('embedded'),
  'e2e kube': () => e2e('kube'),
  soak,
  'npm package': () =>
    existsSync('informer/npm/build.sh') ? check('informer/npm/build.sh', []) : skip('informer/npm/build.sh is not there'),
  'npm tests': npmTests,
  mutants,
  // That README says what the report says; measuring is `make bench`.
  'bench figures': async () =>
    add(
      await check('node', ['tests/bench/table.mjs', '--check']),
      await tests(countNode, 'node', ['--test', '--test-reporter=spec', 'tests/bench/statistics.test.mjs']),
    ),
};

/** Mutants of the lines that have changed. `make mutants` runs all of them, and brings the tools. */
async function mutants() {
  const changed = { env: { CHANGED: '1' } };
  const has = async (tool) => (await execute('bash', ['-c', `command -v ${tool}`])).ok;
  const rust = (await has('cargo-mutants'))
    ? await tests(countLastLine, 'node', ['tests/mutants/run.mjs'], changed)
    : skip('cargo-mutants is missing: .ci/setup mutants installs it');
  const npm = existsSync('tests/mutants/node_modules/@stryker-mutator/core')
    ? await tests(countLastLine, 'node', ['tests/mutants/npm.mjs'], changed)
    : skip('Stryker is missing: make mutants NPM=1 installs it');
  return add(rust, npm);
}

/** The package's own tests: of its types (no summary, then it counts as one) and whatever else it has. */
async function npmTests() {
  const file = 'informer/npm/package.json';
  if (!existsSync(file)) return skip(`${file} is not there`);
  if (!JSON.parse(readFileSync(file, 'utf8')).scripts?.test) return skip(`${file} has no test script`);
  const { ok, ended, output } = await execute('npm', ['test', '--prefix', 'informer/npm']);
  const counts = add(countNode(output), countRust(output));
  if (counts.passed + counts.failed + counts.skipped > 0 && ok === (counts.failed === 0)) return counts;
  return ok ? { ...none, passed: 1 } : add(counts, { ...none, failed: 1, notes: [`failed: npm test ended with ${ended}`] });
}

const words = process.argv.slice(2);
const chosen = Object.entries(steps).filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
let total = none;
const table = [];
if (chosen.length === 0) {
  total = { ...none, failed: 1 };
  console.log(`no step is named like ${words.join(', ')}; there are: ${Object.keys(steps).join(', ')}`);
}

const describe = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;
for (const [name, step] of chosen) {
  console.log(`\n=== ${name} ===`);
  const start = performance.now();
  let counts;
  try {
    counts = await step();
  } catch (error) {
    counts = { ...none, failed: 1, notes: [`failed: ${error.stack ?? error}`] };
  }
  total = add(total, counts);
  const line = `${name.padEnd(16)} ${describe(counts)} (${((performance.now() - start) / 1000).toFixed(1)} s)`;
  table.push(line, ...counts.notes.map((note) => `  ${note}`));
  console.log(`--- ${line}`);
}

console.log(`\n${table.join('\n')}\n`);
// The last line, exactly in this form: other programs read it.
process.stdout.write(`${describe(total)}\n`, () => process.exit(total.failed === 0 ? 0 : 1));
