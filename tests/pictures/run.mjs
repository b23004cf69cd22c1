// Pictures of the README, from the running dashboard on a simulated cluster: docs/pictures/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PATIENCE, eventually, freshness, setStage } from '../support/harness.mjs';
import { record } from './rollout.mjs';

const folder = fileURLToPath(new URL('../../docs/pictures', import.meta.url));

/** The maximum sizes of a still and of an animation in bytes. */
const [STILL, ANIMATION] = [120 * 1024, 480 * 1024];

/** Pods in various states, youngest first. */
const PODS = `#/v1/pods?filter=${encodeURIComponent('restarts>0 OR status!=Running')}&sort=age`;
const [WIDE, NARROW] = [{ width: 1400, height: 780 }, { width: 380, height: 780 }];

/** Pictures, each in light and dark: name, address, size, and what is done before. */
const STILLS = [
  { name: 'pods', address: PODS, viewport: WIDE, prepare: openFirst },
  { name: 'overview', address: '#/overview', viewport: WIDE, prepare: (page) => page.locator('.chart canvas').first().waitFor({ timeout: PATIENCE }) },
  { name: 'narrow', address: '#/problems', viewport: NARROW, prepare: (page) => page.locator('.verdict:not([aria-busy])').waitFor({ timeout: PATIENCE }) },
];

/** Opens the first row beside the table. */
async function openFirst(page) {
  await page.locator('[role=row][data-key]').first().click();
  await page.locator('.drawer .summary dl').first().waitFor({ timeout: PATIENCE });
}

function write(name, image, limit) {
  const path = join(folder, `${name}.webp`);
  if (image.length > limit) throw new Error(`${path} would have ${image.length} bytes, more than ${limit}`);
  writeFileSync(path, image);
  console.log(`${path}: ${image.length} bytes`);
}

const stage = await setStage({ args: ['--pods', '2000', '--churn', '0', '--seed', '1', '--metrics'] });
if (stage.unavailable) throw new Error(stage.unavailable);
mkdirSync(folder, { recursive: true });
try {
  for (const colorScheme of ['light', 'dark']) {
    for (const { name, address, viewport, prepare } of STILLS) {
      const page = await stage.open(address, { viewport, colorScheme, reducedMotion: 'reduce' });
      await freshness(page, 'live').first().waitFor({ timeout: PATIENCE });
      await prepare(page);
      // The pointer would freeze the order and highlight a row.
      await page.mouse.move(0, 0);
      await eventually('an unfrozen order', PATIENCE, async () => (await page.locator('.held.on').count()) === 0);
      const session = await page.context().newCDPSession(page);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
      write(`${name}-${colorScheme}`, Buffer.from(data, 'base64'), STILL);
      await page.context().close();
    }
  }
  write('rollout', await record(stage), ANIMATION);
} finally {
  await stage.end();
}
if (stage.errors.length > 0) throw new Error(stage.errors.join('\n'));
