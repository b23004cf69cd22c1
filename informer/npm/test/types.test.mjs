// The types, as a user's compiler sees them through `exports`.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compiler } from './compile.mjs';
import { unpack } from './tarball.mjs';

const { home, folder, remove } = await unpack();
after(remove);
const compile = compiler(home);

for (const [module, resolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) {
  test(`the surface has the types that it should have (${resolution})`, async () => {
    assert.equal(compile(module, resolution), '');
  });
}

test('types that are wrong do not pass', async (t) => {
  const types = join(folder, 'dist/index.d.ts');
  const right = await readFile(types, 'utf8');
  t.after(() => writeFile(types, right));
  const wrongs = [
    ['list(): Promise<T[]>;', 'list(): Promise<any>;'],
    ['list(labelSelector?: string): Promise<T[]>;', 'list(labelSelector?: unknown): Promise<T[]>;'],
    ['readonly hasSynced: boolean;', 'hasSynced: boolean;'],
    ['timeoutMs?: number', 'timeoutMs?: string'],
    ['  status(): FactoryStatus;', '  status(): FactoryStatus;\n  view(): void;'],
    ['readonly retryable: boolean;', 'readonly retryable: any;'],
    ['mode?: "object" | "metadata";', 'mode?: string;'],
    ['get(options?: { signal?: AbortSignal }): Promise<string | undefined>;', 'get(options?: { signal?: AbortSignal }): Promise<any>;'],
    ['addIndexers(indexers: Record<string, string>)', 'addIndexers(indexers: object)'],
    ['resyncPeriod?: number;', 'resyncPeriod?: any;'],
  ];
  for (const [from, to] of wrongs) {
    assert.ok(right.includes(from), from);
    await writeFile(types, right.replace(from, to));
    assert.notEqual(compile('nodenext', 'nodenext'), '', `${to} passed`);
  }
});
