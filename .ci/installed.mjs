// Check of installed npm packages: whether a folder has the versions of its package-lock.json, however they were
// installed:
//
//   node .ci/installed.mjs tests build   the `dependencies`
//   node .ci/installed.mjs tests test    those and the `devDependencies`
//   node .ci/installed.mjs tests any     whether any of the `devDependencies` is installed, in any version
//
// npm writes the installed packages into node_modules/.package-lock.json at the end of an installation.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const packages = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

export function isInstalled(folder, goal) {
  const wanted = Object.entries(packages(join(folder, 'package-lock.json'))).filter(([path]) => path !== '');
  const isThere = ([path]) => existsSync(join(folder, path, 'package.json'));
  if (goal === 'any') return wanted.some((entry) => entry[1].dev && isThere(entry));
  const record = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packages(record);
  // An optional package is installed on one platform only.
  const needed = wanted.filter(([path, { dev, optional }]) => (goal === 'test' || !dev) && (!optional || path in installed));
  return needed.every((entry) => isThere(entry) && installed[entry[0]]?.version === entry[1].version);
}

if (argv[1] === fileURLToPath(import.meta.url)) exit(isInstalled(argv[2], argv[3]) ? 0 : 1);
