// Finding tests: from a word to the commands that run the tests of that name, for `make t`.
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Features of the native tests: the reqwest transport, the scripted one. The same for all steps, because with other features
 * cargo builds everything again.
 */
export const FEATURES = ['--features', 'informer/native,informer/testing,informer-engine/native,informer-engine/testing'];

/** A Rust test: the function below an attribute such as `#[test]`, `#[tokio::test]` or the live tests' `#[live]`. */
export const RUST = /#\[(?:tokio::|live_)?test(?:\([^\]]*\))?\](?:\s*#\[[^\]]*\])*\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)/g;
/** A Node test: its title. */
const NODE = /\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;

const isRust = (path) => path.endsWith('.rs');
const isNode = (path) => path.endsWith('.test.mjs');
const stem = (path) => basename(path).replace(/\.test\.mjs$|\.rs$/, '');

/** Cargo's arguments for the target that a file belongs to, or undefined. */
function rustTarget(path, packageOf) {
  const found = packageOf(path);
  if (!found) return undefined;
  const [, folder, name] = path.slice(found.folder.length + 1).match(/^(tests|src\/bin)\/([^/]+?)(?:\.rs$|\/)/) ?? [];
  // The live tests are one set of modules, natively in the target live_native.
  if (folder === 'tests') return ['--test', name === 'live' ? 'live_native' : name];
  if (folder) return ['--bin', name];
  return found.hasLibrary ? ['--lib'] : ['--bin', found.name];
}

/**
 * The commands that run the tests that `word` names.
 *
 * A Rust test is found by a part of its name, or by the name of its file; a Node test by a part of its title (in any case), or by
 * the name of its file. Returns a list of `{ command, args, needs }`; `needs` holds `apiserver` for a native embedded apiserver's
 * URL, `page` for dist/ and `package` for the npm package.
 *
 * @param files all files, by path below the root
 * @param packageOf the package of a Rust file: `{ name, folder, hasLibrary }`, or undefined
 * @param read reads a file
 */
export function find(word, files, packageOf, read = (path) => readFileSync(path, 'utf8')) {
  return [...findRust(word, files.filter(isRust), packageOf, read), ...findNode(word, files.filter(isNode), read)];
}

function findRust(word, files, packageOf, read) {
  const name = word.trim().replaceAll(/\s+/g, '_');
  const targets = new Map();
  for (const path of files) {
    const isModule = stem(path) === name || basename(dirname(path)) === name;
    const names = [...read(path).matchAll(RUST)].map(([, found]) => found);
    if (!(isModule ? names.length > 0 : names.some((found) => found.includes(name)))) continue;
    const target = rustTarget(path, packageOf);
    if (target) targets.set(target.join(' '), target);
  }
  // The whole workspace, as in `make test`: for one package alone cargo would choose other features of the dependencies, and
  // build all of them again.
  const command = (chosen, needs) => ({ command: 'cargo', args: ['test', '--quiet', '--workspace', ...FEATURES, ...chosen.flat(), '--', name], needs });
  const isLive = (target) => target.includes('live_native');
  const [alone, live] = [[...targets.values()].filter((target) => !isLive(target)), [...targets.values()].filter(isLive)];
  return [...(alone.length > 0 ? [command(alone, [])] : []), ...(live.length > 0 ? [command(live, ['apiserver'])] : [])];
}

function findNode(word, files, read) {
  const text = word.toLowerCase();
  const byName = files.filter((path) => stem(path) === word);
  const byTitle = files.filter((path) => !byName.includes(path) && [...read(path).matchAll(NODE)].some(([, , title]) => title.toLowerCase().includes(text)));
  // In a title, special characters of patterns are literal.
  const pattern = `/${text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}/i`;
  const run = (path, ...args) => ({ command: 'node', args: ['--test', '--test-reporter=spec', ...args, path], needs: needsOf(path) });
  return [...byName.map((path) => run(path)), ...byTitle.map((path) => run(path, `--test-name-pattern=${pattern}`))];
}

function needsOf(path) {
  if (path.startsWith('tests/e2e/')) return ['page'];
  // Its unit tests read the sources.
  return path.startsWith('informer/npm/test/') && !path.startsWith('informer/npm/test/unit/') ? ['package'] : [];
}
