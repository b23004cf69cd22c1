// Accessibility: screen readers, voice control and system colours.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, TEST, eventually, freshness, grid, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'reader';

const object = (kind, name, more) => ({ apiVersion: 'v1', kind, metadata: { name, ...(kind !== 'Namespace' && { namespace: ns }) }, ...more });
const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
const maps = (name, count) => Array.from({ length: count }, (_, at) => object('ConfigMap', `${name}-${String(at).padStart(3, '0')}`));

before(async () => {
  if (stage.unavailable) return;
  await create(object('Namespace', ns));
  await create(object('Secret', 'one', { data: { password: 'aHVudGVyMg==' } }), ...maps('row', 320));
  for (const [pod, phase] of Object.entries({ ant: 'Running', bee: 'Failed' })) {
    await stage.kubectl(['run', pod, '-n', ns, '--image=pause', '--restart=Never']);
    const patch = JSON.stringify({ status: { phase, containerStatuses: [] } });
    await stage.kubectl(['patch', 'pod', pod, '-n', ns, '--subresource=status', '--type=merge', '-p', patch]);
  }
});

async function open(hash, profile) {
  const page = await stage.open(hash, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  return page;
}

/** Positions of the visible rows on screen, in the order of the document. */
const rows = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.canvas [role=row]:not([hidden])')].map((row) => ({ index: Number(row.getAttribute('aria-rowindex')), top: row.getBoundingClientRect().top })),
  );

/** Waits until each row of the document is directly below the row before it on screen. */
async function inOrder(page, what) {
  let wrong;
  await eventually(`rows in order ${what}`, PATIENCE, async () => {
    const seen = await rows(page);
    const at = seen.findIndex(({ index, top }, at) => at > 0 && (index !== seen[at - 1].index + 1 || top <= seen[at - 1].top));
    wrong = seen.length < 10 ? `${seen.length} rows` : at > 0 && `after row ${seen[at - 1].index} comes row ${seen[at].index}`;
    return !wrong;
  }).catch((cause) => {
    throw new Error(`${what}: ${wrong}`, { cause });
  });
}

test('rows stand in the document as on screen, wherever it is scrolled to', options, async () => {
  const page = await open(`#/v1/configmaps?namespace=${ns}`);
  await eventually('all rows', PATIENCE, async () => Number(await grid(page).getAttribute('data-total')) >= 320);
  await inOrder(page, 'at the top');
  const scroll = async (to) => {
    await grid(page).evaluate((grid, to) => grid.scrollTo(0, to), to);
    await eventually(`the rows at ${to}`, PATIENCE, async () => {
      const { top, bottom } = await grid(page).evaluate((grid) => grid.getBoundingClientRect());
      return (await rows(page)).filter((row) => row.top > top && row.top < bottom).length > 10;
    });
    await inOrder(page, `at ${to}`);
  };
  for (const to of [40, 400, 1_500, 1_400, 9_000, 8_970, 200, 1e6, 0]) await scroll(to);
  // Rows that stay visible are not moved, so hover and selection in them survive.
  await scroll(3_000);
  await page.evaluate(() => {
    window.moved = [];
    const canvas = document.querySelector('.canvas');
    new MutationObserver((changes) => window.moved.push(...changes.flatMap((change) => [...change.removedNodes]).map((node) => node.id))).observe(canvas, { childList: true });
  });
  await grid(page).evaluate((grid) => grid.scrollTo(0, 3_064));
  await eventually('rows are moved', PATIENCE, () => page.evaluate(() => window.moved.length > 0));
  await inOrder(page, 'at 3064');
  assert.ok((await page.evaluate(() => window.moved.length)) <= 3, 'only elements of rows that went out of view are moved');
  // In a higher window the pool of row slots is larger.
  await page.setViewportSize({ width: 1280, height: 1100 });
  await inOrder(page, 'in a higher window');
  await page.setViewportSize({ width: 1280, height: 500 });
  await inOrder(page, 'in a lower window');
  await page.context().close();
});

test('the visible text of each button is part of its name', options, async () => {
  const hashes = [`#/v1/pods?namespace=${ns}`, `#/v1/secrets?namespace=${ns}&object=${ns}%2Fone`, `#/v1/secrets?namespace=${ns}&object=${ns}%2Fone&tab=yaml`, '#/v1/pods', '#/v1/pods?filter=status%3DRunning'];
  for (const hash of hashes) {
    // The page's policy would block axe's script.
    const page = await open(hash, { bypassCSP: true, viewport: { width: hash.includes('object') ? 1400 : 1000, height: 800 } });
    if (hash.includes('tab=yaml')) await page.getByRole('button', { name: 'Reveal password' }).click({ timeout: PATIENCE });
    else if (hash.includes('object')) await page.locator('.summary dl').first().waitFor({ timeout: PATIENCE });
    const opened = page.locator('.chip.more:visible').first();
    if (await opened.count()) await opened.click();
    const rules = ['label-content-name-mismatch', 'button-name', 'aria-valid-attr-value', 'aria-required-children', 'aria-required-parent'];
    assert.deepEqual(await violations(page, { rules }), [], hash);
    await page.context().close();
  }
});

test('the count is spoken after another filter, and not each time that the cluster changes', options, async () => {
  const page = await open(`#/v1/configmaps?namespace=${ns}`);
  const spoken = page.locator('.tally [aria-live=polite]');
  const says = (text) => eventually(`it is said: ${text}`, PATIENCE, async () => text.test(await spoken.textContent()));
  await says(/^\d+ ConfigMaps$/i);
  await page.evaluate(() => {
    window.said = [];
    const region = document.querySelector('.tally [aria-live=polite]');
    new MutationObserver(() => window.said.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
  });
  const start = performance.now();
  await create(...maps('more', 40));
  await eventually('all are counted', PATIENCE, async () => parseInt(await page.locator('.tally .count').innerText(), 10) >= 360);
  // At most one announcement per ten seconds, however long this machine takes.
  const said = await page.evaluate(() => window.said.length);
  const most = 1 + Math.floor((performance.now() - start) / 10_000);
  assert.ok(said <= most, 'there are fewer announcements than changes');
  await page.getByRole('combobox', { name: 'Filter' }).fill('more-01');
  await says(/^10 of 36\d ConfigMaps$/i);
  await page.context().close();
});

test('in the colours of the system a chosen value differs from the others', options, async () => {
  const page = await open(`#/v1/pods?namespace=${ns}&filter=status%3DRunning`);
  await page.locator('.chip[aria-pressed=true]').waitFor({ timeout: PATIENCE });
  await page.emulateMedia({ forcedColors: 'active' });
  const style = (pressed) =>
    page.locator(`.facets .chip[aria-pressed=${pressed}]`).first().evaluate((chip) => {
      const { color, backgroundColor } = getComputedStyle(chip);
      return { color, backgroundColor };
    });
  // Forced colours replace the page's backgrounds with the canvas: only system colours are visible.
  const system = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.cssText = 'forced-color-adjust: none; background: Highlight; color: HighlightText';
    const { color, backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return { color, backgroundColor };
  });
  assert.deepEqual(await style('true'), system);
  assert.notDeepEqual(await style('false'), system);
  const mark = await page.locator('.chip[data-tone=ok]').first().evaluate((chip) => {
    const { backgroundColor } = getComputedStyle(chip, '::before');
    return { mark: backgroundColor, chip: getComputedStyle(chip).backgroundColor };
  });
  assert.notEqual(mark.mark, mark.chip, 'the mark of a state differs from its background');
  await page.context().close();
});
