// Lengths of files: no tracked file has more than 500 lines, except those that a tool writes, and records of other programs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isClone, staged } from './tracked.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Maximum number of lines. */
const MOST = 500;

const EXCEPTIONS = [
  // Lock files of package managers.
  /(^|\/)(Cargo\.lock|package-lock\.json|go\.sum)$/,
  // Records of measurements, of faults and of a server's behaviour.
  /^tests\/(bench\/report\.json|chaos\/chaos\.json|conformance\/recorded\.txt)$/,
  // The fields of all API types, which `make schema` writes.
  /^informer\/protobuf\/schema\.txt$/,
  // Objects as a server sent them.
  /^web\/objects\/fixtures\//,
  // Pictures.
  /\.(png|webp|ico|woff2)$/,
];

const isException = (path) => EXCEPTIONS.some((pattern) => pattern.test(path));

/** Returns the number of lines of a text. */
const lengthOf = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

test(`no file has more than ${MOST} lines`, { skip: !isClone() && 'this is no clone of the repository' }, () => {
  const paths = staged().map(({ path }) => path).filter((path) => !isException(path));
  assert.ok(paths.includes('informer/src/reflector.rs') && paths.includes('tests/run.mjs'), 'the files are found');
  const long = paths.map((path) => [path, lengthOf(readFileSync(`${root}/${path}`, 'utf8'))]).filter(([, lines]) => lines > MOST);
  assert.deepEqual(long.map(([path, lines]) => `${path} has ${lines} lines`), [], 'split these by subject');
});

test('what is written by hand is no exception', () => {
  for (const path of ['tests/e2e/table.test.mjs', 'web/src/client.rs', 'www/style.css', 'informer/SPEC.md', 'tests/bench/report.mjs']) {
    assert.ok(!isException(path), path);
  }
  assert.ok(isException('informer/fuzz/Cargo.lock') && isException('web/objects/fixtures/pod/healthy.json'));
  assert.deepEqual([lengthOf('a\nb\n'), lengthOf('a\nb')], [2, 2]);
});
