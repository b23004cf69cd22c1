// Accessibility of the parts that open on demand: axe finds no violation in light or dark, and nothing is wider than a small or a wide
// window.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { createObjects, parts } from '../support/parts.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

const { stage, runner, options } = await setStageWithRunner(['--still'], { exec: true });

before(async () => {
  if (stage.unavailable) return;
  await createObjects(stage);
  await runner.run('guest');
});

/** Elements that extend beyond the window, or make the page or the open dialog scroll sideways. */
const wide = (page) =>
  page.evaluate(() => {
    const found = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page: ${scrollWidth} of ${clientWidth}`);
    for (const part of document.querySelectorAll('dialog[open], .drawer')) {
      const { left, right } = part.getBoundingClientRect();
      if (left < 0 || right > clientWidth) found.push(`${part.className}: ${left} to ${right} of ${clientWidth}`);
      if (part.scrollWidth > part.clientWidth) found.push(`${part.className} scrolls: ${part.scrollWidth} of ${part.clientWidth}`);
      for (const inner of part.querySelectorAll('button, input, select, textarea, p, h2')) {
        const box = inner.getBoundingClientRect();
        if (inner.closest('dialog[open], .drawer') !== part) continue;
        const scrolls = inner.closest('.scrolled, .cm-scroller, .log-lines, .xterm, table, pre, .tabs, [role=tablist], .visually-hidden');
        if (!scrolls && box.width && (box.left < left - 1 || box.right > right + 1)) found.push(`${inner.outerHTML.slice(0, 120)}: ${box.left} to ${box.right}`);
      }
    }
    return found;
  });

const SIZES = [[380, 'light'], [2560, 'dark']];
for (const [name, show] of Object.entries(parts)) {
  test(`${name}: axe, and widths`, options, async () => {
    for (const [width, colorScheme] of SIZES) {
      const open = (hash) => stage.open(hash, { viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
      const page = await show(open);
      for (const scheme of [colorScheme, colorScheme === 'light' ? 'dark' : 'light']) {
        await page.emulateMedia({ colorScheme: scheme });
        assert.deepEqual(await violations(page), [], `${scheme} at ${width} px`);
      }
      assert.deepEqual(await wide(page), [], `at ${width} px`);
      await page.context().close();
    }
  });
}
