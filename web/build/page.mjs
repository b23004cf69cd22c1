// The page: makes dist/ from www/index.html and the linked wasm, as Trunk 0.21 does (tests/runner/same-page.test.mjs).
//
// Of Trunk's asset links these are known: `rust`, `css`, `copy-file` and `copy-dir`. Another one is an error.
import { createHash } from 'node:crypto';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A link of Trunk's with the white space around it, which Trunk leaves. */
const LINK = /<link\s[^>]*\bdata-trunk\b[^>]*>/g;
const attribute = (tag, name) => tag.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1];
/** What differs in content differs in name, so that a browser may keep a file forever. */
const shortHash = (...contents) => contents.reduce((hash, content) => hash.update(content), createHash('sha256')).digest('hex').slice(0, 16);

/**
 * Reads what the page consists of.
 *
 * Resolves to `{ html, folder, links, crate, patterns, usesPackage }`: `crate` is `{ name, optimisation }`, the latter the
 * level for wasm-opt or undefined; `usesPackage` tells that files of the built npm package are copied.
 */
export async function describe(index, trunkToml) {
  // Comments may contain a link; what they say is no part of the page.
  const html = await readFile(index, 'utf8');
  const bare = html.replace(/<!--[\s\S]*?-->/g, '');
  const links = [...bare.matchAll(LINK)].map(([tag]) => ({ tag, rel: attribute(tag, 'rel'), href: attribute(tag, 'href'), to: attribute(tag, 'data-target-path') ?? '' }));
  const unknown = links.find(({ rel }) => !['rust', 'css', 'copy-file', 'copy-dir'].includes(rel));
  if (unknown) throw new Error(`${index}: web/build/page.mjs does not know this link of Trunk's: ${unknown.tag}`);
  const rust = links.filter(({ rel }) => rel === 'rust');
  if (rust.length !== 1) throw new Error(`${index} must have one link with rel="rust", and has ${rust.length}`);
  const toml = await readFile(trunkToml, 'utf8');
  const setting = (name) => {
    const value = toml.match(new RegExp(`^${name} = (?:'([^']*)'|"([^"]*)")$`, 'm'));
    if (!value) throw new Error(`${trunkToml} has no ${name}`);
    return value[1] ?? value[2];
  };
  return {
    html,
    folder: dirname(index),
    links,
    crate: { name: attribute(rust[0].tag, 'data-bin'), optimisation: attribute(rust[0].tag, 'data-wasm-opt') },
    patterns: { base: setting('public_url'), script: setting('pattern_script'), preload: setting('pattern_preload') },
    usesPackage: links.some(({ href }) => href.startsWith('../informer/npm/dist')),
  };
}

/** Writes the page into the folder `dist`. `linked` has what wasm-bindgen and wasm-opt have made of the crate. */
export async function assemble({ html, folder, links, crate: { name }, patterns }, linked, dist) {
  const [wasm, js] = [await readFile(join(linked, `${name}_bg.wasm`)), await readFile(join(linked, `${name}.js`))];
  const hash = shortHash(wasm, js);
  const files = { base: patterns.base, js: `${name}-${hash}.js`, wasm: `${name}-${hash}_bg.wasm` };
  const fill = (pattern) => pattern.replace(/\{(\w+)\}/g, (whole, key) => files[key] ?? whole);
  await writeFile(join(dist, files.js), js);
  await writeFile(join(dist, files.wasm), wasm);
  // JavaScript that crates bring along.
  if ((await readdir(linked)).includes('snippets')) await cp(join(linked, 'snippets'), join(dist, 'snippets'), { recursive: true });

  let page = html;
  for (const { tag, rel, href, to } of links) {
    const from = join(folder, href);
    let instead = '';
    if (rel === 'rust') {
      instead = fill(patterns.script);
    } else if (rel === 'css') {
      const css = await readFile(from);
      const file = `${basename(href, '.css')}-${shortHash(css)}.css`;
      const integrity = `sha384-${createHash('sha384').update(css).digest('base64')}`;
      await writeFile(join(dist, file), css);
      instead = `<link rel="stylesheet" href="${patterns.base}${file}" integrity="${integrity}"/>`;
    } else if (rel === 'copy-file') {
      await cp(from, join(dist, to, basename(href)));
    } else {
      await cp(from, join(dist, to || basename(href)), { recursive: true });
    }
    page = page.replace(tag, () => instead);
  }
  await writeFile(join(dist, 'index.html'), page.replace('</head>', () => `${fill(patterns.preload)}</head>`));
}
