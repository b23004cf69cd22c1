// Pages that TypeDoc has generated into reference/: their sidebar, and links to them by name.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../reference/', import.meta.url));
const GROUPS = [['functions', 'Functions'], ['classes', 'Classes'], ['interfaces', 'Interfaces'], ['type-aliases', 'Types']];
const MODULES = ['kube-informer', 'kube-informer/react'];

/** Names of the pages in a folder, without their ending. */
function names(path) {
  try {
    return readdirSync(join(folder, path)).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3)).sort();
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the sidebar of each module: `{ title, groups }`. */
export function referencePages() {
  return MODULES.map((module) => ({
    title: module,
    groups: GROUPS.map(([group, text]) => ({
      text,
      collapsed: true,
      items: names(`${module}/${group}`).map((name) => ({ text: name, link: `/reference/${module}/${group}/${name}` })),
    })).filter(({ items }) => items.length > 0),
  }));
}

/**
 * Plugin of markdown-it: a link `api:Client#logs` leads to the generated page of `Client`. Relative links cannot be used,
 * because generated pages are not tracked. A name without a page fails the build.
 */
export function apiLinks(md) {
  const pages = new Map(referencePages().flatMap(({ groups }) => groups.flatMap(({ items }) => items)).map(({ text, link }) => [text, link]));
  md.core.ruler.push('api-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const [, name, hash = ''] = /^api:(\w+)(#.*)?$/.exec(token.attrGet('href') ?? '') ?? [];
      if (!name) continue;
      if (!pages.has(name)) throw new Error(`${env.relativePath}: the reference has no page of ${name}. Run "npm run reference".`);
      token.attrSet('href', `${pages.get(name)}.md${hash}`);
    }
  });
}
