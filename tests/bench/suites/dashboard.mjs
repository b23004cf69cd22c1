// Dashboard on a changing cluster: tasks of its main thread, and the time until a change is on screen.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changing } from '../churn.mjs';
import { root } from '../stage.mjs';
import { figure, quantile, unmeasured } from '../statistics.mjs';
import { mainThreadTasks } from '../tracing.mjs';

export const title = 'the dashboard while the cluster lives';
export const sizes = (wanted) => wanted.filter((size) => size === 10_000 || size === 50_000);

const ROUNDS = 3;
const SECONDS = 6;
const PROBES = 40;
const RATE = 1000;
// Sorts before all other namespaces, so that its row is visible.
const NAMESPACE = 'aaa-bench';

export async function measure({ browser, size, serving, say }) {
  const about = { name: 'dashboard', unit: 'ms', size, churn: RATE };
  if (!existsSync(join(root, 'dist/index.html'))) return [unmeasured({ ...about, reason: 'the dashboard is not built: make build' })];
  return serving({ pods: size, history: 100_000 }, async (origin) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(watchCell);
    await page.goto(`${origin}/ui/dashboard/#/v1/pods`);
    const key = `${NAMESPACE}/probe`;
    await page.locator('[data-freshness=live]').first().waitFor({ timeout: 120_000 });
    const [p99, longest, latency, median, writes] = [[], [], [], [], []];
    const rate = await changing(origin, RATE, async () => {
      // Created late, so that no other client changes it.
      await createProbe(origin);
      await page.locator(`[role=row][data-key="${key}"]`).waitFor({ timeout: 30_000 });
      await new Promise((resolve) => setTimeout(resolve, 3000));
      for (let round = 0; round < ROUNDS; round++) {
        const tasks = await mainThreadTasks(browser, () => new Promise((resolve) => setTimeout(resolve, SECONDS * 1000)));
        if (tasks.length === 0) throw new Error('the trace has no tasks of a main thread');
        p99.push(quantile(tasks, 0.99));
        longest.push(Math.max(...tasks));
        const { took, wrote } = await probe(page, origin);
        latency.push(quantile(took, 0.99));
        median.push(quantile(took, 0.5));
        writes.push(quantile(wrote, 0.5));
      }
    });
    await context.close();
    // A machine that is too busy for the changes cannot measure their cost.
    const judged = rate >= 0.9 * RATE;
    const note = `${judged ? '' : 'not judged: '}${Math.round(rate)} events a second came`;
    const at = { ...about, judged };
    const goal = size === 50_000;
    return [
      figure({
        ...at,
        name: "dashboard, 99 % of the main thread's tasks",
        value: p99,
        goal: goal ? { value: true, below: 8 } : undefined,
        note,
      }),
      figure({
        ...at,
        name: 'dashboard, longest task of the main thread',
        value: longest,
        goal: goal ? { value: true, atMost: 50 } : undefined,
        note,
      }),
      figure({
        ...at,
        name: 'dashboard, event to painted cell, 99 %',
        value: latency,
        goal: goal ? { value: true, atMost: 50 } : undefined,
        note: `from when another watch has it, in another process; the write before it takes ${quantile(writes, 0.5).toFixed(1)} ms; ${note}`,
      }),
      figure({ ...at, name: 'dashboard, event to painted cell, median', value: median, note }),
    ];
  });
}

async function send(method, url, body, type = 'application/json') {
  const response = await fetch(url, { method, body: JSON.stringify(body), headers: { 'content-type': type } });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: HTTP ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

async function createProbe(origin) {
  await send('POST', `${origin}/api/v1/namespaces`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const spec = { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'pause' }] };
  await send('POST', `${origin}/api/v1/namespaces/${NAMESPACE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec });
}

/** In the page: records when a cell that shows a time is on screen. Both sides read the clock of the same machine. */
function watchCell() {
  window.seen = new Map();
  const look = (node) => {
    const [, at] = node.data?.match(/^t(\d{13})$/) ?? [];
    if (!at || window.seen.has(at)) return;
    window.seen.set(at, undefined);
    // A message arrives after the current frame: inside a frame's callbacks that is this frame, otherwise the next.
    const painted = () => afterwards(() => window.seen.set(at, Date.now()));
    if (inFrame) painted();
    else nextFrame(painted);
  };
  const afterwards = (call) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = call;
    port2.postMessage(null);
  };
  const nextFrame = window.requestAnimationFrame.bind(window);
  let inFrame = false;
  window.requestAnimationFrame = (callback) =>
    nextFrame((time) => {
      inFrame = true;
      afterwards(() => (inFrame = false));
      callback(time);
    });
  new MutationObserver((records) => records.forEach(({ target }) => look(target))).observe(document, {
    characterData: true,
    subtree: true,
  });
}

/** Watches the probe in parallel with the dashboard and records when each event arrives. `end` closes the watch. */
async function hearProbe(origin) {
  const came = new Map();
  const closing = new AbortController();
  const url = `${origin}/api/v1/namespaces/${NAMESPACE}/pods?pretty=false&watch=true`;
  const response = await fetch(url, { signal: closing.signal });
  const hear = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      const now = Date.now();
      for (const [, at] of decoder.decode(chunk, { stream: true }).matchAll(/"t(\d{13})"/g)) if (!came.has(at)) came.set(at, now);
    }
  };
  const heard = hear().catch((error) => {
    if (!closing.signal.aborted) throw error;
  });
  const end = () => {
    closing.abort();
    return heard;
  };
  return { came, end };
}

async function probe(page, origin) {
  const beside = await hearProbe(origin);
  const sent = new Map();
  const wrote = [];
  for (let time = 0; time < PROBES; time++) {
    const at = Date.now();
    sent.set(`${at}`, at);
    // A finished pod without containers: kubelets never produce it, so no other client changes it.
    const status = { phase: 'Failed', reason: `t${at}`, containerStatuses: [] };
    await send('PATCH', `${origin}/api/v1/namespaces/${NAMESPACE}/pods/probe/status`, { status }, 'application/merge-patch+json');
    wrote.push(Date.now() - at);
    // Not a multiple of a frame.
    await new Promise((resolve) => setTimeout(resolve, 97 + (time % 7)));
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const seen = new Map(await page.evaluate(() => [...window.seen]));
  await beside.end();
  // From the time when another watch received the event. If a later event replaced it before it was painted, the successor
  // counts.
  const took = [...sent.values()].map((at) => {
    const painted = Math.min(...[...seen].filter(([key, on]) => Number(key) >= at && on).map(([, on]) => on));
    return painted - (beside.came.get(`${at}`) ?? at);
  });
  if (!took.every(Number.isFinite)) throw new Error('the last change never came on screen');
  return { took, wrote };
}
