// Everyday interruptions: reload, lost network, sleep, stopped proxy. Afterwards the page shows the cluster's state
// without help.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { Cluster } from '../support/changing-pods.mjs';
import { SharedWorkerDevTools } from '../support/devtools.mjs';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';

// Only the tests change the cluster.
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const isEmbedded = process.env.E2E_CLUSTER !== 'kube';

let cluster;
let step = 0;
before(async () => {
  if (stage.unavailable) return;
  cluster = new Cluster(await stage.backdoor(), { timeout: PATIENCE });
  await cluster.fill();
});

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const change = async (times) => {
  for (let time = 0; time < times; time++) await cluster.change(step++);
};

/** The statuses on screen by name. Read at once, because row slots are recycled. */
const rows = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('.canvas [role=row][data-key]:not([hidden])')].map((row) => [
        row.dataset.key.split('/')[1],
        row.querySelector('[role=gridcell][data-column="Status"]').textContent,
      ]),
    ),
  );

const sorted = (object) => JSON.stringify(Object.entries(object).sort());

/** Waits until the page is live and shows the rows of the cluster. */
async function isRight(page) {
  try {
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    await eventually('the rows are those of the cluster', PATIENCE, async () => sorted(await rows(page)) === sorted(cluster.pods));
  } catch (error) {
    // This assertion shows both values.
    assert.deepEqual(await rows(page), cluster.pods, error.message);
    throw error;
  }
}

async function open(place = '') {
  const page = await stage.open(`${place}${cluster.hash}`);
  await isRight(page);
  // A reload would remove this mark: the page must recover without one.
  await page.evaluate(() => (window.sameDocument = true));
  return page;
}

const stayed = async (page) => assert.equal(await page.evaluate(() => window.sameDocument), true, 'the page was reloaded');

/** Records every value of the freshness from now on; none if it never changes. */
const observe = (page) =>
  page.evaluate(() => {
    const status = document.querySelector('[data-freshness]');
    window.states = [];
    new MutationObserver(() => window.states.push(status.dataset.freshness)).observe(status, { attributeFilter: ['data-freshness'] });
  });
const observed = (page) => page.evaluate(() => window.states);

/** Asserts that the page was disconnected since `observe`. A starved thread may cause one suspicion; each retry would show another. */
async function staysDisconnected(page) {
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  const others = (await observed(page)).filter((state) => state !== 'disconnected');
  assert.ok(others.length <= 1 && others.every((state) => state === 'catching-up'), `the page was disconnected all the time, except ${others}`);
}

test('reloaded twenty times while pods come and go, it shows them each time, and leaves no watch behind', options, async () => {
  const page = await open();
  let ended = false;
  const churning = (async () => {
    for (; !ended; await pause(50)) await change(1);
  })();
  try {
    for (let time = 1; time <= 20; time++) {
      await page.reload();
      await page.locator('.canvas [role=row][data-key]:not([hidden])').first().waitFor({ timeout: PATIENCE });
      // Half of the reloads are during a watch, the others during the requests before it.
      if (time % 2) await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    }
  } finally {
    ended = true;
    await churning;
  }
  await isRight(page);
  // Of pods and of namespaces; watches() adds those of the kinds.
  await stage.watches(2);
  await page.context().close();
});

test('offline it shows it and keeps its rows, and online it catches up', options, async (t) => {
  const page = await open();
  const worker = await SharedWorkerDevTools.attach(stage.browser);
  const targets = [worker, await page.context().newCDPSession(page)];
  for (const target of targets) await target.send('Network.enable');
  const setOffline = async (offline) => {
    const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    for (const target of targets) await target.send('Network.emulateNetworkConditions', conditions);
  };
  const before = await rows(page);

  await setOffline(true);
  // Unlike a pulled cable, setOffline() rejects requests but leaves open streams alone. The stopped proxy ends them.
  await stage.killProxy();
  await stage.startProxy();
  let start = performance.now();
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  t.diagnostic(`disconnected: ${Math.round(performance.now() - start)} ms after it was`);
  await change(5);
  await observe(page);
  await pause(5_000);
  assert.deepEqual(await rows(page), before, 'a disconnected page keeps its rows');
  await staysDisconnected(page);

  await setOffline(false);
  start = performance.now();
  await isRight(page);
  t.diagnostic(`right again: ${Math.round(performance.now() - start)} ms after it was online`);
  await stayed(page);
  await worker.detach();
  await page.context().close();
});

for (const [where, place] of [['in a shared worker', ''], ['in the page', '?worker=off']]) {
  // The debugger stops the page. `Page.setWebLifecycleState` has no effect here: Playwright gives every page the focus, and a page with
  // the focus is never frozen. make chaos uses it with another driver.
  test(`stopped as by a freeze, and resumed, it shows the changes since then (${where})`, options, async () => {
    const page = await open(place);
    await page.evaluate(() => {
      window.longest = 0;
      let last = performance.now();
      setInterval(() => {
        // Wherever the debugger stops this, the next turn measures the duration.
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
      }, 100);
    });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Debugger.enable');
    const paused = new Promise((resolve) => cdp.once('Debugger.paused', resolve));
    await cdp.send('Debugger.pause');
    await paused;
    await change(20);
    await pause(5_000);
    await cdp.send('Debugger.resume');
    await cdp.send('Debugger.disable');
    await eventually('it was stopped', PATIENCE, async () => (await page.evaluate(() => window.longest)) > 4_000);
    await isRight(page);
    await change(3);
    await isRight(page);
    await stayed(page);
    await page.context().close();
  });
}

// Playwright disables the back/forward cache, so the test dispatches the browser's events.
for (const [where, place] of [['in a shared worker', ''], ['in the worker of an elected tab', '?worker=elected'], ['in the page', '?worker=off']]) {
  test(`after the back/forward cache it reconnects and shows the changes (${where})`, options, async () => {
    const page = await open(place);
    const before = await rows(page);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await freshness(page, 'catching-up').waitFor({ timeout: PATIENCE });
    await change(5);
    assert.deepEqual(await rows(page), before, 'the page receives no changes, and keeps its rows');
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await isRight(page);
    await stayed(page);
    assert.equal(await page.locator('.banner.bad').count(), 0);
    await page.context().close();
  });
}

test('a quiet list whose proxy is stopped is disconnected soon, and live again when it continues', options, async (t) => {
  const page = await open();
  await observe(page);
  const { pid } = stage.proxy;
  process.kill(pid, 'SIGSTOP');
  try {
    const start = performance.now();
    await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
    t.diagnostic(`disconnected: ${Math.round(performance.now() - start)} ms after the proxy was stopped`);
    // The heartbeat detects it, after 15 s in virtual time. A missing bookmark, after 90 s, would cause a suspicion first.
    const states = await observed(page);
    const first = states.indexOf('disconnected');
    assert.ok(first >= 0 && !states.slice(0, first).includes('catching-up'), `the page is never shown as catching up before: ${states}`);
    // If a starved thread missed a heartbeat before, there was an earlier disconnection.
    await eventually('it stays so', PATIENCE, async () => (await observed(page)).at(-1) === 'disconnected');
    await change(5);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const start = performance.now();
  await isRight(page);
  t.diagnostic(`right again: ${Math.round(performance.now() - start)} ms after the proxy went on`);
  await stayed(page);
  await page.context().close();
});

/**
 * Replacement of the proxy that hangs up on each request, and counts the requests. Connections without a request are not counted:
 * the browser opens a second connection if the first takes long, as on a loaded machine.
 */
async function hangingUp(port) {
  let calls = 0;
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      calls++;
      socket.destroy();
    });
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { calls: () => calls, stop };
}

test('during an outage of its proxy it retries at intervals, and shows the missed changes afterwards', options, async (t) => {
  const page = await open();
  const before = await rows(page);
  await stage.killProxy();
  const wall = await hangingUp(stage.proxyPort);
  const since = performance.now();
  await freshness(page, 'disconnected').waitFor({ timeout: PATIENCE });
  await observe(page);
  await change(10);
  // Shorter on the real apiserver, because the page's behaviour does not depend on the server.
  const away = isEmbedded ? 60_000 : 15_000;
  await pause(away);
  assert.deepEqual(await rows(page), before, 'a disconnected page keeps its rows');
  await staysDisconnected(page);
  const calls = wall.calls();
  const minutes = (performance.now() - since) / 60_000;
  t.diagnostic(`${calls} calls in ${Math.round(minutes * 60)} s`);
  // Two informers, whose delay starts at 0.8 s and doubles after each failure, send some five requests, then two per minute. A health
  // probe is sent every ten seconds. Tests in virtual time count these requests; here the browser itself also retries after a broken
  // connection. Without a backoff there would be hundreds of requests a second.
  assert.ok(calls > 0 && calls <= 250 + 250 * minutes, `${calls} calls`);
  const wake = () => page.evaluate(() => window.dispatchEvent(new Event('online')));
  // The delay is only reported: a regular retry may happen just then, and the machine may be slow. A test in virtual time
  // checks that all waiting informers are woken.
  const soon = [];
  for (let time = 0; time < 3; time++) {
    const [before, start] = [wall.calls(), performance.now()];
    await wake();
    await eventually('it asks when the network is back', PATIENCE, () => wall.calls() > before);
    soon.push(Math.round(performance.now() - start));
    await pause(1_000);
  }
  t.diagnostic(`asked ${soon.join(', ')} ms after the network was back`);
  await wall.stop();
  await stage.startProxy();
  await wake();
  const start = performance.now();
  await isRight(page);
  t.diagnostic(`right again: ${Math.round(performance.now() - start)} ms after the proxy was back`);
  await stayed(page);
  await page.context().close();
});
