// Accessibility of the page of several clusters: axe, contrast of each colour, names, and windows from 380 to 2,560 pixels, in light and dark.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { frameOf, inState, isCurrent, setClusters, tab } from '../support/clusters.mjs';
import { PATIENCE, TEST } from '../support/harness.mjs';

const [A, B] = ['dev', 'prod-eu'];
const stage = await setClusters([A, B], ['--protected=prod*']);
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the pages reported errors'));
const options = { ...TEST, skip: stage.unavailable };

/** Eight colours, one more that begins again, and a protected one; with names that must not look alike or fake markup. */
const NAMES = [A, 'Dev', 'arn:aws:eks:eu-central-1:123456789012:cluster/shop', 'user@dev', 'a  b', '<b>x</b>', 'a\u202Eb', 'a\u200Bb', 'ab', 'ü'];
const MANY = [...NAMES.map((name) => ({ name, isProtected: false })), { name: B, isProtected: true }];
const listOf = (clusters) => ({ hash: '', clusters: clusters.map(({ name, isProtected }) => ({ name, isProtected, path: `/clusters/${encodeURIComponent(name)}`, state: 'running', reason: '' })) });

/** Opens the first cluster, among many if `clusters` are given. axe needs `bypassCSP`: the page's policy would refuse its script. */
async function open(profile, clusters) {
  const page = await stage.open('about:blank', { bypassCSP: true, ...profile });
  if (clusters) await page.route('**/clusters.json', (route) => route.fulfill({ json: listOf(clusters) }));
  await page.goto(stage.origin);
  await inState(page, A, 'live');
  return page;
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [380, 1280, 2560]) {
    test(`axe finds no violation, and nothing overflows: ${colorScheme}, ${width} px`, options, async () => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } });
      await tab(page, B).click();
      await inState(page, B, 'live');
      assert.deepEqual(await violations(page), []);
      const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth, document.querySelector('[role=tabpanel].is-current iframe').getBoundingClientRect().width]);
      assert.deepEqual(sizes, [width, width, width - 6]);
      for (const name of [A, B]) assert.ok((await tab(page, name).boundingBox()).x >= 0);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${colorScheme}-${width}.png` });
      await page.context().close();
    });
  }

  test(`each colour has the contrast for its text and its mark: ${colorScheme}`, options, async () => {
    const page = await open({ colorScheme }, MANY);
    const measured = await page.evaluate(() => {
      const channels = (color) => color.match(/[\d.]+/g).slice(0, 3).map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      const light = (color) => channels(color).reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
      const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      return [...document.querySelectorAll('[role=tab]')].map((tab) => {
        tab.setAttribute('aria-selected', 'false');
        const { color, backgroundColor, borderBottomColor } = getComputedStyle(tab);
        const bar = getComputedStyle(document.body).backgroundColor;
        tab.setAttribute('aria-selected', 'true');
        const selected = getComputedStyle(tab);
        const mark = getComputedStyle(tab.querySelector('.swatch'));
        return { name: tab.dataset.cluster, line: borderBottomColor, contrasts: [contrast(color, backgroundColor), contrast(selected.color, selected.backgroundColor), contrast(borderBottomColor, bar), contrast(borderBottomColor, backgroundColor), contrast(mark.backgroundColor, selected.backgroundColor)] };
      });
    });
    for (const { name, contrasts } of measured) assert.ok(contrasts.every((contrast) => contrast >= 4.5), `${name}: ${contrasts}`);
    assert.equal(new Set(measured.slice(0, 8).map(({ line }) => line)).size, 8, 'eight colours by position');
    assert.equal(measured[8].line, measured[0].line, 'then they begin again');
    assert.ok(!measured.slice(0, 10).some(({ line }) => line === measured[10].line), 'only a protected context is red');
    await page.context().close();
  });
}

test('names are text, and two that differ look different', options, async () => {
  const page = await open({ viewport: { width: 380, height: 800 } }, MANY);
  const shown = await page.locator('[role=tab] .name .visually-hidden').allTextContents();
  assert.deepEqual(shown, [A, 'Dev', NAMES[2], 'user@dev', 'a  b', '<b>x</b>', 'a\\u{202e}b', 'a\\u{200b}b', 'ab', 'ü', B]);
  assert.equal(await page.locator('[role=tab] b').count(), 0);
  for (const name of MANY) await tab(page, name.name).waitFor({ state: 'attached', timeout: PATIENCE });
  // The end of a long name stays visible in a narrow window.
  const tail = tab(page, NAMES[2]).locator('.tail');
  await tab(page, NAMES[2]).scrollIntoViewIfNeeded();
  const [inner, outer] = [await tail.boundingBox(), await tab(page, NAMES[2]).boundingBox()];
  assert.ok(inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width);
  assert.ok(outer.width <= 380);
  const overlaps = await page.evaluate(() => [...document.querySelectorAll('[role=tab]')].filter((tab) => tab.querySelector('.name').getBoundingClientRect().right > tab.querySelector('.state').getBoundingClientRect().left).map((tab) => tab.dataset.cluster));
  assert.deepEqual(overlaps, [], 'no name is below a state');
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/names-380.png` });
  await page.context().close();
});

test('with forced colours the current cluster is recognisable', options, async () => {
  const page = await open({ forcedColors: 'active' });
  const background = (name) => tab(page, name).evaluate((tab) => getComputedStyle(tab).backgroundColor);
  assert.notEqual(await background(A), await background(B));
  await tab(page, B).click();
  await isCurrent(page, B);
  assert.notEqual(await background(A), await background(B));
  assert.equal(await tab(page, B).locator('.word').textContent(), 'protected');
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/forced.png` });
  await page.context().close();
});

test('a screen reader finds tabs, panels and the frame by name', options, async () => {
  const page = await open();
  await tab(page, B).click();
  await isCurrent(page, B);
  await inState(page, B, 'live');
  assert.equal(await page.getByRole('tablist', { name: 'Clusters' }).count(), 1);
  assert.equal(await page.getByRole('tab', { name: `${B} protected live`, exact: true, selected: true }).count(), 1);
  assert.equal(await page.getByRole('tab', { name: `${A} live`, exact: true, selected: false }).count(), 1);
  assert.equal(await page.getByRole('tabpanel').count(), 1, 'hidden panels are not in the tree');
  assert.equal(await page.locator(`iframe[title="Cluster ${B}"]`).count(), 1);
  assert.ok(await frameOf(page, B));
  await page.context().close();
});
