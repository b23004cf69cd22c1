// Half an hour with the dashboard open on 5,000 pods that change 200 times a second: constant memory, no missed change, and
// the page must be live.
//
//   MINUTES=30   duration; the first fifth is the warm-up
//
// It does not measure speed: a slow machine makes fewer changes. The last line has the number of checks.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Front } from '../support/front.mjs';
import { eventually, freshness, launch, watchSharedWorkers } from '../support/harness.mjs';
import { embeddedProgram, startEmbedded } from '../support/start.mjs';
import { allowed, since, unexplained } from './causes.mjs';
import { Churn } from './churn.mjs';
import { Gauges, gauges } from '../support/gauges.mjs';
import { differing, openLine, printed, shown, worker } from '../support/truth.mjs';
import { judge, median } from './verdict.mjs';

const PODS = 5_000;
const RATE = 200;
/** So often all is measured, however long it takes; less often where the machine has no time for that, but so often at least. */
const SAMPLES = 60;
const MIN_SAMPLES = 15;
const PATIENCE = 300_000;
/** Minimum number of changes of a valid run, on a machine of any speed. */
const MIN_CHANGES = 1_000;

const minutes = Number(process.env.MINUTES || 30);
/** From so many minutes on, the fifth that is not judged lasts until the worker's bounded stores are full. */
const FULL_AFTER = 15;
if (!(minutes > 0)) throw new Error(`MINUTES=${process.env.MINUTES} is no number of minutes`);
const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
if (!existsSync(join(dist, 'index.html'))) throw new Error(`${dist}/index.html is missing: make build`);
embeddedProgram();

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const whole = (number) => Math.round(number).toLocaleString('en-US');

// --- checks ---

let [passed, failed] = [0, 0];
function check(what, isGood, detail) {
  if (isGood) passed++;
  else failed++;
  console.log(`${isGood ? 'ok ' : 'BAD'} ${what}: ${detail}`);
}

// --- actions of a user of the table ---

const go = (page, hash) => page.evaluate((hash) => (location.hash = hash), hash);
const scroll = (page, share) => page.locator('[role=grid]').evaluate((grid, share) => grid.scrollTo(0, grid.scrollHeight * share), share);
const firstKey = (page) => page.locator('.canvas [role=row][data-key]:not([hidden])').first().getAttribute('data-key');

/** Each leaves the page as it was. One is due with each sample. */
const habits = [
  async (page) => {
    for (const share of [0.3, 0.7, 1, 0]) {
      await scroll(page, share);
      await pause(100);
    }
  },
  async (page) => {
    await go(page, '#/v1/pods?filter=status%3DCrashLoopBackOff&sort=restarts-desc');
    await pause(400);
    await go(page, '#/v1/pods');
  },
  async (page) => {
    await go(page, `#/v1/pods?object=${encodeURIComponent(await firstKey(page))}&tab=yaml`);
    await page.locator('.drawer').waitFor({ timeout: PATIENCE });
    await go(page, '#/v1/pods');
    await page.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  },
  async () => {},
];

// --- the stage ---

const ends = [];
const errors = [];
const server = await startEmbedded(['--pods', `${PODS}`, '--churn', '0']);
ends.unshift(server.stop);
const url = server.url;
const openWatches = async () => (await (await fetch(`${url}/admin/faults`)).json()).openWatches;

/** Rejects if the page never responds. */
let giveUp;
const hopeless = new Promise((_, reject) => (giveUp = (why) => reject(new Error(why))));
setTimeout(() => giveUp(`it is not through after ${minutes} minutes and thirty more`), (minutes + 30) * 60_000).unref();

async function soak() {
  const front = new Front(url, dist);
  const origin = await front.listen();
  ends.unshift(() => front.stop());
  const churn = new Churn(url, { rate: RATE });
  await churn.begin();
  const browser = await launch();
  ends.unshift(() => browser.close());
  await watchSharedWorkers(browser, (error) => errors.push(error));
  const page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => errors.push(`page: ${error.stack ?? error}`));
  page.on('crash', () => giveUp('the page has crashed'));
  browser.on('disconnected', () => giveUp('the browser is gone'));
  page.on('console', (message) => message.type() === 'error' && errors.push(`console: ${message.text()}`));
  await page.goto(`${origin}/ui/#/v1/pods`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.evaluate(() => {
    const status = document.querySelector('[data-freshness]');
    window.states = {};
    const note = () => (window.states[status.dataset.freshness] = (window.states[status.dataset.freshness] ?? 0) + 1);
    new MutationObserver(note).observe(status, { attributeFilter: ['data-freshness'] });
  });
  const scales = await Gauges.attach(browser, page);
  await openLine(page);

  // --- the time ---

  console.log(`${await browser.version()}, ${whole(PODS)} pods, ${RATE} changes a second, ${minutes} minutes\n`);
  const titles = Object.values(gauges).map(({ title, unit }) => (unit ? `${title}, ${unit}` : title));
  const head = ['minute', 'events/s', 'objects', ...titles, 'requests', 'live'];
  console.log(`| ${head.join(' | ')} |\n|${head.map(() => '--:').join('|')}|`);

  const samples = [];
  const first = await worker(page);
  const before = { ...first.status, requests: front.requests, made: churn.made };
  let last = { at: performance.now(), events: before.events };
  let [looks, lively] = [0, 0];
  churn.start();
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 60_000;
  const every = (minutes * 60_000) / SAMPLES;
  const isOver = () => elapsed() >= minutes && samples.length >= MIN_SAMPLES;
  for (let minute = 1, of = []; !isOver(); ) {
    await pause(every - ((performance.now() - start) % every));
    await habits[samples.length % habits.length](page);
    const sample = await scales.read();
    samples.push(sample);
    looks++;
    if ((await freshness(page).first().getAttribute('data-freshness')) === 'live') lively++;
    of.push(sample);
    if (elapsed() < minute && !isOver()) continue;
    const { status } = await worker(page);
    const now = performance.now();
    const rate = (status.events - last.events) / ((now - last.at) / 1000);
    last = { at: now, events: status.events };
    const figures = Object.entries(gauges).map(([name, { unit }]) => {
      const value = median(of.map((sample) => sample[name]));
      return unit ? value.toFixed(2) : whole(value);
    });
    const line = [elapsed().toFixed(1), whole(rate), whole(status.objects), ...figures, front.requests - before.requests, `${lively}/${looks}`];
    console.log(`| ${line.join(' | ')} |`);
    of = [];
    minute = Math.floor(elapsed()) + 1;
    // Pods that were added meanwhile are changed, too.
    await churn.learn();
  }
  await churn.stop();
  const took = elapsed();
  const requests = front.requests - before.requests; // later requests belong to the comparison

  // --- the verdict ---

  console.log('');
  for (const [name, { title, unit, slack, fills = 0 }] of Object.entries(gauges)) {
    const verdict = judge(samples.map((sample) => sample[name]), slack + (minutes < FULL_AFTER ? fills : 0));
    const show = (number) => `${unit ? number.toFixed(2) : whole(number)}${unit && ` ${unit}`}`;
    const signed = (number) => `${number < 0 ? '' : '+'}${show(number)}`;
    const detail = `${show(verdict.median)}, trend ${signed(verdict.trend)}, last third against first ${signed(verdict.step)}, allowed ±${show(verdict.allowed)}`;
    check(`${title} stays flat`, verdict.isFlat, detail);
  }

  let [states, compared] = [];
  const deadline = performance.now() + PATIENCE;
  do {
    await pause(500); // pods that are replaced come up within some seconds
    // Before their causes are counted.
    states = await page.evaluate(() => ({ ...window.states }));
    compared = await worker(page, true);
  } while (compared.different.length > 0 && performance.now() < deadline);
  const examples = (keys) => keys.slice(0, 3).map((key) => `, ${key}`).join('');
  const { status, inspection, pods, different } = compared;
  check('the worker holds what the server has', different.length === 0 && pods > 0, `${whole(pods)} pods, ${different.length} of them different${examples(different)}`);

  await freshness(page, 'live').waitFor({ timeout: PATIENCE }).catch(() => {});
  // As many rows at once as possible: fewer steps.
  await page.setViewportSize({ width: 1280, height: 4000 });
  let [rows, wrong] = [0, []];
  await eventually('the rows are those of the server', PATIENCE, async () => {
    const theirs = await printed(url);
    rows = Object.keys(theirs).length;
    wrong = differing(await shown(page), theirs);
    return wrong.length === 0;
  }).catch(() => {});
  check('the page shows what the server would print', rows > 0 && wrong.length === 0, `${whole(rows)} rows, ${wrong.length} of them different${examples(wrong)}`);

  const counted = since(first.inspection.metrics, inspection.metrics);
  const odd = unexplained(states, counted);
  const { watches, lists, suspicions, falseSuspicions, earlyEnds } = counted;
  const causes = `${watches} more watches, ${suspicions} suspicions (${falseSuspicions} false), ${earlyEnds} early ends, ${counted.errors} errors`;
  // It may be catching up just now.
  const isLive = await freshness(page, 'live').waitFor({ timeout: PATIENCE }).then(() => true, () => false);
  check('the page is live', isLive && odd.length === 0, `${lively} of ${looks} times that it was looked at; changed to ${JSON.stringify(states)}, with ${causes}`);
  if (odd.length > 0) {
    console.log(`    without a cause: ${odd.join(', ')}`);
    const lines = inspection.history.map(({ what, at, count, code }) => `    ${new Date(at).toISOString()} ${what} ${count || ''} ${code ?? ''}`);
    console.log(lines.join('\n'));
  }

  const changes = churn.made - before.made;
  const events = status.events - before.events;
  check('there was something to soak in', events >= changes / 2 && changes >= MIN_CHANGES, `${whole(events)} events from ${whole(changes)} changes`);

  const most = allowed(took, counted);
  const isLittle = requests <= most.requests && lists <= most.lists && watches <= most.watches;
  check('it asks for little', isLittle, `${requests} requests of ${whole(most.requests)} at the most, ${lists} lists, ${watches} watches`);

  await page.close();
  let open;
  await eventually('no watch is left', PATIENCE, async () => (open = await openWatches()) === 0).catch(() => {});
  check('no watch is left behind', open === 0, `${open} watches are open after the page was closed`);
  check('no errors were reported', errors.length === 0, errors.slice(0, 3).join('\n') || 'no errors in page and worker');
}

try {
  await Promise.race([soak(), hopeless]);
} catch (error) {
  check('the soak comes to its end', false, `${error.stack ?? error}${errors.map((error) => `\n${error}`).join('')}`);
} finally {
  for (const end of ends) await end();
}

console.log('');
// The last line, exactly in this form: the test runner reads it.
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`, () => process.exit(failed === 0 ? 0 : 1));
