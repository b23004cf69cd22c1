// Logs: the dashboard's tab on a million lines and at 50,000 lines a second, beside a plain JavaScript page on the same log.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';
import { mainThreadTasks } from '../tracing.mjs';

export const title = 'logs';
/** Lines, not pods: as many as the tab keeps. */
export const sizes = () => [1_000_000];

const RATE = 50_000;
const SECONDS = 5;
const LIMIT = 300_000;
const LAST = 'the last line';
const NAMESPACE = 'bench-logs';

export async function measure({ browser, size, pairs, serving }) {
  const about = { size, against: 'plain JavaScript' };
  if (!existsSync(join(root, 'dist/index.html'))) return [unmeasured({ ...about, name: 'logs', unit: '', reason: 'the dashboard is not built: make build' })];
  return serving({ pods: 10 }, async (origin) => {
    const pod = await Pod.create(origin);
    const readers = { ours: Tab, plain: Plain };
    const taken = { ours: [], plain: [] };
    // The first round is not measured.
    for (let round = -1; round < pairs; round++) {
      for (const [name, Reader] of Object.entries(readers)) {
        const sample = { ...(await whole(browser, pod, size, Reader)), ...(await followed(browser, pod, Reader)) };
        if (round >= 0) taken[name].push(sample);
      }
    }
    const pair = (of) => ({ value: taken.ours.map(of), baseline: taken.plain.map(of) });
    const least = Math.min(...[...taken.ours, ...taken.plain].map(({ sustained }) => sustained));
    // A machine that is too busy for the lines cannot measure their cost.
    const judged = least >= 0.9 * RATE;
    const paced = { ...about, churn: RATE, judged, note: `${judged ? '' : 'not judged: '}${Math.round(least)} lines a second came, at least` };
    const goal = { of: 'value', atMost: 50 };
    return [
      figure({ ...about, name: 'logs, all lines read', unit: 'lines/s', ...pair(({ perSecond }) => perSecond), note: 'from opening the log until its last line is on screen' }),
      figure({ ...about, name: 'logs, longest task while all lines are read', unit: 'ms', ...pair(({ longestOfWhole }) => longestOfWhole), goal, note: '0: none took 50 ms' }),
      figure({ ...about, name: 'logs, memory of all lines', unit: 'MB', ...pair(({ bytes }) => bytes / 1e6), note: 'heap after collection, and wasm memory; the tab keeps 96 MiB of lines at most' }),
      figure({ ...paced, name: 'logs, lines followed', unit: 'lines/s', ...pair(({ sustained }) => sustained) }),
      figure({ ...paced, name: 'logs, longest task while following', unit: 'ms', ...pair(({ longest }) => longest), goal }),
    ];
  });
}

/** Reads a log of `size` lines to its end. */
async function whole(browser, pod, size, Reader) {
  await pod.order({ log: 'pace', per_second: 1, backlog: size, style: 'json' });
  await pod.order({ log: 'pace', per_second: 0 });
  await pod.order({ log: 'line', text: LAST });
  await pod.endsWith(LAST);
  const reader = await Reader.open(browser, pod);
  const before = await reader.bytes();
  // A sample of 34,940,000 lines a second was recorded once: then all lines had come before they were asked for.
  const early = await reader.count();
  if (early >= size) throw new Error(`${early} lines came before they were asked for`);
  const start = performance.now();
  await reader.forgetTasks();
  await reader.readAll();
  // The tab shows the last lines before it is asked for all.
  await reader.came(size);
  await reader.showsLast();
  const took = performance.now() - start;
  const longestOfWhole = await reader.longest();
  const bytes = (await reader.bytes()) - before;
  await reader.close();
  return { perSecond: (1000 * size) / took, longestOfWhole, bytes };
}

/** Follows a log that is written at `RATE`. */
async function followed(browser, pod, Reader) {
  await pod.order({ log: 'pace', per_second: 0 });
  const reader = await Reader.open(browser, pod);
  await reader.readNew();
  await pod.order({ log: 'pace', per_second: RATE, style: 'json' });
  await reader.came(RATE);
  let [lines, seconds] = [0, 0];
  const tasks = await mainThreadTasks(browser, async () => {
    const [first, start] = [await reader.count(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
    [lines, seconds] = [(await reader.count()) - first, (performance.now() - start) / 1000];
  });
  await pod.order({ log: 'pace', per_second: 0 });
  await reader.close();
  return { sustained: lines / seconds, longest: Math.max(...tasks) };
}

/** A pod that writes lines on command. */
class Pod {
  static async create(origin) {
    const pod = new Pod();
    Object.assign(pod, { origin, name: 'loud', path: `/api/v1/namespaces/${NAMESPACE}/pods/loud` });
    await pod.#send('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await pod.#send(`/api/v1/namespaces/${NAMESPACE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'loud' }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
    while ((await (await fetch(origin + pod.path)).json()).status.phase !== 'Running') await new Promise((resolve) => setTimeout(resolve, 50));
    return pod;
  }

  order(command) {
    return this.#send('/admin/logs', { ...command, namespace: NAMESPACE, pod: this.name });
  }

  /** Resolves when this is the last line of the log. */
  async endsWith(text) {
    const deadline = performance.now() + LIMIT;
    const last = async () => (await fetch(`${this.origin}${this.path}/log?tailLines=1`)).text();
    while (!(await last()).includes(text)) {
      if (performance.now() > deadline) throw new Error(`the log does not end with "${text}"`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #send(path, body) {
    const response = await fetch(this.origin + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    if (!response.ok) throw new Error(`POST ${path}: HTTP ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

/** In the page: notes its long tasks, and its wasm memories, which are no part of V8's heap. */
function measureItself() {
  Object.assign(window, { longest: 0, memories: [] });
  const note = (list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)));
  new PerformanceObserver(note).observe({ type: 'longtask' });
  for (const name of ['instantiate', 'instantiateStreaming']) {
    const original = WebAssembly[name];
    WebAssembly[name] = async (...args) => {
      const made = await original.apply(WebAssembly, args);
      const { memory } = (made.instance ?? made).exports;
      if (memory) window.memories.push(memory);
      return made;
    };
  }
}

/** A page in a separate profile. */
class Reader {
  static async open(browser, pod) {
    const reader = new this();
    reader.context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    reader.page = await reader.context.newPage();
    reader.page.setDefaultTimeout(LIMIT);
    await reader.page.addInitScript(measureItself);
    reader.session = await reader.context.newCDPSession(reader.page);
    await reader.begin(pod);
    return reader;
  }

  /** Heap and wasm memories. */
  async bytes() {
    await this.session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.session.send('Runtime.getHeapUsage');
    return usedSize + (await this.page.evaluate(() => window.memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)));
  }

  /** Milliseconds of the longest task; 0 if none took 50. A trace of so many lines would slow them down. */
  longest() {
    return this.page.evaluate(() => window.longest);
  }

  /** The tasks of the page's start are no part of the reading. */
  forgetTasks() {
    return this.page.evaluate(() => (window.longest = 0));
  }

  /** Resolves when this number of lines has arrived. */
  async came(lines) {
    const deadline = performance.now() + LIMIT;
    while ((await this.count()) < lines) {
      if (performance.now() > deadline) throw new Error(`${lines} lines did not come within ${LIMIT / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  close() {
    return this.context.close();
  }
}

/** The dashboard's tab. */
class Tab extends Reader {
  async begin({ origin, name }) {
    await this.page.goto(`${origin}/ui/dashboard/#/v1/pods?namespace=${NAMESPACE}&object=${NAMESPACE}%2F${name}&tab=logs`);
    await this.page.locator('.log-state', { hasText: /^Following/ }).waitFor();
  }

  readAll() {
    return this.page.getByLabel('Last lines of each container').selectOption('0');
  }

  /** The tab follows from its beginning. */
  readNew() {}

  showsLast() {
    return this.page.locator('.log-line', { hasText: LAST }).waitFor();
  }

  /** Number of received lines: stored ones and those that were dropped at the limit. */
  async count() {
    const figures = await this.page.locator('.log-figures').textContent();
    return [...figures.matchAll(/([\d,]+) (?:lines|older)/g)].reduce((sum, [, digits]) => sum + Number(digits.replaceAll(',', '')), 0);
  }
}

/** A page as a front-end developer writes it: all lines in an array, the newest two hundred in the document. */
class Plain extends Reader {
  async begin({ origin, path }) {
    await this.page.goto(`${origin}/ui/index.html`);
    await this.page.evaluate((path) => {
      window.lines = [];
      const view = document.body.appendChild(document.createElement('pre'));
      let isDue = false;
      const show = () => {
        isDue = false;
        view.textContent = window.lines.slice(-200).map(({ time, text }) => `${time} ${text}`).join('\n');
      };
      window.read = async (since) => {
        const { body } = await fetch(`${path}/log?follow=true&timestamps=true${since}`);
        const reader = body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = '';
        for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
          const parts = (rest + value).split('\n');
          rest = parts.pop();
          for (const part of parts) {
            const blank = part.indexOf(' ');
            window.lines.push({ time: part.slice(0, blank), text: part.slice(blank + 1) });
          }
          if (!isDue) requestAnimationFrame(show);
          isDue = true;
        }
      };
    }, path);
  }

  readAll() {
    return this.page.evaluate(() => void window.read(''));
  }

  readNew() {
    return this.page.evaluate(() => void window.read('&tailLines=1000'));
  }

  showsLast() {
    return this.page.locator('pre', { hasText: LAST }).waitFor();
  }

  count() {
    return this.page.evaluate(() => window.lines.length);
  }
}
