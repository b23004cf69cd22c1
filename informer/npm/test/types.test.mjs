// The types, as a user's compiler sees them through `exports`.
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
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

/** Declarations that the examples omit. */
const CONTEXT = `import { connect, type InformerError, type LogState, type SharedInformer, type SharedInformerFactory, type WorkQueue } from "kube-informer";
interface Pod { metadata?: { name?: string }; status?: { phase?: string } }
interface Deployment { metadata?: { name?: string } }
declare const factory: SharedInformerFactory, pods: SharedInformer<Pod>, queue: WorkQueue;
declare function reconcile(key: string): Promise<void>;
declare function getToken(): Promise<string>;
`;

test('the examples in doc comments compile', async () => {
  const names = (await readdir(join(folder, 'dist'), { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  let count = 0;
  let examples = CONTEXT;
  for (const name of names) {
    const text = await readFile(join(folder, 'dist', name), 'utf8');
    for (const [, block] of text.matchAll(/```ts\n([^]*?)```/g)) {
      examples += `{\n${block.replace(/^ *\* ?/gm, '')}\n}\n`;
      count += 1;
    }
  }
  assert.ok(count >= 8, `${count} examples`);
  const file = join(home, 'examples.ts');
  await writeFile(file, examples);
  assert.equal(compile('nodenext', 'nodenext', file), '');
});

test('the examples of README that are whole programs compile in a project whose `lib` is es2022', async () => {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```js\n(import [^]*?)```/g)].map(([, code]) => code);
  assert.ok(programs.length >= 3, `${programs.length} programs`);
  for (const [at, code] of programs.entries()) {
    const file = join(home, `readme-${at}.ts`);
    await writeFile(file, `${code}\ndeclare function reconcile(key: string, object: unknown): Promise<void>;\ndeclare function getToken(): Promise<string>;\nexport {};\n`);
    assert.equal(compile('esnext', 'bundler', file, 'es2022,dom'), '', code);
  }
});

test('types that are wrong do not pass', async (t) => {
  const wrongs = [
    ['indexer', 'list(): Promise<T[]>;', 'list(): Promise<any>;'],
    ['indexer', 'list(labelSelector?: string): Promise<T[]>;', 'list(labelSelector?: unknown): Promise<T[]>;'],
    ['informer', 'readonly hasSynced: boolean;', 'hasSynced: boolean;'],
    ['connect', 'timeoutMs?: number', 'timeoutMs?: string'],
    ['factory', '  status(): FactoryStatus;', '  status(): FactoryStatus;\n  view(): void;'],
    ['error', 'readonly retryable: boolean;', 'readonly retryable: any;'],
    ['informer_options', 'mode?: "object" | "metadata";', 'mode?: string;'],
    ['workqueue', 'get(options?: { signal?: AbortSignal }): Promise<string | undefined>;', 'get(options?: { signal?: AbortSignal }): Promise<any>;'],
    ['informer', 'addIndexers(indexers: Record<string, string>)', 'addIndexers(indexers: object)'],
    ['event_handler', 'resyncPeriod?: number;', 'resyncPeriod?: any;'],
    ['client', 'get<T = KubeObject>(ref: ObjectRef, options?: RequestOptions): Promise<T>;', 'get<T = KubeObject>(ref: ObjectRef, options?: RequestOptions): Promise<any>;'],
    ['client', 'AsyncGenerator<readonly LogLine[], void, undefined>', 'AsyncGenerator<any, void, undefined>'],
    ['aggregate', 'readonly values: readonly (number | null)[];', 'readonly values: any;'],
    ['logs', 'tail?: number;', 'tail?: any;'],
    ['informer', 'search(text: string, options?: SearchOptions): Promise<SearchResult>;', 'search(text: string, options?: any): Promise<any>;'],
    ['recording', 'objectAt(key: string, time: number): Promise<T | null>;', 'objectAt(key: string, time: number): Promise<any>;'],
    ['exec', 'readonly exit: Promise<ExecExit>;', 'readonly exit: Promise<any>;'],
    ['error', 'readonly conflicts?: readonly FieldConflict[];', 'readonly conflicts?: any;'],
  ];
  for (const [name, from, to] of wrongs) {
    const file = join(folder, `dist/types/${name}.d.ts`);
    const right = await readFile(file, 'utf8');
    t.after(() => writeFile(file, right));
    assert.ok(right.includes(from), from);
    await writeFile(file, right.replace(from, to));
    assert.notEqual(compile('nodenext', 'nodenext'), '', `${to} passed`);
    await writeFile(file, right);
  }
});
