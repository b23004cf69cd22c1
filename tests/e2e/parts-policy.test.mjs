// Content Security Policy and Trusted Types in the parts that open on demand: none of them violates the policy.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createObjects, parts } from '../support/parts.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

// Chromium styles text that replaces a selection in an editable element, and notes that the policy blocks it.
const { stage, runner, options } = await setStageWithRunner(['--still'], { exec: true, ignored: /Applying inline style/ });

before(async () => {
  if (stage.unavailable) return;
  await createObjects(stage);
  await runner.run('guest');
});

for (const [name, show] of Object.entries(parts)) {
  test(`${name} violates no policy`, options, async () => {
    const violations = [];
    const page = await show((hash) => stage.open(hash, { viewport: { width: 1400, height: 900 } }, {}, async (page) => {
      await page.exposeFunction('violated', (violation) => violations.push(violation));
      await page.addInitScript(() => {
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile, lineNumber, target }) => {
          // What the browser itself styles in an editable text has no source.
          if (violatedDirective === 'style-src-attr' && !sourceFile) return;
          globalThis.violated([violatedDirective, blockedURI, sample, `${sourceFile}:${lineNumber}`, target?.outerHTML?.slice(0, 200)].join(' '));
        });
      });
    }));
    // Once a part is shown, also its keys and its closing.
    for (const key of ['Tab', 'Shift+Tab', 'Escape']) await page.keyboard.press(key);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.deepEqual(violations, []);
    await page.context().close();
  });
}
