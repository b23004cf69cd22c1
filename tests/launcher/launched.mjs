// Launched: a running launcher with its output, for tests.
import { spawn } from 'node:child_process';
import { after } from 'node:test';
import { eventually } from '../support/eventually.mjs';
import { PATIENCE } from './artefacts.mjs';

const running = new Set();
const endAll = () => running.forEach((child) => child.kill('SIGTERM'));
// A failed test leaves its launcher running, which would keep the process of the tests.
after(endAll);
process.on('exit', endAll);

/** The line that the launcher prints once it serves the page. */
const READY = /^Dashboard of (?:a simulated cluster|(?:\d+ contexts, )?((?:(?:, )?"(?:[^"\\]|\\.)*")+)): (http:\S+) \(Ctrl-C ends it\)\n/m;

/**
 * Starts the launcher. Returns `{ pid, output, ended, address, stop }`: `output` has the texts `out` and `error` so far; `ended` resolves
 * to its exit code; `address()` resolves to `{ context, contexts, url }`.
 */
export function launch(program, args, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const output = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (output.error += chunk));
  let isRunning = true;
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isRunning = false;
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  const address = async () => {
    await eventually(`${program} ${args.join(' ')} prints its address`, PATIENCE, () => READY.test(output.out) || !isRunning);
    if (!isRunning) throw new Error(`the launcher ended: ${output.error}`);
    const [, names, url] = output.out.match(READY);
    const contexts = JSON.parse(`[${names ?? ''}]`);
    return { context: contexts[0], contexts, url };
  };
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { pid: child.pid, output, ended, address, stop };
}

/** Runs the launcher to its end. Resolves to `{ code, out, error }`. */
export async function runToEnd(program, args, env) {
  const { ended, output } = launch(program, args, env);
  return { code: await ended, ...output };
}

/** Whether a process exists. */
export function exists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
