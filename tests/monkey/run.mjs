// A monkey at the dashboard (`make monkey`): random keys, clicks, filters, addresses and faults. The page reports no error,
// keeps the focus when the focused element is removed, and at the end shows the server's state.
//
//   SEED=7         replays a run; the default seed is derived from the commit
//   MINUTES=20     maximum duration
//   ACTIONS=1000   maximum number of actions
//
// Findings are reported with the preceding action. The last line has the number of checks.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Front } from '../support/front.mjs';
import { PATIENCE, eventually, freshness, launch, watchSharedWorkers } from '../support/harness.mjs';
import { embeddedProgram, startEmbedded } from '../support/start.mjs';
import { dice } from '../support/dice.mjs';
import { differing, printed, shown } from '../support/truth.mjs';
import { Findings } from './findings.mjs';
import { Focus, look } from './focus.mjs';
import { draw } from './input.mjs';
import { Trouble } from './trouble.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = process.env.PAGE ?? join(root, 'dist');
if (!existsSync(join(dist, 'index.html'))) throw new Error(`${dist}/index.html is missing: make build`);
embeddedProgram();

function drawSeed() {
  try {
    return parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).toString().slice(0, 8), 16);
  } catch {
    return Date.now() % 2 ** 32; // no commit: an archive of the tree
  }
}
const seed = Number(process.env.SEED || drawSeed());
const minutes = Number(process.env.MINUTES || (process.env.ACTIONS ? Infinity : 20));
const actions = Number(process.env.ACTIONS || Infinity);
if (!(Number.isInteger(seed) && minutes > 0 && actions > 0)) throw new Error('SEED, MINUTES and ACTIONS are positive numbers');
const most = [actions < Infinity ? `${actions} actions` : [], minutes < Infinity ? `${minutes} minutes` : []].flat();
console.log(`SEED=${seed}, ${most.join(' or ')}\n`);

const findings = new Findings();
const ends = [];

/**
 * Permitted console messages: the browser's own notes about each failed request and WebSocket, and about the style that
 * Chromium gives to text which replaces a selection in the editor; the page's policy blocks that style.
 */
const isNote = (text) => /^(Failed to load resource|WebSocket connection to|Applying inline style)/.test(text);

/** For a dialog or a window that is gone before it is closed: with its page, or with the browser at the end. */
const ignore = () => {};

async function open(browser, origin) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (error) => findings.add('exception', error.stack ?? `${error}`));
  page.on('console', (message) => message.type() === 'error' && !isNote(message.text()) && findings.add('console', message.text()));
  page.on('crash', () => findings.add('crash', 'the page has crashed'));
  // A reload of a page with something to lose asks first.
  page.on('dialog', (dialog) => (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(ignore));
  context.on('page', (other) => other.close().catch(ignore));
  await page.goto(`${origin}/ui/#/v1/pods`);
  await freshness(page, 'live').waitFor();
  return page;
}

/** Waits two frames, after which the effect of an action is on screen. */
const settle = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

async function step(at, page, trouble, state) {
  // Each action has its own random numbers, independent of earlier draws.
  const random = dice(seed + at * 7919);
  if (at >= state.mendAt) {
    await trouble.end();
    state.mendAt = Infinity;
  }
  if (random() < 0.3) await trouble.stir(random);
  if (random() < 0.02) {
    findings.note(at, await trouble.begin(random));
    state.mendAt = at + 5 + Math.floor(random() * 20);
  }
  const action = draw(random);
  if (action.name === 'reload') await trouble.end(); // there would be no page
  const before = await look(page);
  const { said, isExcused, mayLeave } = await action.act(page);
  findings.note(at, said);
  await settle(page);
  const after = await look(page);
  const gone = state.focus.lost(before, after, isExcused, mayLeave);
  state.focus.note(before, after);
  if (gone.length === 0) return;
  // It may be given back a moment later.
  const isBack = async () => state.focus.lost(before, await look(page)).length === 0;
  await eventually('the focus is back', PATIENCE, isBack).catch(() => findings.add('focus', `lost with ${gone.join(', ')}`));
}

async function compare(page, trouble, url, origin) {
  await trouble.end();
  await page.setViewportSize({ width: 1280, height: 4_000 });
  await page.goto(`${origin}/ui/#/v1/pods`);
  await page.evaluate(() => (location.hash = '#/v1/pods'));
  // It may have hidden columns. The event is that of another tab, which the page follows.
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith('kube-informer.columns.'))) {
      const oldValue = localStorage.getItem(key);
      localStorage.removeItem(key);
      window.dispatchEvent(new StorageEvent('storage', { key, oldValue, newValue: null, storageArea: localStorage }));
    }
  });
  // It may have paused the page.
  await page.evaluate(() => document.querySelector('.time-bar.past .toggle')?.click());
  await freshness(page, 'live').waitFor();
  let wrong;
  await eventually('the rows are those of the server', PATIENCE, async () => {
    const theirs = await printed(url);
    wrong = differing(await shown(page), theirs);
    return wrong.length === 0 && Object.keys(theirs).length > 0;
  }).catch((error) => findings.add('rows', `${wrong?.length ?? 0} rows differ, ${wrong?.slice(0, 3).join(', ')}: ${error.message}`));
}

async function play() {
  const args = ['--pods', '300', '--churn', '0', '--seed', `${seed}`];
  const server = await startEmbedded(args);
  ends.unshift(server.stop);
  const url = server.url;
  const front = new Front(url, dist);
  const origin = await front.listen();
  ends.unshift(() => front.stop());
  const trouble = new Trouble(url, front);
  await trouble.learn();
  const browser = await launch();
  ends.unshift(() => browser.close());
  await watchSharedWorkers(browser, (error) => findings.add('worker', error));
  const page = await open(browser, origin);

  const start = performance.now();
  const state = { mendAt: Infinity, focus: new Focus() };
  const isOver = (at) => at >= actions || performance.now() - start >= minutes * 60_000 || findings.has('crash');
  let at = 0;
  for (; !isOver(at); at++) await step(at, page, trouble, state);
  console.log(`${at} actions in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  if (!findings.has('crash')) await compare(page, trouble, url, origin);
}

try {
  await play();
} catch (error) {
  findings.add('end', `it could not go on: ${error.stack ?? error}`);
} finally {
  for (const end of ends) await end();
}
const { passed, failed } = findings.tell(`SEED=${seed}`);
// The last line, exactly in this form: the test runner reads it.
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`, () => process.exit(failed === 0 ? 0 : 1));
