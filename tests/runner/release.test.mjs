// Release: one version everywhere, a changelog of it, and a workflow whose targets exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const cargo = read('Cargo.toml');
const [, version] = cargo.match(/\[workspace\.package\]\nversion = "(.+)"/);

test('the crates depend on each other in the version of the workspace', () => {
  const versions = [...cargo.matchAll(/^informer[a-z-]* = \{ path = "[^"]+", version = "([^"]+)"/gm)].map(([, found]) => found);
  assert.deepEqual(versions, Array(5).fill(version));
});

test('the lock file of the Leptos example has the version of the workspace', () => {
  const lock = read('informer/examples/leptos-pods/Cargo.lock');
  const versions = [...lock.matchAll(/^name = "informer[a-z-]*"\nversion = "(.+)"/gm)].map(([, found]) => found);
  assert.deepEqual(versions, Array(3).fill(version), 'cargo update -w in informer/examples/leptos-pods');
});

test('no other file names a version of the packages', () => {
  // The build inserts it.
  assert.equal(JSON.parse(read('informer/npm/package.json')).version, '0.0.0');
});

test('the changelog has entries that are not released, or those of this version', () => {
  const changelog = read('CHANGELOG.md');
  assert.ok(changelog.includes('## Unreleased') || changelog.includes(`## ${version}`));
});

test('the workflows run targets that exist', () => {
  const makefile = read('Makefile');
  for (const file of ['ci', 'release']) {
    const targets = [...read(`.github/workflows/${file}.yml`).matchAll(/run: make ([a-z-]+)/g)].map(([, target]) => target);
    assert.ok(targets.includes('test'), file);
    for (const target of targets) assert.ok(makefile.includes(`\n${target}:`), target);
  }
});

test('the release workflow publishes each crate that another one needs', () => {
  const workflow = read('.github/workflows/release.yml');
  for (const [, name] of cargo.matchAll(/^(informer[a-z-]*) = \{ path/gm)) assert.match(workflow, new RegExp(`-p ${name}( |\\n)`), name);
});
