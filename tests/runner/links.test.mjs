// Links of documents: relative links in tracked Markdown lead to tracked files and folders, and to headings that exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isClone, staged } from './tracked.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const options = { skip: !isClone() && 'this is no clone of the repository' };

/** Targets of the links and images of a text, without those in code. */
function targets(text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  const inline = prose.matchAll(/\]\(<?([^)>\s]+)>?(?:\s+"[^"]*")?\)/g);
  const attributes = prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g);
  const references = prose.matchAll(/^\[[^\]]+\]:\s*<?(\S+?)>?$/gm);
  return [...inline, ...attributes, ...references].map(([, target]) => target);
}

/** Anchors of the headings of a text, as GitHub names them. */
function anchors(text) {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+\s+(.*?)\s*#*$/gm);
  return [...headings].map(([, heading]) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

/** Links of a document that lead nowhere; `read` returns the text of a tracked file, null for others. */
function broken(path, text, paths, read) {
  const isThere = (target) => target === '.' || paths.some((known) => known === target || known.startsWith(`${target}/`));
  return targets(text)
    .filter((target) => !/^[a-z][a-z+.-]*:|^\/\//i.test(target))
    .filter((target) => {
      const [file, anchor] = target.split('#');
      const to = file ? posix.normalize(posix.join(posix.dirname(path), decodeURI(file))).replace(/\/$/, '') : path;
      if (!isThere(to)) return true;
      return Boolean(anchor) && to.endsWith('.md') && !anchors(to === path ? text : read(to)).includes(anchor);
    })
    .map((target) => `${path}: ${target}`);
}

test('relative links of documents lead somewhere', options, () => {
  const paths = staged().map(({ path }) => path);
  const documents = paths.filter((path) => path.endsWith('.md'));
  assert.ok(documents.includes('README.md'), 'the documents are found');
  const read = (path) => readFileSync(`${root}/${path}`, 'utf8');
  assert.deepEqual(documents.flatMap((path) => broken(path, read(path), paths, read)), []);
});

test('a link that leads nowhere is found', () => {
  const paths = ['docs/a.md', 'docs/pictures/b.png', 'c.md'];
  const of = (text) => broken('docs/a.md', text, paths, () => '## One `two`, three\n');
  assert.deepEqual(of('[b](pictures/b.png) ![](pictures) [c](../c.md#one-two-three) [web](https://example.com/x) `[x](y)`'), []);
  assert.deepEqual(of('[b](b.png) [c](../c.md#four)'), ['docs/a.md: b.png', 'docs/a.md: ../c.md#four']);
  assert.deepEqual(of('<img src="d.png">\n\n[e]: e.md\n\n```\n[f](f.md)\n```\n'), ['docs/a.md: d.png', 'docs/a.md: e.md']);
  assert.deepEqual(of('## Here\n\n[here](#here) [there](#there)'), ['docs/a.md: #there']);
});
