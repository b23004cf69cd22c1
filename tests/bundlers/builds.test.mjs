// What bundlers other than Vite build with `npm run build`, and no bundler at all, opened in Chromium beside the embedded apiserver.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../support/processes.mjs';
import { project, showsPods, startApiserver } from './project.mjs';

async function opens(folder, page = '') {
  const api = await startApiserver(folder);
  try {
    await showsPods(`${api.url}/ui/${page}`, api.url);
  } finally {
    await api.stop();
  }
}

/** Text of a module and of all modules that it imports. */
async function withImports(folder, name, read = new Set()) {
  if (read.has(name)) return '';
  read.add(name);
  const text = await readFile(join(folder, name), 'utf8');
  const imported = [...text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g)].map(([, other]) => withImports(folder, other, read));
  return [text, ...(await Promise.all(imported))].join('');
}

for (const bundler of ['esbuild', 'parcel', 'rollup', 'rspack', 'webpack']) {
  describe(bundler, { timeout: 600_000 }, () => {
    test('what it builds shows the pods', async () => {
      const home = await project(bundler);
      await run('npm', ['run', 'build', '--prefix', home, '--silent']);
      await opens(join(home, 'dist'));
    });

    test('a worker file of the user keeps the import of the package', async () => {
      const home = await project(bundler);
      await writeFile(join(home, 'main.js'), 'import "kube-informer/worker";\n');
      await run('npm', ['run', 'build', '--prefix', home, '--silent']);
      const dist = join(home, 'dist');
      const [, main] = /<script[^>]* src="?(?:\.\/)?([\w.-]+)/.exec(await readFile(join(dist, 'index.html'), 'utf8'));
      assert.match(await withImports(dist, main), /\bonconnect\b/);
    });
  });
}

test('without a bundler, an import map is enough', { timeout: 600_000 }, async () => {
  const home = await project('esbuild');
  const map = '<script type="importmap">{ "imports": { "kube-informer": "./node_modules/kube-informer/dist/index.js" } }</script>';
  const page = await readFile(join(home, 'index.html'), 'utf8');
  await writeFile(join(home, 'index.html'), page.replace('</head>', `${map}</head>`));
  await opens(home);
});
