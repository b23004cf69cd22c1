// Content Security Policy and Trusted Types in the parts that open on demand: none of them violates the policy.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createObjects, parts } from '../support/parts.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

// Chromium styles text that replaces a selection in an editable element, and reports that the policy blocks it.
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
          // A violation by the browser itself, in editable text, has no source file.
          if (violatedDirective === 'style-src-attr' && !sourceFile) return;
          globalThis.violated([violatedDirective, blockedURI, sample, `${sourceFile}:${lineNumber}`, target?.outerHTML?.slice(0, 200)].join(' '));
        });
      });
    }));
    // The keys of an open part, and its closing, are checked, too.
    for (const key of ['Tab', 'Shift+Tab', 'Escape']) await page.keyboard.press(key);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.deepEqual(violations, []);
    await page.context().close();
  });
}
