// The build tool wasm-link must have the same version of wasm-bindgen as what it links: the product, and the Leptos example.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const locked = (lock, name) => lock.match(new RegExp(`name = "${name}"\\nversion = "(.*)"`))?.[1];

test('wasm-link has the version of wasm-bindgen that the product has', () => {
  const version = locked(read('Cargo.lock'), 'wasm-bindgen');
  const manifest = read('.ci/wasm-link/Cargo.toml');
  assert.ok(version);
  assert.equal(manifest.match(/wasm-bindgen-cli-support = \{ version = "=(.*?)"/)?.[1], version, 'change .ci/wasm-link/Cargo.toml');
  assert.equal(locked(read('.ci/wasm-link/Cargo.lock'), 'wasm-bindgen-cli-support'), version, 'cargo update in .ci/wasm-link');
  assert.equal(locked(read('informer/examples/leptos-pods/Cargo.lock'), 'wasm-bindgen'), version, 'cargo update in informer/examples/leptos-pods');
});
