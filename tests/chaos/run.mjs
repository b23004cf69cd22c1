// Every fault with the dashboard open, in Chromium and in Firefox, on the embedded apiserver and a real one.
//
//   BROWSERS=chromium,firefox  CLUSTERS=embedded,kube  FAULTS=word  for a part of it
//
// A whole run writes tests/chaos/chaos.json.
//
// A line is good if no change is lost, the page recovered without an action, and it was never live for longer than the
// detection of a fault takes. The exit code is 0 if all lines are good.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { findBrowser } from '../support/browser.mjs';
import { Admin, Cluster } from '../support/changing-pods.mjs';
import { ofTheServer, onTheWay } from './faults.mjs';
import { Front } from '../support/front.mjs';
import { startEmbedded, startRealWithProxy } from '../support/start.mjs';
import { live, PATIENCE, SILENT_FOR } from './story.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const wanted = (name, all) => (process.env[name] ? process.env[name].split(',') : all);

const clusters = {
  async embedded() {
    const { url, stop } = await startEmbedded(['--still']);
    return { url, admin: new Admin(url), stop };
  },
  kube: () => startRealWithProxy(),
};

async function open(browser, origin, hash) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${origin}/ui/${hash}`);
  // Asked for again and again: Firefox notifies no observer in a hidden page.
  for (const end = Date.now() + PATIENCE; ; ) {
    const freshness = await page.evaluate(() => document.querySelector('[data-freshness]')?.dataset.freshness).catch(() => {});
    if (freshness === 'live') return page;
    if (Date.now() > end) throw new Error(`the page did not become live: ${freshness}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const seconds = (ms) => (ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`);

/** One browser before one apiserver, through all faults; resolves to the lines of its table. */
async function liveThrough(clusterName, browserName) {
  const executablePath = findBrowser(browserName);
  if (!executablePath) {
    console.log(`\n${browserName} is not there: left out (${browserName.toUpperCase()}=path names one)`);
    return [];
  }
  const profile = await mkdtemp(join(tmpdir(), 'kube-informer-chaos-'));
  const server = await clusters[clusterName]();
  const cluster = new Cluster(server.url);
  const front = new Front(server.url, dist);
  const origin = await front.listen();
  const args = browserName === 'chromium' ? ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] : [];
  const browser = await puppeteer.launch({ browser: browserName === 'chromium' ? 'chrome' : browserName, executablePath, headless: true, args, userDataDir: profile });
  const version = await browser.version();
  const lines = [];
  try {
    await cluster.fill();
    const faults = [...onTheWay, ...(server.admin ? ofTheServer : [])]
      .filter(({ only }) => !only || only === browserName)
      .filter(({ name }) => name.includes(process.env.FAULTS ?? ''));
    for (const fault of faults) {
      // A separate page for each fault, without state of the previous one; the worker ends with its last tab.
      const page = await open(browser, origin, cluster.hash);
      const cdp = browserName === 'chromium' ? await page.createCDPSession() : undefined;
      const line = await live(fault, { page, cdp, cluster, front, admin: server.admin });
      await page.close();
      const good = line.lost === 0 && line.recovered !== null && line.stale < SILENT_FOR;
      lines.push({ browser: version, apiserver: clusterName, ...line, good });
      console.error(`${version}, ${clusterName}: ${line.fault}${good ? '' : ': BAD'}`);
    }
  } finally {
    await browser.close();
    await front.stop();
    await server.stop();
    await rm(profile, { recursive: true, force: true });
  }
  console.log(`\n${version}, ${clusterName} apiserver\n`);
  console.log('| fault | detected after | recovered after | objects lost | silently stale | requests |\n|---|--:|--:|--:|--:|--:|');
  for (const { fault, detected, recovered, lost, stale, requests, good } of lines) {
    const cells = [fault, seconds(detected), seconds(recovered), lost, stale ? seconds(stale) : '0', requests];
    console.log(`| ${cells.join(' | ')} |${good ? '' : ' BAD'}`);
  }
  return lines;
}

// In parallel, because nearly all of the time is waiting.
const columns = wanted('CLUSTERS', ['embedded', 'kube']).flatMap((cluster) =>
  wanted('BROWSERS', ['chromium', 'firefox']).map((browser) => liveThrough(cluster, browser)),
);
const outcomes = await Promise.allSettled(columns);
const lines = outcomes.flatMap(({ value }) => value ?? []);
const broken = outcomes.flatMap(({ reason }) => reason ?? []);
for (const error of broken) console.error(error);
const bad = lines.filter(({ good }) => !good);
console.log(`\n${lines.length - bad.length} of ${lines.length} faults were lived through${bad.length ? `; not: ${bad.map(({ fault, browser }) => `${fault} (${browser})`).join(', ')}` : ''}`);
const { BROWSERS, CLUSTERS, FAULTS } = process.env;
if (!(BROWSERS || CLUSTERS || FAULTS) && outcomes.every(({ value }) => value?.length)) {
  await writeFile(join(root, 'tests/chaos/chaos.json'), `${JSON.stringify({ date: new Date().toISOString(), lines }, null, 2)}\n`);
}
process.exitCode = bad.length || broken.length ? 1 : 0;
