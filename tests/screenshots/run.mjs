// Screenshots of the dashboard for the README, in light and dark: docs/screenshots/{light,dark}.webp.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PATIENCE, eventually, freshness, setStage } from '../support/harness.mjs';

const folder = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));

/** The maximum size of a file in bytes. */
const LIMIT = 120 * 1024;

/** Pods in various states, youngest first; one of them is opened in the drawer. */
const PLACE = `#/v1/pods?filter=${encodeURIComponent('restarts>0 OR status!=Running')}&sort=age`;

const stage = await setStage({ args: ['--pods', '2000', '--churn', '0', '--seed', '1'] });
if (stage.unavailable) throw new Error(stage.unavailable);
mkdirSync(folder, { recursive: true });
try {
  for (const colorScheme of ['light', 'dark']) {
    const page = await stage.open(PLACE, { viewport: { width: 1400, height: 780 }, colorScheme, reducedMotion: 'reduce' });
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    await page.locator('[role=row][data-key]').first().click();
    await page.locator('.drawer .summary dl').first().waitFor({ timeout: PATIENCE });
    // The pointer would freeze the order and highlight a row.
    await page.mouse.move(0, 0);
    await eventually('an unfrozen order', PATIENCE, async () => (await page.locator('.held.on').count()) === 0);
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
    const image = Buffer.from(data, 'base64');
    const path = join(folder, `${colorScheme}.webp`);
    if (image.length > LIMIT) throw new Error(`${path} would have ${image.length} bytes, more than ${LIMIT}`);
    writeFileSync(path, image);
    console.log(`${path}: ${image.length} bytes`);
    await page.context().close();
  }
} finally {
  await stage.end();
}
if (stage.errors.length > 0) throw new Error(stage.errors.join('\n'));
