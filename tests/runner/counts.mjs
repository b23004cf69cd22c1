// Counts: numbers of passed, failed and skipped tests in a tool's output.

export const none = { passed: 0, failed: 0, skipped: 0, notes: [] };
export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  notes: [...a.notes, ...b.notes],
});
export const sum = (counts) => counts.reduce(add, none);
export const skip = (reason) => ({ ...none, skipped: 1, notes: [`skipped: ${reason}`] });
export const fail = (reason) => ({ ...none, failed: 1, notes: [`failed: ${reason}`] });
export const describe = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** Lines such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`: cargo's and wasm-bindgen-test's. */
export function countRust(output) {
  const results = [...output.matchAll(/^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm)].map(
    ([, passed, failed, skipped]) => ({ passed: +passed, failed: +failed, skipped: +skipped, notes: [] }),
  );
  const ignored = [...output.matchAll(/^test (.+?) \.\.\. ignored(?:, (.*))?$/gm)].map(
    ([, name, reason]) => `skipped: ${name}: ${reason ?? 'ignored without a reason'}`,
  );
  return { ...sum(results), notes: ignored };
}

/** The last line of the conformance suite, with its reasons for skips: `12 passed, 0 failed, 3 skipped`. Also the soak's. */
export function countLastLine(output) {
  const [, passed, failed, skipped] = output.match(/^(\d+) passed, (\d+) failed, (\d+) skipped\s*$(?![\s\S]*^\d+ passed)/m) ?? [0, 0, 0, 0];
  const reasons = [...output.matchAll(/^\s*(?:skipped on .*|\S+ skipped: .*)$/gm)].map(([line]) => line.trim());
  return { passed: +passed, failed: +failed, skipped: +skipped, notes: reasons };
}

/** The summary of node:test's spec reporter: `ℹ pass 3`. */
export function countNode(output) {
  const total = (name) => [...output.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].reduce((n, match) => n + +match[1], 0);
  const skipped = [...output.matchAll(/^\s*﹣ (.+?) \([\d.]+ms\)(?: # (.*))?$/gm)].map(
    ([, name, reason]) => `skipped: ${name}: ${reason ?? 'without a reason'}`,
  );
  return {
    passed: total('pass'),
    failed: total('fail') + total('cancelled'),
    skipped: total('skipped') + total('todo'),
    notes: [...new Set(skipped)],
  };
}

/** Lines of `go test -v`: `--- PASS: TestName (0.00s)`; those of subtests are indented, and not counted. */
export function countGo(output) {
  const total = (name) => [...output.matchAll(new RegExp(`^--- ${name}: `, 'gm'))].length;
  const skipped = [...output.matchAll(/^--- SKIP: (\S+)/gm)].map(([, name]) => `skipped: ${name}`);
  return { passed: total('PASS'), failed: total('FAIL'), skipped: total('SKIP'), notes: skipped };
}
