// The documentation site: it builds, its links and anchors lead somewhere, its examples compile, and its reference is complete.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deadLinks } from './links.mjs';
import { CONTEXT, blocks, files } from './examples.mjs';

const site = fileURLToPath(new URL('../../docs/site/', import.meta.url));
const types = fileURLToPath(new URL('../../informer/npm/src/', import.meta.url));
const dist = join(site, '.vitepress/dist');
const installed = existsSync(join(site, 'node_modules/vitepress/package.json'));
const options = { skip: !installed && 'docs/site/node_modules is missing: run "npm ci --prefix docs/site"', timeout: 600_000 };

/** Names of all files below a folder, relative to it. */
const filesIn = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
const pages = () => ['index.md', ...readdirSync(join(site, 'guide')).filter((name) => name.endsWith('.md')).map((name) => `guide/${name}`)];

describe('documentation site', options, () => {
  let build;
  before(() => {
    rmSync(dist, { recursive: true, force: true });
    build = spawnSync('npm', ['run', 'build', '--silent'], { cwd: site, encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } });
  });

  test('the site builds without a warning of TypeDoc', () => {
    assert.equal(build.status, 0, `${build.stdout}${build.stderr}`);
    assert.doesNotMatch(`${build.stdout}${build.stderr}`, /\[(?:warning|error)\]/);
  });

  test('internal links and anchors of the built pages lead somewhere', () => {
    const html = filesIn(dist).filter((name) => name.endsWith('.html'));
    assert.ok(html.length > 100, `${html.length} pages`);
    const texts = new Map(html.map((name) => [name, readFileSync(join(dist, name), 'utf8')]));
    assert.deepEqual(deadLinks(texts, (path) => existsSync(join(dist, path))), []);
  });

  test('the reference has a page or a heading for each exported name', () => {
    const source = ['index.d.ts', ...readdirSync(join(types, 'types')).map((name) => `types/${name}`)].map((name) => readFileSync(join(types, name), 'utf8')).join('\n');
    const names = new Set([...source.matchAll(/^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) (\w+)/gm)].map(([, name]) => name));
    assert.ok(names.size > 80 && names.has('connect') && names.has('WorkQueue'), `${names.size} names`);
    const built = new Set(filesIn(join(dist, 'reference/kube-informer')).map((path) => path.split('/').pop().replace(/\.html$/, '')));
    assert.deepEqual([...names].filter((name) => !built.has(name)), []);
  });

  test('the search index contains the guide and the reference', () => {
    const index = filesIn(join(dist, 'assets')).find((name) => /localSearchIndex/.test(name));
    assert.ok(index, 'there is an index');
    const text = readFileSync(join(dist, 'assets', index), 'utf8');
    assert.ok(text.includes('guide/cookbook') && text.includes('reference/kube-informer/interfaces/WorkQueue'));
  });

  test('no page loads a file of another host', () => {
    const foreign = filesIn(dist).filter((name) => /\.(?:html|css)$/.test(name)).flatMap((name) => {
      const text = readFileSync(join(dist, name), 'utf8');
      return [...text.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="(https?:[^"]+)"|url\((["']?)(https?:[^)"']+)/g)].map(([found]) => `${name}: ${found}`);
    });
    assert.deepEqual(foreign, []);
  });
});

describe('examples of the guide', options, () => {
  const home = mkdtempSync(join(tmpdir(), 'kube-informer-docs-'));
  after(() => rmSync(home, { recursive: true }));

  /** Returns the output of tsc for files by name; empty if they compile. */
  function compile(sources) {
    const folder = mkdtempSync(join(home, 'examples-'));
    const modules = join(site, 'node_modules');
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    for (const name of ['react', 'csstype']) {
      const from = name === 'react' ? '@types/react' : name;
      if (existsSync(join(modules, from))) symlinkSync(join(modules, from), join(folder, 'node_modules', from));
    }
    const entry = (name) => [join(types, `${name}.d.ts`)];
    const compilerOptions = {
      target: 'esnext', module: 'esnext', moduleResolution: 'bundler', lib: ['esnext', 'dom'], types: [], jsx: 'react-jsx', strict: true, noEmit: true,
      paths: { 'kube-informer': entry('index'), 'kube-informer/react': entry('react'), 'kube-informer/slim': entry('slim') },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '--project', folder], { encoding: 'utf8' });
    return status === 0 ? '' : `${stdout}${stderr}`;
  }

  test('each block of ts, js and tsx compiles against the types of the package', () => {
    const found = pages().flatMap((page) => blocks(page, readFileSync(join(site, page), 'utf8')));
    assert.ok(found.length >= 25, `${found.length} blocks`);
    assert.equal(compile({ 'context.d.ts': CONTEXT, ...files(found) }), '');
  });

  test('a block with a wrong type or an unknown name does not compile', () => {
    const wrong = ['pods.status.phase === "flying";', 'factory.forResourse("v1/pods");', 'const bytes: string = pods.status.bytes;', 'unknownName();'];
    const found = blocks('wrong.md', wrong.map((code) => `\`\`\`ts\n${code}\n\`\`\`\n`).join('\n'));
    const output = compile({ 'context.d.ts': CONTEXT, ...files(found) });
    assert.deepEqual(found.filter(({ name }) => !output.includes(`${name}.ts`)), [], output);
  });

  test('each block names a language that the check knows', () => {
    const languages = pages().flatMap((page) => [...readFileSync(join(site, page), 'utf8').matchAll(/^```(\S*)[^]*?^```$/gm)].map(([, language]) => `${dirname(page)}: ${language}`));
    assert.deepEqual(languages.filter((name) => !/: (?:ts|js|tsx|sh|javascript|html|text)$/.test(name)), []);
  });
});
