// Feature comparison: docs/features.md has each of its 46 features in the table and in the list, and names tests that exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RUST } from './find.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENT = 'docs/features.md';
const FEATURES = 46;
const PEERS = 14;
const LANGUAGES = 35;
/** A feature of the package, not of the page. */
const PACKAGE = 46;

/** Rows of the table: `{ number, name, mark, peers }`. */
const rowsOf = (text) =>
  [...text.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, number, rest]) => {
    const [name, mark, ...peers] = rest.split(' | ');
    return { number: Number(number), name: name.replaceAll('**', ''), mark, peers };
  });

/** Entries of the list: `{ number, name, mark, text }`. */
const entriesOf = (text) =>
  [...text.matchAll(/^(\d+)\. \*\*([^:\n]+): (.+?)\.\*\*(.*(?:\n {3}.*)*)/gm)].map(([, number, mark, name, text]) => ({ number: Number(number), name, mark, text }));

/** Tests that an entry names, by the links to their files: `{ path, label, names }`, the path below the root. */
const namedIn = (text) =>
  [...text.matchAll(/\[`([^`]+)`\]\(([^)]+)\)((?:,? "[^"\n]+")*)/g)].map(([, label, target, names]) => ({
    path: posix.join(posix.dirname(DOCUMENT), target),
    label,
    names: [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
  }));

/** Patterns of the titles in a file of Node tests. A value in a template is any text. */
const titles = (source) =>
  [...source.matchAll(/^\s*(?:test|it|inPage)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm)].map(([, quote, title]) => {
    const literal = (text) => text.replace(/\\(.)/g, '$1').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const parts = quote === '`' ? title.split(/\$\{[^}]*\}/) : [title];
    return new RegExp(`^${parts.map(literal).join('.+')}$`);
  });

/** Whether a file has a test of this name. */
const hasTest = (path, source, name) =>
  path.endsWith('.rs') ? [...source.matchAll(RUST)].some(([, found]) => found === name) : titles(source).some((title) => title.test(name));

/** What is wrong with the tests of an entry; `read` returns the text of a file, null if there is none. */
function complaints({ number, mark, text }, read) {
  const named = namedIn(text);
  const isOfPage = ({ path }) => path.startsWith('tests/e2e/') || (number === PACKAGE && path.startsWith('informer/npm/test/'));
  const wrong = named.flatMap(({ path, label, names }) => {
    const source = read(path);
    if (source === null) return [`${path} does not exist`];
    if (posix.basename(path) !== label) return [`${path} is called ${label}`];
    if (names.length === 0) return [`no test of ${path} is named`];
    return names.filter((name) => !hasTest(path, source, name)).map((name) => `${path} has no test "${name}"`);
  });
  if ('YP'.includes(mark) && named.length === 0) wrong.push('no test is named');
  else if (mark === 'Y' && !named.some(isOfPage)) wrong.push('no test of the page is named');
  if (mark === 'P' && !text.includes('Missing: ')) wrong.push('"Missing: " is missing');
  return wrong.map((what) => `${number}: ${what}`);
}

const text = readFileSync(`${root}/${DOCUMENT}`, 'utf8');
const numbers = Array.from({ length: FEATURES }, (_, at) => at + 1);

test(`each of the ${FEATURES} features is once in the table and once in the list, with one mark`, () => {
  const [rows, entries] = [rowsOf(text), entriesOf(text)];
  assert.deepEqual(rows.map(({ number }) => number), numbers);
  const known = ({ number, name, mark }) => `${number} ${name}: ${mark}`;
  assert.deepEqual(entries.map(known), rows.map(known));
  for (const { number, mark, peers } of rows) {
    const marks = number === LANGUAGES ? /^\d+\+?$/ : /^[YPN?–][¹²³]?$/;
    assert.match(mark, number === LANGUAGES ? marks : /^[YPN]$/, `row ${number}`);
    assert.equal(peers.length, PEERS, `row ${number}`);
    for (const peer of peers) assert.match(peer, marks, `row ${number}`);
  }
});

test('each feature that is there names tests, and these exist', () => {
  const read = (path) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : null);
  const entries = entriesOf(text);
  assert.ok(entries.some(({ text }) => namedIn(text).length > 1), 'the tests are found');
  assert.deepEqual(entries.flatMap((entry) => complaints(entry, read)), [], `correct ${DOCUMENT}`);
});

test('a test that was renamed, moved or skipped is found, and so is a mark without one', () => {
  const files = {
    'tests/e2e/a.test.mjs': "test('one', options);\n  test(`of ${kind}, ${size} (px)`, options);\ntest.skip('two', options);\ntest('a page\\'s', options);\n",
    'informer/b.rs': '#[test]\nfn three() {}\nfn four() {}\n',
  };
  const of = (mark, text, number = 1) => complaints({ number, mark, text }, (path) => files[path] ?? null);
  const a = '[`a.test.mjs`](../tests/e2e/a.test.mjs)';
  const b = '[`b.rs`](../informer/b.rs)';
  assert.deepEqual(of('Y', `${a} "one", "of pods, 3 (px)", "a page's",\n ${b} "three"`), []);
  assert.deepEqual(of('Y', `${a} "one", "on", "two", "of pods"`), ['on', 'two', 'of pods'].map((name) => `1: tests/e2e/a.test.mjs has no test "${name}"`));
  assert.deepEqual(of('Y', `${a} "one", ${b} "four"`), ['1: informer/b.rs has no test "four"']);
  assert.deepEqual(of('Y', `${a}, [\`c.test.mjs\`](../tests/e2e/c.test.mjs) "one"`), ['1: no test of tests/e2e/a.test.mjs is named', '1: tests/e2e/c.test.mjs does not exist']);
  assert.deepEqual(of('Y', `${b} "three"`), ['1: no test of the page is named']);
  assert.deepEqual([of('Y', ''), of('N', ''), of('P', `${a} "one" Missing: two.`), of('P', `${a} "one"`)], [['1: no test is named'], [], [], ['1: "Missing: " is missing']]);
});

test('rows and entries are read as they are written', () => {
  assert.deepEqual(rowsOf('| # | Feature | Here | HL |\n|--:|---|---|---|\n| 7 | Live **list** | Y | N |\n'), [{ number: 7, name: 'Live list', mark: 'Y', peers: ['N'] }]);
  assert.deepEqual(entriesOf('7. **Y: Live list.** One.\n   Two.\n10. **N: Another.** Three.\n    Four.\n\nFive.\n'), [
    { number: 7, name: 'Live list', mark: 'Y', text: ' One.\n   Two.' },
    { number: 10, name: 'Another', mark: 'N', text: ' Three.\n    Four.' },
  ]);
});
