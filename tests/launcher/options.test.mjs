// Options of the launcher: their checks, and the arguments of kubectl that they become, with a simulated kubectl.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { protects } from '../../web/launcher/protected.mjs';
import { TEST, root } from './artefacts.mjs';
import { launch, runToEnd } from './launched.mjs';
import { environment, folder, program, served } from './simulated.mjs';

test('help and version', TEST, async () => {
  const { env } = await environment();
  const [, version] = (await readFile(join(root, 'Cargo.toml'), 'utf8')).match(/^version = "(.*)"$/m);
  assert.deepEqual(await runToEnd(program(), ['--version'], env), { code: 0, out: `${version}\n`, error: '' });
  for (const [name, usage] of [['kube-informer-dashboard', 'Usage: kube-informer-dashboard [options]'], ['kubectl-informer', 'Usage: kubectl informer [options]']]) {
    const { code, out, error } = await runToEnd(program(name), ['--help'], env);
    assert.deepEqual([code, out.split('\n')[0], error], [0, usage, '']);
  }
});

test('an invalid option is named, and the exit code is 2', TEST, async () => {
  for (const [args, expected] of [
    [['--frobnicate'], /^error: Unknown option '--frobnicate'\. "kubectl informer --help" lists the options\.\n$/],
    [['pods'], /^error: Unexpected argument 'pods'\. /],
    [['--context'], /^error: Option '--context <value>' argument missing\. /],
    [['--context='], /^error: Option '--context' has an empty value\. /],
    [['--context=a', '--context='], /^error: Option '--context' has an empty value\. /],
    [['--context=a', '--context=..'], /^error: Option '--context': '\.\.' cannot be part of a URL\. Rename the context with "kubectl config rename-context"\. /],
    [['--protected=[z-a]'], /^error: Option '--protected': '\[z-a\]' has an invalid range\. /],
    [['--read-only=yes'], /^error: Option '--read-only' does not take an argument\. /],
    [['--port', '70000'], /^error: Option '--port': '70000' is not a port number\. /],
    [['--port', '1;2'], /^error: Option '--port': '1;2' is not a port number\. /],
    [['--demo', '--context=a'], /^error: Options '--demo' and '--context' exclude each other: the demo has a simulated cluster\. /],
    [['--demo', '--allow-exec'], /^error: Options '--demo' and '--allow-exec' exclude each other/],
    [['--read-only', '--allow-exec'], /^error: Options '--allow-exec' and '--read-only' exclude each other: a shell can write\. /],
  ]) {
    const { env, record } = await environment();
    const { code, out, error } = await runToEnd(program('kubectl-informer'), args, env);
    assert.match(error, expected);
    assert.deepEqual([code, out, await record()], [2, '', []], args.join(' '));
  }
});

test('options become single arguments of kubectl, and no shell reads them', TEST, async () => {
  const trap = join(folder, 'trap');
  for (const name of ['arn:aws:eks:eu:1:cluster/prod', 'a b', `$(touch '${trap}')`, `"; touch "${trap}"; "`, `x\`touch ${trap}\`y`, '--reject-paths=^$', 'ü "quoted" back\\slash']) {
    const { args, context } = await served([`--context=${name}`, `--kubeconfig=${name}`]);
    assert.equal(context, name);
    assert.deepEqual(args.slice(0, 3), [`--kubeconfig=${name}`, `--context=${name}`, 'proxy']);
    assert.equal(args.length, 6, args.join(' '));
  }
  assert.ok(!existsSync(trap));
});

test('patterns of --protected match whole names of contexts, as those of PROTECTED=', TEST, async () => {
  for (const [patterns, name, isProtected] of [
    ['prod*', 'prod-eu', true],
    ['prod*', 'dev', false],
    ['live,prod-*', 'prod-eu', true],
    ['live, *-eu staging', 'prod-eu', true],
    ['prod', 'prod-eu', false],
    ['prod-??', 'prod-eu', true],
    ['p.od', 'prod', false],
    ['[pq]rod', 'prod', true],
    ['[!p]rod', 'prod', false],
    ['[a-c]x', 'bx', true],
    ['a\\*', 'ab', false],
    ['a\\*', 'a*', true],
    ['*quoted*', 'odd "quoted" back\\slash', true],
    ['', 'prod', false],
    [undefined, 'prod', false],
  ]) {
    assert.equal(protects(patterns, name), isProtected, `${patterns} and ${name}`);
  }
  const shown = [];
  const { env } = await environment();
  for (const options of [[], ['--protected=sim*'], ['--protected=live']]) {
    const launched = launch(program(), ['--no-open', '--port=0', ...options], env);
    const { url } = await launched.address();
    assert.ok(url);
    const [www] = (await readdir(env.TMPDIR)).map((name) => join(env.TMPDIR, name, 'www/context.json'));
    shown.push(JSON.parse(await readFile(www, 'utf8')));
    assert.equal(await launched.stop(), 0);
  }
  assert.deepEqual(shown, [false, true, false].map((isProtected) => ({ context: 'simulated', protected: isProtected })));
});

test('access flags of kubectl proxy', TEST, async () => {
  const flags = async (...options) => (await served(options)).args.filter((arg) => arg.startsWith('--reject'));
  assert.deepEqual(await flags(), []);
  assert.deepEqual(await flags('--read-only'), ['--reject-methods=^(POST|PUT|PATCH|DELETE)$', '--reject-paths=^/api/.*/pods/.*/(exec|attach|portforward)']);
  const { args, error } = await served(['--allow-exec']);
  assert.ok(args.includes('--reject-paths=^$'));
  assert.match(error, /^Warning: each process that can reach the port can open shells in pods\. An Origin check keeps other web pages out\.$/m);
});

test('kubectl listens on a Unix socket, and its questions are shown but not its log', TEST, async () => {
  const { args, error, context } = await served([]);
  assert.equal(context, 'simulated');
  assert.equal(args.filter((arg) => /^--(unix-socket=.*\/proxy\.sock|www=.*\/www|www-prefix=\/ui\/)$/.test(arg)).length, 3);
  assert.ok(!args.some((arg) => /^--(port|address)/.test(arg)));
  assert.equal(error, 'Open https://login.example and enter ABC\n');
});

test('without Unix sockets, as on Windows, kubectl listens on loopback itself, and shells are not available', TEST, async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'platform', { value: 'win32' })")}`;
  const { args, url, error } = await served([], { NODE_OPTIONS });
  assert.ok(args.includes('--address=127.0.0.1') && args.includes('--port=0') && !args.some((arg) => arg.startsWith('--unix-socket')), args.join(' '));
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/ui\/$/);
  const rejected = await runToEnd(program(), ['--no-open', '--port=0'], (await environment({ NODE_OPTIONS, KUBECTL_ANSWERS: '[401, "{}"]' })).env);
  assert.deepEqual([rejected.code, /rejects your credentials/.test(rejected.error)], [1, true], rejected.error);
  assert.match(error, /^Warning: on Windows, any web page in your browser can read watches/m);
  const several = await runToEnd(program(), ['--context=a', '--context=b'], (await environment({ NODE_OPTIONS })).env);
  assert.equal(several.code, 2);
  assert.match(several.error, /^error: Option '--context' is given several times\. Several clusters in one page are not available on Windows: they need Unix sockets\. /);
  const { code, error: refusal } = await runToEnd(program(), ['--allow-exec'], (await environment({ NODE_OPTIONS })).env);
  assert.equal(code, 2);
  assert.match(refusal, /^error: Option '--allow-exec' is not available on Windows: any web page could open a shell there\. /);
});
