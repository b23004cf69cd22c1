// The working tree, as mutation testing needs it: a copy in which a tool may change files, kept between runs so that builds
// stay incremental, and which lines have changed.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}

/** Copies the tracked and new files below the `folders` to `to`. Unchanged files keep their times. */
export function copyTree(folders, to) {
  const known = git('ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...folders).split('\0');
  copyFiles('.', to, known.filter((path) => path && existsSync(path)));
}

/** Copies the contents of `from` to `to`. */
export const copyFolder = (from, to) => copyFiles(from, to, [...files(from)]);

function copyFiles(from, to, paths) {
  for (const path of paths) {
    const [original, copy] = [join(from, path), join(to, path)];
    if (existsSync(copy) && readFileSync(copy).equals(readFileSync(original))) continue;
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(original, copy);
    const now = new Date();
    utimesSync(copy, now, now);
  }
  const wanted = new Set(paths);
  for (const path of files(to)) if (!wanted.has(path)) rmSync(join(to, path));
}

function* files(root, below = '') {
  if (!existsSync(root)) return;
  for (const name of readdirSync(join(root, below))) {
    const path = join(below, name);
    if (statSync(join(root, path)).isDirectory()) yield* files(root, path);
    else yield path;
  }
}

/** The commit that a change is compared with: BASE, else where this branch left main, else the last commit but one. */
export function base() {
  if (process.env.BASE) return git('rev-parse', process.env.BASE).trim();
  const head = git('rev-parse', 'HEAD').trim();
  for (const main of ['origin/main', 'main']) {
    try {
      const from = git('merge-base', 'HEAD', main).trim();
      if (from !== head) return from;
    } catch {
      // There is no such branch here.
    }
  }
  return git('rev-parse', 'HEAD~1').trim();
}

/** By file, the first and last lines of the ranges that a diff adds. */
export function changedLines(diff) {
  const lines = new Map();
  let file;
  for (const line of diff.split('\n')) {
    file = line.match(/^\+\+\+ b\/(.*)$/)?.[1] ?? file;
    const [, first, count = '1'] = line.match(/^@@ \S+ \+(\d+)(?:,(\d+))? @@/) ?? [];
    if (!first || +count === 0) continue;
    if (!lines.has(file)) lines.set(file, []);
    lines.get(file).push([+first, +first + +count - 1]);
  }
  return lines;
}
