// `make t`: the tests that a word finds, and their commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURES, find } from './find.mjs';

const files = {
  'informer/src/queue.rs': '#[test]\nfn keys_come_in_order() {}\n#[test]\n#[should_panic]\nfn an_empty_queue_waits() {}',
  'informer/src/queue/tests.rs': '#[cfg(test)]\nfn helper() {}',
  'informer/tests/it/silence.rs': '#[tokio::test]\nasync fn wat_26_a_watch_is_found() {}',
  'informer/tests/live/lists.rs': '#[live_test]\npub(crate) async fn lists_are_whole() {}',
  'web/src/main.rs': '#[test]\nfn a_route_is_read() {}',
  'tests/e2e/table.test.mjs': "test('rows (100,000) are sorted', async () => {});",
  'informer/npm/test/unit/view.test.mjs': 'test("a view is disposed", () => {});',
  'informer/npm/test/view.test.mjs': 'test(`a view is disposed of in each mode`, () => {});',
};
const packages = [
  { name: 'informer', folder: 'informer', hasLibrary: true },
  { name: 'web', folder: 'web', hasLibrary: false },
];
const search = (word) =>
  find(word, Object.keys(files), (path) => packages.find(({ folder }) => path.startsWith(`${folder}/`)), (path) => files[path]).map(
    ({ command, args, needs }) => `${[command, ...args].join(' ')}${needs.map((need) => ` (${need})`).join('')}`,
  );
const cargo = `cargo test --quiet --workspace ${FEATURES.join(' ')}`;

test('a part of a Rust name finds the target that has it', () => {
  assert.deepEqual(search('wat_26'), [`${cargo} --test it -- wat_26`]);
  assert.deepEqual(search('a'), [`${cargo} --lib --test it --bin web -- a`, `${cargo} --test live_native -- a (apiserver)`, ...search('A')]);
  assert.deepEqual(search('an_empty'), [`${cargo} --lib -- an_empty`]);
  assert.deepEqual(search('keys come'), [`${cargo} --lib -- keys_come`]);
  assert.deepEqual(search('a_route'), [`${cargo} --bin web -- a_route`]);
});

test('the name of a file finds all tests in it', () => {
  assert.deepEqual(search('silence'), [`${cargo} --test it -- silence`]);
  assert.deepEqual(search('table'), ['node --test --test-reporter=spec tests/e2e/table.test.mjs (page)']);
});

test('live tests get an apiserver', () => {
  assert.deepEqual(search('lists_are_whole'), [`${cargo} --test live_native -- lists_are_whole (apiserver)`]);
});

test('a part of a title finds Node tests, case-insensitive, and their builds', () => {
  assert.deepEqual(search('Rows (100,000)'), ['node --test --test-reporter=spec --test-name-pattern=/rows \\(100,000\\)/i tests/e2e/table.test.mjs (page)']);
  const pattern = 'node --test --test-reporter=spec --test-name-pattern=/a view is disposed/i';
  assert.deepEqual(search('a view is disposed'), [
    `${pattern} informer/npm/test/unit/view.test.mjs`,
    `${pattern} informer/npm/test/view.test.mjs (package)`,
  ]);
});

test('other files are not found', () => {
  assert.deepEqual(search('helper'), []);
  assert.deepEqual(search('no_such_test'), []);
});
