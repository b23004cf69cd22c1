// Page: makes dist/ from www/index.html and the linked wasm, as Trunk 0.21 and its hook do
// (tests/runner/same-page.test.mjs).
//
// `assemble` is Trunk's part. It supports the asset links `css`, `copy-file` and `copy-dir`; others are an error.
// `place` adds the wasm and its glue, also in Trunk's hook: Trunk cannot make the two wasm files.
import { createHash } from 'node:crypto';
import { cp, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Link of Trunk's with the white space around it, which Trunk keeps. */
const LINK = /<link\s[^>]*\bdata-trunk\b[^>]*>/g;
/** Link to a style whose name contains its hash. */
const STYLE = /<link rel="stylesheet" href="([^"]*?)([\w.]+)-([0-9a-f]+)\.css" integrity="([^"]*)"/g;
/** Script that receives the names of the wasm and its glue. */
const SCRIPT = '<script src="boot.js"></script>';
const attribute = (tag, name) => tag.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1];
/** Hash of contents for file names, so that a browser may cache a file forever. */
const shortHash = (...contents) => contents.reduce((hash, content) => hash.update(content), createHash('sha256')).digest('hex').slice(0, 16);
const integrityOf = (content) => `sha384-${createHash('sha384').update(content).digest('base64')}`;

/** The built npm package, as www/index.html names it. */
const PACKAGE = '../informer/npm/dist';

/**
 * Reads the parts of the page. `packed` is another folder with the built npm package than the one that the page names.
 *
 * Resolves to `{ html, folder, links, base, usesPackage }`: `usesPackage` tells that files of the built npm package are copied.
 */
export async function describe(index, trunkToml, packed) {
  // Links in comments do not count.
  const html = await readFile(index, 'utf8');
  const bare = html.replace(/<!--[\s\S]*?-->/g, '');
  const links = [...bare.matchAll(LINK)].map(([tag]) => ({ tag, rel: attribute(tag, 'rel'), href: attribute(tag, 'href'), to: attribute(tag, 'data-target-path') ?? '' }));
  const unknown = links.find(({ rel }) => !['css', 'copy-file', 'copy-dir'].includes(rel));
  if (unknown) throw new Error(`${index}: web/build/page.mjs does not know this link of Trunk's: ${unknown.tag}`);
  const base = (await readFile(trunkToml, 'utf8')).match(/^public_url = "([^"]*)"$/m)?.[1];
  if (base === undefined) throw new Error(`${trunkToml} has no public_url`);
  const usesPackage = links.some(({ href }) => href.startsWith(PACKAGE));
  if (packed) for (const link of links) link.href = link.href.replace(PACKAGE, () => packed);
  return { html, folder: dirname(index), links, base, usesPackage };
}

/** Writes the page into the folder `dist`, without wasm. */
export async function assemble({ html, folder, links, base }, dist) {
  let page = html;
  for (const { tag, rel, href, to } of links) {
    const from = resolve(folder, href);
    let instead = '';
    if (rel === 'css') {
      const css = await readFile(from);
      const file = `${basename(href, '.css')}-${shortHash(css)}.css`;
      const integrity = integrityOf(css);
      await writeFile(join(dist, file), css);
      instead = `<link rel="stylesheet" href="${base}${file}" integrity="${integrity}"/>`;
    } else if (rel === 'copy-file') {
      await cp(from, join(dist, to, basename(href)));
    } else {
      await cp(from, join(dist, to || basename(href)), { recursive: true });
    }
    page = page.replace(tag, () => instead);
  }
  await writeFile(join(dist, 'index.html'), page);
}

/** Files of a linked crate: the glue, the wasm that it loads, and the wasm that is loaded later. */
export const linkedFiles = (name) => [`${name}.js`, `${name}_bg.wasm`, `${name}_deferred.wasm`];

/**
 * Puts the linked files of a crate into a page, and names them there. They share a hash, so that no file meets one of another
 * build; the glue finds the deferred wasm by its own name (web/build/deferred.js).
 */
export async function place(name, linked, dist) {
  const files = linkedFiles(name);
  const contents = await Promise.all(files.map((file) => readFile(join(linked, file))));
  const hash = shortHash(...contents);
  const [js, wasm] = await Promise.all(
    files.map(async (file, at) => {
      const placed = file.replace(name, `${name}-${hash}`);
      await writeFile(join(dist, placed), contents[at]);
      return placed;
    }),
  );
  // JavaScript snippets of crates.
  if ((await readdir(linked)).includes('snippets')) await cp(join(linked, 'snippets'), join(dist, 'snippets'), { recursive: true });
  const index = join(dist, 'index.html');
  const html = await readFile(index, 'utf8');
  if (!html.includes(SCRIPT)) throw new Error(`${index} has no ${SCRIPT}`);
  const named = html.replace(SCRIPT, () => `<script src="boot.js" data-js="./${js}" data-wasm="./${wasm}"></script>`);
  const whole = named.replace('</head>', () => `<link rel="modulepreload" href="./${js}"></head>`);
  // Comments and blank lines are for the readers of www/index.html.
  await writeFile(index, whole.replace(/\s*<!--[\s\S]*?-->/g, '').replace(/\n\s*\n/g, '\n'));
}

/** Renames the styles of a page, which were minified after they had got their names, and corrects their integrity. */
export async function renameStyles(dist) {
  const index = join(dist, 'index.html');
  const html = await readFile(index, 'utf8');
  let renamed = html;
  for (const [link, base, name, hash, integrity] of html.matchAll(STYLE)) {
    const content = await readFile(join(dist, `${name}-${hash}.css`));
    const file = `${name}-${shortHash(content)}.css`;
    await rename(join(dist, `${name}-${hash}.css`), join(dist, file));
    renamed = renamed.replace(link, () => link.replace(`${base}${name}-${hash}.css`, `${base}${file}`).replace(integrity, integrityOf(content)));
  }
  await writeFile(index, renamed);
}
