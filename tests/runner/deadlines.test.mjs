// Deadlines: a browser test waits minutes for a condition. A test that fails on a loaded machine is useless.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Milliseconds, as a number: below a minute. */
const BELOW = String.raw`(?:\d{3,4}|[1-5]\d{4}|[1-5]?\d_\d{3})\b(?!_)`;
/** A deadline. */
const SHORT = new RegExp(String.raw`(?:\btimeout(?:: | = )|\beventually\([^()]*?, |\bsetDefaultTimeout\()${BELOW}(?![\d.]*\s*\*)`);
/** A span of time that is held to a limit below ten minutes. */
const JUDGED = /assert\.(?:ok|equal)\([^;]*(?:performance\.now\(\)|Date\.now\(\)|\b(?:took|elapsed|duration)\b)[^;]*<=?\s*(?:\d{3,5}|[1-5]\d{5}|[1-5]?\d{1,2}_\d{3})\b(?!_)/;

/** A pause in place of a condition. */
const PAUSE = /\bwaitForTimeout\(/;

/** The lines of a text that a slow machine breaks. */
const hasty = (text) => text.split('\n').flatMap((line, at) => ([SHORT, JUDGED, PAUSE].some((pattern) => pattern.test(line)) ? [`${at + 1}: ${line.trim()}`] : []));

test('no test in a browser or of the package has a deadline below a minute, or judges a span of time', () => {
  const found = ['tests/e2e', 'tests/support', 'tests/monkey', 'tests/soak', 'tests/chaos', 'tests/kube', 'tests/conformance', 'tests/bundlers', 'tests/demo', 'tests/deploy', 'tests/docs', 'tests/launcher', 'tests/pictures', 'informer/npm/test', 'informer/npm/test/unit', 'web/parts/test'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.mjs'))
      .flatMap((name) => hasty(readFileSync(join(root, folder, name), 'utf8')).map((line) => `${folder}/${name}:${line}`)),
  );
  assert.deepEqual(found, [], 'write PATIENCE, which harness.mjs and stage.mjs export; report a duration by t.diagnostic()');
});

test('the patterns find tests that a slow machine breaks', () => {
  for (const line of [
    "await row(page, 'a').waitFor({ timeout: 15_000 });",
    "await eventually('it is there', 5_000, () => seen());",
    'await eventually(`the rows are ${expected}`, 500, async () => true);',
    'async function send(url, { timeout = 5_000 } = {}) {}',
    'assert.ok(took < 4_000, `${took} ms`);',
    "assert.ok(performance.now() - start < 900, 'soon');",
    'assert.ok(took < 80_000);',
    'assert.ok(took < 300_000, `${took} ms`);',
    'await page.waitForTimeout(300);',
  ]) {
    assert.equal(hasty(line).length, 1, line);
  }
  for (const line of [
    "await row(page, 'a').waitFor({ timeout: PATIENCE });",
    "const options = { timeout: 600_000 };",
    "await eventually('it is there', PATIENCE, () => count() === 5_000);",
    't.diagnostic(`${Math.round(performance.now() - start)} ms`);',
    'assert.ok(at <= until && Math.abs(Date.now() - at) < 600_000);',
    'assert.ok(took < 600_000);',
    'await eventually(`it is there`, 120_000, seen);',
  ]) {
    assert.deepEqual(hasty(line), [], line);
  }
});
