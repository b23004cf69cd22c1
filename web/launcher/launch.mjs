#!/usr/bin/env node
// Launcher of the dashboard: serves the page and the cluster's API on one origin, on loopback, and opens the browser.
//
// It is the program of the npm package `kube-informer-dashboard` and the plugin `kubectl informer`. web/launcher/pack.mjs puts
// the page (`page/`) and the bundled front (`front.mjs`) beside it.
//
// `kubectl proxy` listens on a Unix socket, which no browser can reach. The Origin check listens on the port and rejects requests
// of other web pages. On Windows, Node has no Unix sockets: there, `kubectl proxy` listens on the port itself.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DEMO, serveDemo } from './demo.mjs';
import { serve } from './front.mjs';
import { accessFlags, currentContext, endOf, say, startError, startProxy } from './kubectl.mjs';
import { LaunchError, USAGE, USUAL_PORT, hasUnixSockets, parseOptions } from './options.mjs';
import { protects } from './protected.mjs';
import { reach } from './reach.mjs';
import { Clusters } from './several.mjs';

/** Milliseconds until the page opens although the apiserver has not answered yet: the user may be logging in. */
const OPEN_AFTER = 3_000;
/** Codes of errors of a disk that is full. */
const FULL = ['EDQUOT', 'ENOSPC'];

const packaged = (name) => fileURLToPath(new URL(name, import.meta.url));

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

/** The folder of the built page. */
const pageFolder = ({ page }) => (page ? resolve(page) : packaged('page'));

/** The error of a folder of temporary files that cannot be written to. */
const writeError = ({ code }) => new LaunchError(`Cannot write to the folder of temporary files, ${tmpdir()} (${code}). Free space there, or name another folder in the variable TMPDIR.`);

/** Copies the page into a folder, with the name of the context, and whether it is protected. */
async function copyPage(folder, context, options) {
  await cp(pageFolder(options), folder, { recursive: true, dereference: true, filter: (file) => basename(file) !== 'context.json' });
  await writeFile(join(folder, 'context.json'), `${JSON.stringify({ context, protected: protects(options.protected, context) })}\n`);
  // For this time kubectl sends no Last-Modified. Otherwise, browsers reuse files of an earlier version without a request.
  for (const file of await readdir(folder, { recursive: true })) await utimes(join(folder, file), 0, 0);
}

/** Opens an address in the default browser, if there is one. */
function openBrowser(url) {
  const programs = { darwin: ['open', url], win32: ['rundll32', 'url.dll,FileProtocolHandler', url] };
  const [program, ...args] = programs[process.platform] ?? ['xdg-open', url];
  spawn(program, args, { stdio: 'ignore', detached: true }).on('error', () => {}).unref();
}

/** The port that a server listens on. `starting` is the promise of it, and `port` the wanted one. */
async function portOf(starting, port) {
  try {
    return (await starting).address().port;
  } catch (error) {
    // Another program has taken it meanwhile.
    throw error.code === 'EADDRINUSE' ? new LaunchError(`Cannot listen on port ${port} of 127.0.0.1. Choose another one with --port.`) : error;
  }
}

/** The part of the page that it opens with. */
const hashOf = ({ namespace }) => (namespace ? `#/overview?namespace=${encodeURIComponent(namespace)}` : '');

/** Prints the address and opens it. `what` names the cluster or clusters. */
function announce(what, url, options) {
  if (!hasUnixSockets && !options.demo) say('Warning: on Windows, any web page in your browser can read watches of the cluster while this command runs.');
  if (options['allow-exec']) say('Warning: each process that can reach the port can open shells in pods. An Origin check keeps other web pages out.');
  console.log(`Dashboard of ${what}: ${url} (Ctrl-C ends it)`);
  if (!options['no-open']) openBrowser(url);
}

const kubeconfigFlags = ({ kubeconfig }) => (kubeconfig ? [`--kubeconfig=${kubeconfig}`] : []);

/** Runs the dashboard of one context until kubectl or a signal ends it. `folder` is for its files. Throws a `LaunchError` if kubectl ends by itself. */
async function runOne(options, folder, interrupted) {
  const flags = [...kubeconfigFlags(options), ...options.context.map((name) => `--context=${name}`)];
  const context = options.context[0] ?? (await Promise.race([currentContext(flags), interrupted]));
  if (typeof context !== 'string') return; // interrupted
  const port = await choosePort(options.port);
  const [www, socket] = [join(folder, 'www'), join(folder, 'proxy.sock')];
  await copyPage(www, context, options).catch((error) => {
    throw FULL.includes(error.code) ? writeError(error) : error;
  });
  const listen = hasUnixSockets ? [`--unix-socket=${socket}`] : ['--address=127.0.0.1', `--port=${port}`];
  const proxy = startProxy([...flags, 'proxy', `--www=${www}`, '--www-prefix=/ui/', ...listen, ...accessFlags(options)]);
  try {
    const address = await Promise.race([proxy.ready, proxy.ended, interrupted]);
    const ends = [proxy.ended, interrupted];
    if (typeof address === 'string') {
      const [host, number] = address.split(':');
      const reached = reach(hasUnixSockets ? { socketPath: socket } : { host, port: number }, context);
      await Promise.race([reached, sleep(OPEN_AFTER), ...ends]);
      // A failure that is known later ends the launcher as well.
      ends.push(reached.then(() => proxy.ended));
      const authority = hasUnixSockets ? `127.0.0.1:${await portOf(serve(socket, port), port)}` : address;
      announce(JSON.stringify(context), `http://${authority}/ui/${hashOf(options)}`, options);
    }
    const end = await Promise.race(ends);
    if (end.error) throw startError(end.error);
    // A terminal sends the SIGINT of Ctrl-C to kubectl as well.
    if (end.isInterrupted || end.signal === 'SIGINT') return;
    throw new LaunchError([...end.log, endOf(end)].join('\n'), end.code ?? 128 + constants.signals[end.signal]);
  } finally {
    await proxy.stop();
  }
}

/** Runs the dashboard of several contexts until a signal, or the end of all their proxies, ends it. */
async function runSeveral(options, folder, interrupted) {
  const port = await choosePort(options.port);
  const clusters = new Clusters(options.context, (name) => protects(options.protected, name), folder, [...kubeconfigFlags(options)], accessFlags(options));
  try {
    const listening = await portOf(clusters.serve(pageFolder(options), hashOf(options), port), port);
    const started = await Promise.race([clusters.start(), interrupted]);
    if (started) return;
    announce(`${options.context.length} contexts, ${options.context.map((name) => JSON.stringify(name)).join(', ')}`, `http://127.0.0.1:${listening}/`, options);
    await Promise.race([clusters.ended, interrupted]);
  } finally {
    await clusters.stop();
  }
}

/** Runs the demo until a signal ends it. */
async function runDemo(options, interrupted) {
  const port = await choosePort(options.port);
  const listening = await portOf(serveDemo(pageFolder(options), port), port);
  announce('a simulated cluster', `http://127.0.0.1:${listening}${DEMO}${hashOf(options)}`, options);
  await interrupted;
}

function run(options, folder, interrupted) {
  if (options.demo) return runDemo(options, interrupted);
  return (options.context.length > 1 ? runSeveral : runOne)(options, folder, interrupted);
}

/** Runs the dashboard in a folder that is removed afterwards. */
async function runInFolder(options) {
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve({ isInterrupted: true }));
  });
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-')).catch((error) => {
    throw writeError(error);
  });
  try {
    await run(options, folder, interrupted);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// A reader that closes the pipe, such as `head -1`, does not end the dashboard.
process.stdout.on('error', () => {});

try {
  if (Number(process.versions.node.split('.')[0]) < 20) throw new LaunchError(`Node.js ${process.versions.node} is too old. Install Node.js 20 or later.`);
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
