// Exceptions and verdicts of mutation testing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig, withoutExceptions, withoutMatch } from './exceptions.mjs';
import { byFolder, judge, spared } from './verdict.mjs';

const names = ['informer/src/view.rs:7:3: replace sorting_all_pays -> bool with true', 'informer/src/view/table.rs:9:1: replace <impl Debug for Table>::fmt with ()'];
const files = ['informer/src/view.rs', 'informer/src/view/table.rs', 'informer/src/view/tests.rs'];

test('an exception that matches no mutant, or a glob without a file, is reported', () => {
  assert.deepEqual(withoutMatch({ exclude_re: ['_pays\\b', 'impl (fmt::)?Debug'], examine_globs: ['informer/src/view.rs', 'informer/src/view/**/*.rs'], exclude_globs: ['**/tests.rs'] }, names, files), []);
  assert.deepEqual(withoutMatch({ exclude_re: ['Test::turns -> bool', '_pays\\b'], examine_globs: ['informer/src/rows.rs'], exclude_globs: ['**/tests/**'] }, names, files), [
    'the exception "Test::turns -> bool" matches no mutant',
    'the glob "informer/src/rows.rs" matches no file',
    'the glob "**/tests/**" matches no file',
  ]);
});

test('the settings are read, with and without exceptions', () => {
  const toml = readFileSync(fileURLToPath(new URL('../../.cargo/mutants.toml', import.meta.url)), 'utf8');
  const [config, bare] = [readConfig(toml), readConfig(withoutExceptions(toml))];
  assert.ok(config.exclude_re.length > 5 && config.features.length > 0 && config.profile);
  const { exclude_re: _, ...others } = config;
  assert.deepEqual(bare, others);
});

test('settings are read in every form of TOML', () => {
  const toml = `features=["a"] # of the crate
exclude_re = ["[a-z]$"] # one line
examine_globs = [
  "a/[bc].rs", # with brackets
  'd.rs',
]
`;
  const { exclude_re, ...others } = readConfig(toml);
  assert.deepEqual([exclude_re, others], [['[a-z]$'], { features: ['a'], examine_globs: ['a/[bc].rs', 'd.rs'] }]);
  assert.deepEqual(readConfig(withoutExceptions(toml)), others);
});

test('globs match as in cargo-mutants', () => {
  const misses = (...examine_globs) => withoutMatch({ examine_globs }, [], files);
  assert.deepEqual(misses('table.rs', 'view', 'informer/src/v?ew.rs', '**/{table,other}.rs', 'informer/**/[s-u]*.rs'), []);
  assert.deepEqual(misses('src/view.rs', 'informer/*/table.rs', '*/view.rs', 'iew.rs').length, 4);
});

test('an exception that JavaScript cannot read is an error', () => {
  assert.throws(() => withoutMatch({ exclude_re: ['(?x) a'] }, names, files), /mutants\.toml: .*\(\?x\) a.* Write the exception/);
});

test('a change may have three survivors, and the whole run those that its goal allows', () => {
  assert.equal(judge({ caught: 0, missed: 3, goal: 85, isChange: true }).isGood, true);
  assert.equal(judge({ caught: 10, missed: 4, goal: 85, isChange: true }).isGood, false);
  assert.equal(judge({ caught: 96, missed: 4, goal: 85, isChange: true }).isGood, true);
  assert.equal(judge({ caught: 10, missed: 3, goal: 95, isChange: false }).isGood, false);
  assert.deepEqual(judge({ caught: 0, missed: 0, goal: 95, isChange: false }), { viable: 0, score: 100, isGood: true });
  assert.equal(spared(['a.rs:1:1: replace < with <=']), '  mutants skipped: survivor: a.rs:1:1: replace < with <=');
});

test('each folder has the score of its files', () => {
  const scores = [{ folder: 'src', caught: 9, viable: 10 }, { folder: 'src/client', caught: 1, viable: 2 }, { folder: 'src', caught: 6, viable: 10 }, { folder: 'src/none', caught: 0, viable: 0 }];
  assert.deepEqual(byFolder(scores), [{ folder: 'src', viable: 20, score: 75 }, { folder: 'src/client', viable: 2, score: 50 }, { folder: 'src/none', viable: 0, score: 100 }]);
});
