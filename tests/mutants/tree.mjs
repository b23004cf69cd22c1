// A copy of the working tree in which a tool may change files, kept between runs so that builds stay incremental.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}

/** Makes `to` hold what git knows below the `folders`, and what is new there. Unchanged files keep their times. */
export function copyTree(folders, to) {
  const wanted = new Set(
    git('ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...folders)
      .split('\0')
      .filter((path) => path && existsSync(path)),
  );
  for (const path of wanted) {
    const copy = join(to, path);
    if (existsSync(copy) && readFileSync(copy).equals(readFileSync(path))) continue;
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(path, copy);
    const now = new Date();
    utimesSync(copy, now, now);
  }
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
