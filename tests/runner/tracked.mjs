// Tracked files, of the current and each earlier commit. A file that was committed and removed again is still part of every
// clone.
import { spawnSync } from 'node:child_process';

/** Maximum size of a file in the repository, in bytes. */
export const LARGEST = 512 * 1024;
/** Build outputs, by the end of the name or by a folder above the file. */
const OUTPUTS = /\.(?:wasm|tgz|tar|gz|zip|rlib|rmeta|o|a|so|log)$|(?:^|\/)(?:target|dist|node_modules)\//;

/** Returns the reason why a file does not belong into the repository, if there is one. */
export function complaint({ path, size }) {
  if (OUTPUTS.test(path)) return `${path} is a build output`;
  if (size > LARGEST) return `${path} has ${Math.ceil(size / 1024)} KB, and ${LARGEST / 1024} KB is the limit`;
  return null;
}

function git(args, input) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8', input, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** The sizes of objects: lines of `<id> <path>` in, `{ path, size }` of each file out. */
function sizes(lines) {
  const output = git(['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)'], lines);
  return [...output.matchAll(/^blob (\d+) (.*)$/gm)].map(([, size, path]) => ({ path, size: Number(size) }));
}

/** Files of the index: those of the last commit, and those staged for the next one. */
export const staged = () => sizes(git(['-c', 'core.quotePath=off', 'ls-files', '--stage']).replace(/^\d+ (\w+) \d\t/gm, '$1 '));

/** Files of the last commit and of all before it. */
export const committed = () => sizes(git(['rev-list', '--objects', 'HEAD']));

/** Whether this is a clone. An archive of the tree has no commits, and nothing to check. */
export const isClone = () => spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD']).status === 0;
