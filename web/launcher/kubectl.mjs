// kubectl: the processes of `kubectl proxy`, the current context, and the errors of both.
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { LaunchError } from './options.mjs';

/** Milliseconds until a kubectl that ignores SIGTERM is killed. */
const KILL_AFTER = 5_000;
/** Maximum number of log lines that are shown when kubectl ends by itself. */
const LAST_LINES = 10;
/** Line of kubectl's log, such as `E0102 15:04:05.678901 …`: kubectl writes one for each interrupted request. */
const LOG_LINE = /^[IWEF]\d{4} /;

/** Writes a line for the user. */
export const say = (text) => process.stderr.write(`${text}\n`);

/** Flags of `kubectl proxy` that restrict or extend its access. By default it rejects exec and attach. */
export function accessFlags(options) {
  // Shells and port forwarding begin with a GET.
  if (options['read-only']) return ['--reject-methods=^(POST|PUT|PATCH|DELETE)$', '--reject-paths=^/api/.*/pods/.*/(exec|attach|portforward)'];
  // A pattern that no path matches rejects nothing.
  return options['allow-exec'] ? ['--reject-paths=^$'] : [];
}

/** The error of a kubectl that could not be started. */
export function startError({ code, message }) {
  if (code !== 'ENOENT') return new LaunchError(`Cannot start kubectl: ${message}.`);
  return new LaunchError('kubectl is not on PATH. Install it (https://kubernetes.io/docs/tasks/tools/) and run this command again.');
}

/** Returns the name of the current context. */
export async function currentContext(flags) {
  try {
    return (await promisify(execFile)('kubectl', [...flags, 'config', 'current-context'])).stdout.trim();
  } catch (error) {
    if (typeof error.code === 'string') throw startError(error);
    const reason = error.stderr.trim().split('\n').at(-1);
    throw new LaunchError(`kubectl has no current context (${reason}). Choose one with --context; "kubectl config get-contexts" lists them.`);
  }
}

/** The sentence about a `kubectl proxy` that is not running any more. */
export const endOf = ({ code, signal }) => `kubectl proxy ended by itself (${signal ?? `exit code ${code}`}).`;

/**
 * Starts `kubectl proxy`. Returns `{ ready, ended, stop }`: `ready` resolves to its address, `ended` to `{ code, signal, log, last }`
 * or, if it cannot be started, to `{ error }`. `log` are the last lines of its log, `last` is its last line. `show` gets its other lines.
 * `stdin` is "inherit" for credential plugins that ask questions on the terminal.
 */
export function startProxy(args, { show = say, stdin = 'inherit' } = {}) {
  const child = spawn('kubectl', args, { stdio: [stdin, 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => ['error', 'exit'].forEach((event) => child.once(event, resolve)));
  const log = [];
  let [output, rest, last] = ['', '', ''];
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (LOG_LINE.test(line)) log.push(line); else show(line);
    last = lines.findLast((line) => line.trim()) ?? last;
    log.splice(0, log.length - LAST_LINES);
  });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (code, signal) => resolve({ code, signal, log: rest ? [...log, rest] : log, last: rest || last }));
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
