// Build jobs: commands that run in parallel, with one line that shows the progress of each.
import { spawn } from 'node:child_process';

export const say = (text) => process.stderr.write(`${text}\n`);

/** Milliseconds between two updates of the line. In a terminal it replaces the previous one, in a log it does not. */
const [IN_TERMINAL, IN_LOG] = [500, 15_000];
/** Cargo's progress bar: `Building [====>   ] 34/180: name`. */
const BAR = /\[[=> ]*\] (\d+)\/(\d+)/g;
/** Cargo's progress messages. Everything else is a warning or an error. */
const NOISE = /^\s*(Compiling|Building|Blocking|Finished|Downloading|Downloaded|Fetch|Updating|Locking|Adding|Fresh|Dirty)\b/;

const minutes = (milliseconds) => {
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

export class Jobs {
  #start;
  #running = new Map();
  #timer;
  #isTerminal = process.stderr.isTTY;

  /** @param start when the build began, by `performance.now()` */
  constructor(start) {
    this.#start = start;
    process.on('exit', () => this.stop());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  }

  /** Time since the start, as `4:05`. */
  time = () => minutes(performance.now() - this.#start);

  /** Ends running jobs by process group, so that compilers end together with cargo. */
  stop() {
    for (const { child } of this.#running.values()) {
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It has ended already.
      }
    }
  }

  /**
   * Runs a command to its end. `shown`: its messages are for the user; otherwise they appear only when it fails.
   * Rejects if it fails.
   */
  run(name, command, args, { shown = false } = {}) {
    const env = { ...process.env, CARGO_TERM_QUIET: 'false', CARGO_TERM_PROGRESS_WHEN: 'always', CARGO_TERM_PROGRESS_WIDTH: '80' };
    const stdio = ['ignore', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe'];
    const child = spawn(command, args, { stdio, env, detached: true });
    const job = { child, output: '', began: performance.now() };
    if (!shown) for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (job.output += chunk));
    this.#running.set(name, job);
    this.#timer ??= setInterval(() => this.#show(), this.#isTerminal ? IN_TERMINAL : IN_LOG).unref();
    return new Promise((resolve, reject) => {
      child.once('error', (error) => this.#end(name, job, error.message, resolve, reject));
      child.once('close', (code, signal) => this.#end(name, job, signal ?? code, resolve, reject));
    });
  }

  #end(name, job, ended, resolve, reject) {
    if (!this.#running.delete(name)) return;
    this.#clear();
    const took = performance.now() - job.began;
    if (ended === 0) {
      if (took > 2_000 && name !== 'setup') say(`dashboard: ${name}: done in ${minutes(took)}`);
      return resolve();
    }
    const lines = job.output.split(/[\r\n]+/).filter((line) => line.trim() && !NOISE.test(line));
    if (lines.length > 0) say(lines.join('\n'));
    reject(new Error(`${name} failed (${job.child.spawnfile} ended with ${ended})`));
  }

  #show() {
    const far = [...this.#running].map(([name, { output }]) => {
      const [, done, all] = [...output.slice(-4_000).matchAll(BAR)].at(-1) ?? [];
      return all ? `${name} ${done} of ${all}` : name;
    });
    if (far.length === 0) return;
    const line = `dashboard: ${this.time()}  ${far.join(', ')}`;
    if (this.#isTerminal) process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
    else say(line);
  }

  #clear() {
    if (this.#isTerminal) process.stderr.write('\r\x1b[K');
  }
}
