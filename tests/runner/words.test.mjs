// Plain English: words that no tracked source may contain, because they hide what is meant.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Each word, with what to write instead. */
const FORBIDDEN = [
  [/\bnobody\b/i, 'nobody', 'name the thing: "no handler", "no page", "no request"'],
  [/\bwhoever\b/i, 'whoever', 'name the thing: "each caller", "any page that"'],
  [/\bfor ever\b/i, 'for ever', 'forever, or without limit'],
  [/\bunless told\b/i, 'unless told', 'by default'],
  [/\bwish(es|ed)?\b/i, 'wish', 'view query'],
];

/** Files that are not rewritten yet, and the words that they may contain until then. The list only shrinks. */
const ALLOWED = [
  [/^informer\/npm\/src\/[\w-]+\.js$/, ['nobody', 'whoever', 'for ever', 'unless told', 'wish']],
  [/^informer\/npm\/test\/unit\/deferred\.test\.mjs$/, ['nobody']],
  // Names of types, fields and messages.
  [/^informer\/.*src\/(engine|message|view)(\/|\.rs)/, ['wish']],
  [/^informer\/npm\/(test\/|src\/types\/)/, ['wish']],
  [/^informer\/.*tests\//, ['wish']],
  [/^tests\/bench\/pages\//, ['wish']],
];

const SELF = 'tests/runner/words.test.mjs';
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
const sources = tracked.filter((path) => /\.(rs|js|mjs|ts|md|html|css|toml|sh)$|^[^.]+$/.test(path) && path !== SELF);

/** Where forbidden words are, as `{ path, word, where }`. */
function findings() {
  return sources.flatMap((path) => {
    const lines = readFileSync(`${root}/${path}`, 'utf8').split('\n');
    return lines.flatMap((line, at) =>
      FORBIDDEN.filter(([pattern]) => pattern.test(line)).map(([, word, instead]) => ({ path, word, where: `${path}:${at + 1}: "${word}" (write ${instead})` })),
    );
  });
}

const found = findings();
const allows = ([pattern, words], { path, word }) => pattern.test(path) && words.includes(word);

test('no source contains a forbidden word', () => {
  const left = found.filter((finding) => !ALLOWED.some((entry) => allows(entry, finding)));
  assert.equal(left.length, 0, left.map(({ where }) => where).join('\n'));
});

test('every exception is still needed: delete those that are not', () => {
  const unused = ALLOWED.flatMap(([pattern, words]) =>
    words.filter((word) => !found.some((finding) => allows([pattern, [word]], finding))).map((word) => `${pattern}: ${word}`),
  );
  assert.deepEqual(unused, []);
});
