// Short names of imports. wasm-bindgen gives each a hash, which is in both wasm and glue and compresses badly. Here
// each becomes a letter or two in both files: 10 KB less gzip for the page, 6 of them in the wasm.
//
//   node .ci/short-imports.mjs FILE.wasm GLUE.js MODULE     changes both files; MODULE is the glue's name in the wasm
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { encode, header, section, sections, sized } from './wasm-file.mjs';

/**
 * Shortens the names of all functions that a wasm file imports from `module`. Returns the new file, and the short names by the
 * long ones. Imports of another kind are an error: wasm-bindgen makes none.
 */
export function shortenImports(wasm, module) {
  const short = new Map();
  const parts = [header(wasm)];
  for (const { id, bytes, content } of sections(wasm)) {
    if (id !== 2) {
      parts.push(bytes);
      continue;
    }
    const count = content.number();
    const imports = [Buffer.from(encode(count))];
    for (let at = 0; at < count; at++) {
      const from = content.text();
      const name = content.text();
      if (content.byte() !== 0) throw new Error(`the import ${name} is no function`);
      const type = content.number();
      const isOurs = from === module;
      if (isOurs && !short.has(name)) short.set(name, short.size.toString(36));
      imports.push(sized(Buffer.from(from)), sized(Buffer.from(isOurs ? short.get(name) : name)), Buffer.of(0, ...encode(type)));
    }
    parts.push(section(id, Buffer.concat(imports)));
  }
  return { wasm: Buffer.concat(parts), short };
}

/** An entry of the glue's table of imports. */
const ENTRY = /^ {8}(\w+): function\([\s\S]*?^ {8}\}.*,\n/gm;

/**
 * Returns the glue with short names in its table of imports, where each is a key, and without the functions that the wasm no
 * longer imports.
 */
export function shortenKeys(glue, short) {
  let renamed = 0;
  const used = glue.replace(ENTRY, (entry, name) => (short.has(name) ? entry : ''));
  const text = used.replace(/^( +)(\w+)(?=: function\(|: \(|,$)/gm, (whole, blanks, name) => {
    if (!short.has(name)) return whole;
    renamed += 1;
    return `${blanks}"${short.get(name)}"`;
  });
  if (renamed !== short.size) throw new Error(`${short.size - renamed} imports are not found in the glue`);
  return text;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, glue, module] = process.argv.slice(2);
  const { wasm, short } = shortenImports(readFileSync(file), module);
  writeFileSync(glue, shortenKeys(readFileSync(glue, 'utf8'), short));
  writeFileSync(file, wasm);
}
