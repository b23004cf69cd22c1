// Parts of the page, tested without a page: manifests, confirmations, hidden characters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Confirmation } from '../src/confirmation.js';
import { HIDDEN, visible } from '../src/visible.js';
import { segments } from '../src/field-errors.js';
import { plainForm } from '../src/form.js';
import { editable, isRounded, keepsRemoved, mergePatch } from '../src/manifest.js';
import { locate, parse, print } from '../src/yaml.js';

test('an edit omits status and the server’s fields only', () => {
  const text = 'apiVersion: v1\nmetadata:\n  creationTimestamp: "x"\n  name: a\n  resourceVersion: "7"\n  uid: u\nspec:\n  status: mine\n  generation: 3\nstatus:\n  a:\n  - b\nzone: c\n';
  assert.equal(editable(text), 'apiVersion: v1\nmetadata:\n  name: a\n  uid: u\nspec:\n  status: mine\n  generation: 3\nzone: c\n');
});

test('a removal that an apply does not carry out is detected', () => {
  const before = { data: { a: 1, b: 2 }, list: [{ name: 'x', y: 1 }, { name: 'z' }] };
  assert.equal(keepsRemoved(before, before, before), false);
  assert.equal(keepsRemoved(before, { ...before, data: { a: 1 } }, before), true);
  assert.equal(keepsRemoved(before, { ...before, list: [{ name: 'x', y: 1 }] }, before), true);
  assert.equal(keepsRemoved(before, { ...before, list: [{ name: 'x' }, { name: 'z' }] }, before), true);
  assert.equal(keepsRemoved(before, { ...before, data: { a: 5, b: 2 } }, { ...before, data: { a: 5, b: 2 } }), false);
});

test('a merge patch has the differences, and null for removed fields', () => {
  assert.deepEqual(mergePatch({ a: { b: 1, c: 2 }, d: [1], e: 1 }, { a: { b: 1, c: 3 }, d: [1, 2] }), { a: { c: 3 }, d: [1, 2], e: null });
  assert.deepEqual(mergePatch({ a: { b: 1 } }, { a: { b: 1 } }), {});
});

test('an integer that JavaScript rounds is detected', () => {
  assert.ok(isRounded({ a: [2 ** 53] }) && !isRounded({ a: [1, 'b', null, 1.5] }));
});

test('a field that the server names is found in the text', () => {
  const text = 'kind: A\n---\nkind: B\nspec:\n  containers:\n  - name: x\n  - name: y\n    image: z\n';
  assert.deepEqual(locate(text, segments('spec.containers[1].image'), 1), { line: 8, column: 5 });
  assert.deepEqual(locate(text, segments('.spec.absent.more'), 1).line, 4, 'the nearest existing parent');
  assert.deepEqual(segments('.metadata.labels.a'), ['metadata', 'labels', 'a']);
});

test('a write is confirmed by its version, by a later one, or by the end of the object', () => {
  const confirms = (before, accepted, ...shown) => {
    const confirmation = new Confirmation(before);
    confirmation.send();
    confirmation.accept(accepted);
    return [confirmation.isShown, ...shown.map((version) => (confirmation.show(version), confirmation.isShown))];
  };
  assert.deepEqual(confirms('7', '8', '7', '8'), [false, false, true]);
  assert.deepEqual(confirms('7', '8', '9'), [false, true], 'the watch skipped the accepted version');
  assert.deepEqual(confirms('7', '10', '9', '10'), [false, false, true], 'a change of another client that was in flight');
  assert.deepEqual(confirms('9', '10', '10'), [false, true], 'versions are compared as numbers');
  assert.deepEqual(confirms('18446744073709551613', '18446744073709551615', '18446744073709551614'), [false, false], 'numbers of any size');
  assert.deepEqual(confirms('a', 'c', 'a', 'b'), [false, false, true], 'the versions of some servers have no order');
  assert.deepEqual(confirms('7', '7'), [true], 'a write without a change keeps the version');
  assert.deepEqual(confirms('7', '8', null), [false, true], 'removing the last finalizer deletes the object');
  assert.deepEqual(confirms(null, '8', '8'), [false, true], 'the object was created again');
  const early = new Confirmation('7');
  early.show('8');
  early.send();
  early.show('9');
  assert.equal(early.isShown, false, 'nothing is accepted yet');
  early.accept('9');
  assert.equal(early.isShown, true, 'the watch was faster than the response');
});

test('the version of an object is that of its metadata', () => {
  const { versionOf } = plainForm();
  assert.equal(versionOf('apiVersion: v1\ninvolvedObject:\n  resourceVersion: "3"\nkind: Event\nmetadata:\n  annotations:\n    resourceVersion: "4"\n    text: |-\n      a\n\n      b\n  name: a\n  resourceVersion: "7"\n  uid: u\n'), '7');
  assert.equal(versionOf('metadata:\n  resourceVersion: a-b\n'), 'a-b');
  assert.equal(versionOf('kind: A\nmetadata:\n  name: a\nspec:\n  resourceVersion: "3"\n'), null);
  assert.equal(versionOf(''), null);
});

test('hidden characters of a text are shown as escapes', () => {
  assert.equal(visible('a\u202eb\u200b\n'), 'a\\u202eb\\u200b\n');
  assert.equal(visible('👩\ufe0f\t\n'), '👩\ufe0f\t\n');
  assert.deepEqual('a\u202eb\n\t\ufe0f\u{e0041}'.match(HIDDEN), ['\u202e', '\u{e0041}']);
});

test('hidden characters of an object are escapes in its text, which parses to the same object', () => {
  const object = { 'k\u200by': 'a\u202eb', lines: 'one\u2066\ntwo\n', literal: 'a\\u202eb', tag: '\u{e0041}', emoji: '👩\ufe0f', tab: 'a\tb', list: ['\ufeff'] };
  const text = print(object);
  assert.doesNotMatch(text, HIDDEN);
  assert.match(text, /^"k\\u200by": "a\\u202eb"$/m);
  assert.match(text, /^literal: a\\u202eb$/m, 'without quotes, a backslash is a literal character');
  assert.deepEqual(parse(text).documents[0].object, object);
});
