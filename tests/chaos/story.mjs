// One fault with an open page: compares the rows of the page, and its status, with the server's state.

/** Permitted lag of a live page in milliseconds, because changes are in flight. */
const GRACE = 1500;
/** Time within which a page must detect that a constantly changing resource is silent. */
export const SILENT_FOR = 15_000;
/** Time of the cluster before the fault, long enough for its watch to count as steady: */
const BEFORE = 11_000;
/** Of the last ten seconds, the number with a change that makes it so. */
const STEADY = 9;
/** Timeout of the recovery, and of a steady watch. */
export const PATIENCE = 180_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** In the page: rows by name with their status, and the freshness. */
const look = () => ({
  rows: Object.fromEntries(
    [...document.querySelectorAll('.canvas [role=row][data-key]:not([hidden])')].map((row) => [
      row.dataset.key.split('/')[1],
      row.querySelector('[role=gridcell][data-column="Status"]')?.textContent ?? '',
    ]),
  ),
  freshness: document.querySelector('[data-freshness]')?.dataset.freshness ?? 'none',
});

const same = (a, b) => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
};
const differing = (a, b) => new Set([...Object.keys(a), ...Object.keys(b)].filter((key) => a[key] !== b[key])).size;

/** Lives through a fault; resolves to a line of the table. */
export async function live(fault, { page, cluster, front, ...means }) {
  let start = performance.now() + BEFORE;
  const now = () => performance.now() - start;
  const world = { page, cluster, front, ...means };
  let ends = Infinity;
  let detected = null;
  let recovered = null;
  let differs = null; // time since which the page differs from the server
  let wrong = null; // since when it differs and is called live
  let lied = 0; // the longest of that
  let steady = null; // since when all is well again
  let last;

  let over = false;
  let looked = now();
  let requestsBefore;
  const changed = []; // the seconds with a change
  const isSteady = () => {
    const second = Math.floor(performance.now() / 1000);
    return new Set(changed.filter((at) => at >= second - 10 && at < second)).size >= STEADY;
  };
  const mend = (async () => {
    await pause(BEFORE);
    // Writes take longer on a loaded machine, and a watch with few events has a longer timeout.
    for (const end = performance.now() + PATIENCE; !isSteady() && performance.now() < end; start = performance.now() + 1_000) await pause(100);
    requestsBefore = front.requests;
    start = performance.now();
    await fault.begin(world);
    await pause(fault.seconds * 1000);
    await fault.end(world);
    ends = now();
  })();
  const write = (async () => {
    for (let step = 0; !over; step++) {
      await cluster.change(step).then(() => changed.push(Math.floor(performance.now() / 1000))).catch(() => {});
      await pause(ends < Infinity && now() - ends > 20_000 ? 5_000 : 400);
    }
  })();
  while (now() < ends + PATIENCE) {
    await pause(100);
    const before = { ...cluster.pods };
    const seen = await page.evaluate(look).catch(() => null);
    // A late check means that this machine was busy, and is no evidence about the page.
    const late = Math.max(0, now() - looked - 1_000);
    looked = now();
    if (!seen) continue; // a frozen page does not respond
    last = seen;
    if (wrong !== null) wrong += late;
    if (now() < 0) continue;
    const right = same(seen.rows, cluster.pods) || same(seen.rows, before);
    if (seen.freshness !== 'live') detected ??= now();
    // Between two checks the page may have detected the fault and recovered.
    if (right && differs !== null && now() - differs > GRACE) detected ??= now();
    differs = right ? null : (differs ?? now());
    // If the status was not live in between, the page is not wrong.
    wrong = seen.freshness === 'live' && !right ? (wrong ?? now()) : null;
    if (wrong !== null) lied = Math.max(lied, now() - wrong);
    const well = seen.freshness === 'live' && (right || (differs !== null && now() - differs < GRACE));
    steady = well ? (steady ?? now()) : null;
    if (steady !== null && now() > ends && now() - Math.max(steady, ends) > 3_000 && right) {
      recovered = Math.max(0, steady - ends);
      // A fault that is found by silence only: it must have been found, before it can be over.
      if (!fault.silent || detected !== null) break;
    }
  }
  over = true;
  await Promise.all([mend, write]);
  await pause(1_500);
  const seen = (await page.evaluate(look).catch(() => null)) ?? last;
  return {
    fault: fault.name,
    detected: detected === null ? null : Math.round(detected),
    recovered: recovered === null ? null : Math.round(recovered),
    lost: seen ? differing(seen.rows, cluster.pods) : null,
    stale: Math.round(lied > GRACE ? lied : 0),
    requests: front.requests - requestsBefore,
  };
}
