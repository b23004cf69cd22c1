// Processes: start and end, shared by the test runner and the browser tests.
import { spawn } from 'node:child_process';

const running = new Set();

// A test process that is terminated, or crashes, ends its servers.
process.on('exit', () => running.forEach((child) => child.kill('SIGTERM')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => process.exit(1));
}

const lastLine = (text) => text.trim().split('\n').at(-1) ?? '';

/**
 * Starts a server and waits for the line of its output that matches `ready`.
 *
 * Resolves to `{ match, pid, stop }`. When the process ends before that, the error's message is the
 * last line that it wrote, and `exitCode` is on the error.
 */
export function serve(command, args, { ready, env, cwd, seconds = 600 }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const ended = new Promise((done) => {
      child.once('exit', (code, signal) => done({ code, signal }));
      child.once('error', (error) => done({ error }));
    });

    async function stop(signal = 'SIGTERM') {
      if (!running.has(child)) return;
      child.kill(signal);
      // A server that ignores the signal would keep its port from the next test.
      const hard = setTimeout(() => child.kill('SIGKILL'), 60_000);
      await ended;
      clearTimeout(hard);
    }

    let output = '';
    let settled = false;
    const late = setTimeout(() => {
      settle(reject, new Error(`${command} was not ready after ${seconds} s: ${lastLine(output)}`));
      stop();
    }, seconds * 1000);
    function settle(how, value) {
      if (settled) return;
      settled = true;
      clearTimeout(late);
      how(value);
    }

    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        if (settled) return; // keep draining: a full pipe would stop the server
        output += chunk;
        const match = output.match(ready);
        if (match) settle(resolve, { match, pid: child.pid, stop });
      });
    }
    ended.then(({ code, signal, error }) => {
      running.delete(child);
      const why = error?.message ?? (lastLine(output) || `exit ${code ?? signal}`);
      settle(reject, Object.assign(new Error(why), { exitCode: code }));
    });
  });
}

/** Runs a command to its end. Resolves to its standard output, rejects with its standard error. */
export function run(command, args, { env, input } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    running.add(child);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => (out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk) => (err += chunk));
    child.stdin.on('error', () => {}); // it ended without reading its input; its exit code shows the reason
    child.stdin.end(input ?? '');
    child.once('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.once('close', (code) => {
      running.delete(child);
      if (code === 0) resolve(out);
      else reject(Object.assign(new Error(`${command} ${args.join(' ')}: ${err.trim() || `exit ${code}`}`), { exitCode: code }));
    });
  });
}
