#!/usr/bin/env node
// Launcher of the dashboard: serves the page and the cluster's API on one origin, on loopback, and opens the browser.
//
// It is the program of the npm package `kube-informer-dashboard` and the plugin `kubectl informer`. web/launcher/pack.mjs puts
// the page (`page/`) and the bundled Origin check (`origin-check.mjs`) beside it.
//
// `kubectl proxy` listens on a Unix socket, which no browser can reach. The Origin check listens on the port and rejects requests
// of other web pages. On Windows, Node has no Unix sockets: there, `kubectl proxy` listens on the port itself.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LaunchError, USAGE, USUAL_PORT, hasUnixSockets, parseOptions } from './options.mjs';
import { serve } from './origin-check.mjs';

/** Milliseconds until a kubectl that ignores SIGTERM is killed. */
const KILL_AFTER = 5_000;
/** Maximum number of log lines that are shown when kubectl ends by itself. */
const LAST_LINES = 10;
/** Line of kubectl's log, such as `E0102 15:04:05.678901 …`: kubectl writes one for each interrupted request. */
const LOG_LINE = /^[IWEF]\d{4} /;

const say = (text) => process.stderr.write(`${text}\n`);
const packaged = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Flags of `kubectl proxy` that restrict or extend its access. By default it rejects exec and attach. */
function accessFlags(options) {
  // Shells and port forwarding begin with a GET.
  if (options['read-only']) return ['--reject-methods=^(POST|PUT|PATCH|DELETE)$', '--reject-paths=^/api/.*/pods/.*/(exec|attach|portforward)'];
  // A pattern that no path matches rejects nothing.
  return options['allow-exec'] ? ['--reject-paths=^$'] : [];
}

const isFree = (port) =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** The port to listen on; 0 is any free one. */
async function choosePort(given) {
  if (given === undefined) return (await isFree(USUAL_PORT)) ? USUAL_PORT : 0;
  if (await isFree(Number(given))) return Number(given);
  throw new LaunchError(`Cannot listen on port ${given} of 127.0.0.1. Choose another one with --port.`);
}

/** The error of a kubectl that could not be started. */
function startError({ code, message }) {
  if (code !== 'ENOENT') return new LaunchError(`Cannot start kubectl: ${message}.`);
  return new LaunchError('kubectl is not on PATH. Install it (https://kubernetes.io/docs/tasks/tools/) and run this command again.');
}

/** Returns the name of the current context. */
async function currentContext(flags) {
  try {
    return (await promisify(execFile)('kubectl', [...flags, 'config', 'current-context'])).stdout.trim();
  } catch (error) {
    if (typeof error.code === 'string') throw startError(error);
    const reason = error.stderr.trim().split('\n').at(-1);
    throw new LaunchError(`kubectl has no current context (${reason}). Choose one with --context; "kubectl config get-contexts" lists them.`);
  }
}

/** Copies the page into a folder, with the name of the context. */
async function copyPage(folder, context) {
  await cp(packaged('page'), folder, { recursive: true, filter: (file) => basename(file) !== 'context.json' });
  await writeFile(join(folder, 'context.json'), `${JSON.stringify({ context })}\n`);
  // For this time kubectl sends no Last-Modified. Otherwise, browsers reuse files of an earlier version without a request.
  for (const file of await readdir(folder, { recursive: true })) await utimes(join(folder, file), 0, 0);
}

/**
 * Starts `kubectl proxy`. Returns `{ ready, ended, stop }`: `ready` resolves to its address, `ended` to `{ code, signal, log }`
 * or, if it cannot be started, to `{ error }`.
 */
function startProxy(args) {
  // Standard input and standard error are for credential plugins that ask questions.
  const child = spawn('kubectl', args, { stdio: ['inherit', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => ['error', 'exit'].forEach((event) => child.once(event, resolve)));
  const log = [];
  let [output, rest] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (LOG_LINE.test(line)) log.push(line); else say(line);
    log.splice(0, log.length - LAST_LINES);
  });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (code, signal) => resolve({ code, signal, log: rest ? [...log, rest] : log }));
  });
  const ready = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
      const address = output.match(/^Starting to serve on (.+)\n/m)?.[1];
      if (address) resolve(address);
    });
  });
  // An exception that is not handled ends this process without `finally`.
  const kill = () => child.kill('SIGTERM');
  process.on('exit', kill);
  exited.then(() => process.off('exit', kill));
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER);
    await exited;
    clearTimeout(late);
  };
  return { ready, ended, stop };
}

/** Opens an address in the default browser, if there is one. */
function openBrowser(url) {
  const programs = { darwin: ['open', url], win32: ['rundll32', 'url.dll,FileProtocolHandler', url] };
  const [program, ...args] = programs[process.platform] ?? ['xdg-open', url];
  spawn(program, args, { stdio: 'ignore', detached: true }).on('error', () => {}).unref();
}

/** Starts the Origin check. Resolves to its port. */
async function listenOn(socket, port) {
  try {
    return (await serve(socket, port)).address().port;
  } catch (error) {
    // Another program has taken it meanwhile.
    throw error.code === 'EADDRINUSE' ? new LaunchError(`Cannot listen on port ${port} of 127.0.0.1. Choose another one with --port.`) : error;
  }
}

/** Prints the address and opens it. `authority` is host and port. */
function announce(authority, context, options) {
  const url = `http://${authority}/ui/${options.namespace ? `#/overview?namespace=${encodeURIComponent(options.namespace)}` : ''}`;
  if (!hasUnixSockets) say('Warning: on Windows, any web page in your browser can read watches of the cluster while this command runs.');
  if (options['allow-exec']) say('Warning: each process that can reach the port can open shells in pods. An Origin check keeps other web pages out.');
  console.log(`Dashboard of ${JSON.stringify(context)}: ${url} (Ctrl-C ends it)`);
  if (!options['no-open']) openBrowser(url);
}

/** Runs the dashboard until kubectl or a signal ends it. `folder` is for its files. Throws a `LaunchError` if kubectl ends by itself. */
async function run(options, folder, interrupted) {
  const flags = ['kubeconfig', 'context'].filter((name) => options[name]).map((name) => `--${name}=${options[name]}`);
  const context = options.context ?? (await Promise.race([currentContext(flags), interrupted]));
  if (typeof context !== 'string') return; // interrupted
  const port = await choosePort(options.port);
  const [www, socket] = [join(folder, 'www'), join(folder, 'proxy.sock')];
  await copyPage(www, context);
  const listen = hasUnixSockets ? [`--unix-socket=${socket}`] : ['--address=127.0.0.1', `--port=${port}`];
  const proxy = startProxy([...flags, 'proxy', `--www=${www}`, '--www-prefix=/ui/', ...listen, ...accessFlags(options)]);
  try {
    const address = await Promise.race([proxy.ready, proxy.ended, interrupted]);
    if (typeof address === 'string') {
      announce(hasUnixSockets ? `127.0.0.1:${await listenOn(socket, port)}` : address, context, options);
    }
    const { isInterrupted, error, code, signal, log } = await Promise.race([proxy.ended, interrupted]);
    if (error) throw startError(error);
    // A terminal sends the SIGINT of Ctrl-C to kubectl as well.
    if (isInterrupted || signal === 'SIGINT') return;
    const end = `kubectl proxy ended by itself (${signal ?? `exit code ${code}`}).`;
    throw new LaunchError([...log, end].join('\n'), code ?? 128 + constants.signals[signal]);
  } finally {
    await proxy.stop();
  }
}

/** Runs the dashboard in a folder that is removed afterwards. */
async function runInFolder(options) {
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve({ isInterrupted: true }));
  });
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-'));
  try {
    await run(options, folder, interrupted);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// A reader that closes the pipe, such as `head -1`, does not end the dashboard.
process.stdout.on('error', () => {});

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else if (options.version) console.log(JSON.parse(await readFile(packaged('package.json'), 'utf8')).version);
  else {
    await runInFolder(options);
    // Open connections would keep the process.
    process.exit(0);
  }
} catch (error) {
  say(error instanceof LaunchError ? `error: ${error.message}` : error.stack);
  process.exit(error.exitCode ?? 1);
}
