// Counts of tests in the outputs of tools.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countGo } from './counts.mjs';

test('the tests of Go are counted, without subtests', () => {
  const output = '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nFAIL\n';
  assert.deepEqual(countGo(output), { passed: 1, failed: 1, skipped: 1, notes: ['skipped: TestC'] });
  assert.deepEqual(countGo('# command-line-arguments\nsyntax error\nFAIL\n'), { passed: 0, failed: 0, skipped: 0, notes: [] });
});
