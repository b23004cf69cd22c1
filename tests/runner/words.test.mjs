// Plain English: words that no tracked source may contain, because they hide the meaning.
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
  [/\b(some|any|every)body\b|\bsomeone\b/i, 'somebody, anybody, everybody, someone', 'name the thing: "a handler", "any page", "all handlers"'],
  [/\bcannot be meant\b/i, 'cannot be meant', 'invalid'],
  [/\bbe had\b/i, 'be had', 'available, unavailable, loaded'],
  [/\bthrough with\b/i, 'through with', 'acknowledged, processed'],
  [/\bas it were\b/i, 'as it were', 'nothing: leave it out'],
  [/\bsay again\b|\bsaid again\b/i, 'say again', 'replay, re-send'],
  [/\bbeyond a reload\b/i, 'beyond a reload', 'persisted'],
  [/\bwhat (became|becomes) of (it|them|a|an|the)\b/i, 'what became of it', 'outcome, result'],
];

/** Names of tests: the subject is a thing, or "a user who". */
const TEST_NAMES = [/\bfn (\w*)/, /^\s*(?:test|pageTests|inPage)\((['"`].*?['"`])/];
const hasWho = (name) => /(?<!\busers?\b.)\bwho\b/i.test(name.replaceAll('_', ' '));

const SELF = 'tests/runner/words.test.mjs';
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
// Files without an ending, such as Makefile and .ci/setup, are scripts.
const sources = tracked.filter((path) => /\.(rs|js|mjs|ts|md|html|css|toml|sh|go)$|(^|\/)[^./]+$/.test(path) && path !== SELF);

/** Where forbidden words are, as `{ path, word, where }`. */
function findings() {
  return sources.flatMap((path) => {
    const lines = readFileSync(`${root}/${path}`, 'utf8').split('\n');
    return lines.flatMap((line, at) =>
      // A name is words that are joined by underscores.
      FORBIDDEN.filter(([pattern]) => pattern.test(line) || pattern.test(line.replaceAll('_', ' '))).map(([, word, instead]) => ({ path, word, where: `${path}:${at + 1}: "${word}" (write ${instead})` })),
    );
  });
}

test('no source contains a forbidden word', () => {
  const found = findings();
  assert.equal(found.length, 0, found.map(({ where }) => where).join('\n'));
});

test('no test has "who" as its subject', () => {
  const found = sources.filter((path) => /\.(rs|mjs)$/.test(path)).flatMap((path) =>
    readFileSync(`${root}/${path}`, 'utf8').split('\n').flatMap((line, at) =>
      TEST_NAMES.map((pattern) => line.match(pattern)?.[1]).filter((name) => name && hasWho(name)).map((name) => `${path}:${at + 1}: ${name}`),
    ),
  );
  assert.deepEqual(found, [], 'name the thing: "a page that waits", "a late handler", "a user who"');
});

test('a user is a person', () => {
  assert.ok(hasWho('who_waits_is_told') && hasWho('all who wait') && !hasWho('a user who may not list') && !hasWho('the_whole_list'));
});
