// Files of the package's mutation tests: the sources that are mutated, and the tests that judge them.
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import picomatch from 'picomatch';

/** Files that require a browser or a worker, each with its reason. */
export const excluded = {
  'index.js': 'names files beside the built one',
  'react.js': 'needs React in a document: tests/bundlers/react.test.mjs runs it in Chromium',
  'render-cache.js': 'needs React in a document: tests/bundlers/suspense.test.mjs runs it in Chromium',
  'slim.js': 'only exports',
  'suspense.js': 'needs React in a document: tests/bundlers/suspense.test.mjs runs it in Chromium',
  'view-store.js': 'needs React in a document: tests/bundlers/react.test.mjs runs it in Chromium',
  'wasm-url.js': 'names files beside the built one',
  'worker.js': 'begins a worker: test/workers.test.mjs runs it in Chromium',
};

/** Tests that need no browser, as globs in the package's folder. That of the declarations needs files outside of it, and no mutant changes a type. */
export const judges = [...['checks', 'delivered', 'numbers', 'view'].map((name) => `test/${name}.test.mjs`), 'test/unit/!(declarations).test.mjs'];

const list = (folder) => readdirSync(folder, { recursive: true }).map((name) => name.split(sep).join('/')).sort();

/** The files to mutate, by their paths below `src`, at any depth. Throws if an excluded one is gone. */
export function sources(src, left = excluded) {
  const names = list(src);
  const gone = Object.keys(left).filter((name) => !names.includes(name));
  if (gone.length > 0) throw new Error(`tests/mutants/npm-files.mjs leaves out files that are gone: ${gone.join(', ')}`);
  return names.filter((name) => name.endsWith('.js') && !Object.hasOwn(left, name));
}

/** The globs of the tests. Throws if one matches no file: its sources would be judged without their tests. */
export function testGlobs(folder, globs = judges) {
  const files = list(folder);
  const empty = globs.filter((glob) => !files.some((name) => picomatch.isMatch(name, glob)));
  if (empty.length > 0) throw new Error(`tests/mutants/npm-files.mjs names tests that are gone: ${empty.join(', ')}`);
  return globs;
}
