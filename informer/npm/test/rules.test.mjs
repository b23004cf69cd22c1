// Rules of the package, in each engine host: the scenarios of rules.ts, as a user's compiler sees them, and in a page.
import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compiler } from './compile.mjs';
import { PATIENCE, inEachHost, openPage, setStage } from './stage.mjs';
import { root } from './tarball.mjs';

const { transform } = createRequire(join(root, 'tests/package.json'))('esbuild');
const source = fileURLToPath(new URL('rules.ts', import.meta.url));
const stage = await setStage();
after(() => stage.end());
const { code } = await transform(await readFile(source, 'utf8'), { loader: 'ts', target: 'es2022' });
stage.front.made.set('/made/rules.js', code);
const names = [...code.matchAll(/^ {2}async "(.+)"\(/gm)].map(([, name]) => name);

test('the scenarios have the types of the package', async () => {
  const home = dirname(dirname(stage.folder));
  const compile = compiler(home);
  const copy = join(home, 'rules.ts');
  await copyFile(source, copy);
  for (const [module, resolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) assert.equal(compile(module, resolution, copy), '', resolution);
  assert.ok(names.length >= 7, `${names.length} scenarios`);
});

inEachHost(stage, ['shared', 'elected', 'dedicated', false], (inPage, worker, context) => {
  let opened;
  for (const [at, name] of names.entries()) {
    test(name, { timeout: PATIENCE }, async () => {
      opened ??= await openPage(stage, context);
      await opened.page.evaluate(([name, worker, id]) => import('/made/rules.js').then(({ run }) => run(name, worker, id)), [name, worker, `rules-${worker || 'page'}-${at}`]);
      assert.deepEqual(await opened.page.evaluate('unhandled'), []);
      assert.deepEqual(opened.errors, []);
    });
  }
});
