// Build stamps: whether inputs and outputs are unchanged since they were recorded, by their content.
//
//   node .ci/unchanged.mjs STAMP OPTIONS INPUT... -- OUTPUT...            exits with 0 if unchanged, 1 otherwise
//   node .ci/unchanged.mjs --record STAMP OPTIONS INPUT... -- OUTPUT...   records the current state
//
// Modification times are ignored: a checkout changes them, and another branch may have built in between.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Names that are skipped below a given folder. A path that is given itself is always hashed. */
const IGNORED = /^(node_modules|target|test|tests|fuzz|dist|proptest-regressions|.*\.(md|tgz|log))$/;

function addTo(hash, path, isGiven) {
  if (!isGiven && IGNORED.test(path.split('/').at(-1))) return;
  const stat = statSync(path, { throwIfNoEntry: false });
  hash.update(`${path}\0${stat ? stat.isDirectory() : 'missing'}\0`);
  if (!stat) return;
  if (!stat.isDirectory()) hash.update(createHash('sha256').update(readFileSync(path)).digest());
  else for (const name of readdirSync(path).sort()) addTo(hash, join(path, name), false);
}

/** Returns a hash of the content and names of all files below these paths. */
export function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, path, true);
  return hash.digest('hex');
}

/** Version of rustc, and RUSTFLAGS: to be passed as options. */
export function toolchain() {
  try {
    return `${execFileSync('rustc', ['--version'], { encoding: 'utf8' }).trim()} ${process.env.RUSTFLAGS ?? ''}`;
  } catch {
    return 'no rustc'; // .ci/setup says how to get one
  }
}

const content = (inputs, outputs, options) => `${fingerprint(inputs)} ${fingerprint(outputs)} ${options}\n`;

/** Whether inputs, outputs and options are those that `record` stored. */
export function isUnchanged(stamp, inputs, outputs, options = '') {
  try {
    return readFileSync(stamp, 'utf8') === content(inputs, outputs, options);
  } catch {
    return false; // nothing is recorded
  }
}

/** Stores the current inputs, outputs and options. */
export function record(stamp, inputs, outputs, options = '') {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, content(inputs, outputs, options));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const words = process.argv.slice(2);
  const isRecord = words[0] === '--record';
  const [stamp, options, ...paths] = isRecord ? words.slice(1) : words;
  const middle = paths.indexOf('--');
  const [inputs, outputs] = [paths.slice(0, middle), paths.slice(middle + 1)];
  if (isRecord) record(stamp, inputs, outputs, options);
  else process.exit(isUnchanged(stamp, inputs, outputs, options) ? 0 : 1);
}
