// Short names of imports. wasm-bindgen gives each a hash, which is in both wasm and glue and compresses badly. Here
// each becomes a letter or two in both files: 10 KB less gzip for the page, 6 of them in the wasm.
//
//   node .ci/short-imports.mjs FILE.wasm GLUE.js MODULE     changes both files; MODULE is the glue's name in the wasm
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const encode = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...encode(Math.floor(number / 128))]);
const sized = (bytes) => [...encode(bytes.length), ...bytes];

/** Reads numbers and texts from a position of the file. */
class Reader {
  constructor(wasm, at) {
    this.wasm = wasm;
    this.at = at;
  }

  number() {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.wasm[this.at++];
      number += (byte & 127) * factor;
      if (byte < 128) return number;
    }
  }

  bytes() {
    const length = this.number();
    return this.wasm.subarray(this.at, (this.at += length));
  }
}

/**
 * Shortens the names of all functions that a wasm file imports from `module`. Returns the new file, and the short names by the
 * long ones. Imports of another kind are an error: wasm-bindgen makes none.
 */
export function shortenImports(wasm, module) {
  const short = new Map();
  const parts = [wasm.subarray(0, 8)];
  for (const reader = new Reader(wasm, 8); reader.at < wasm.length; ) {
    const start = reader.at;
    const id = wasm[reader.at++];
    const section = new Reader(wasm, reader.at);
    reader.bytes();
    if (id !== 2) {
      parts.push(wasm.subarray(start, reader.at));
      continue;
    }
    section.number(); // its length
    const count = section.number();
    const imports = [...encode(count)];
    for (let at = 0; at < count; at++) {
      const from = section.bytes();
      const name = section.bytes().toString();
      if (wasm[section.at++] !== 0) throw new Error(`the import ${name} is no function`);
      const type = section.number();
      const isOurs = from.toString() === module;
      if (isOurs && !short.has(name)) short.set(name, short.size.toString(36));
      imports.push(...sized([...from]), ...sized([...Buffer.from(isOurs ? short.get(name) : name)]), 0, ...encode(type));
    }
    parts.push(Buffer.of(2, ...encode(imports.length), ...imports));
  }
  return { wasm: Buffer.concat(parts), short };
}

/** Returns the glue with short names in its table of imports, where each is a key. */
export function shortenKeys(glue, short) {
  let renamed = 0;
  const text = glue.replace(/^( +)(\w+)(?=: function\(|: \(|,$)/gm, (whole, blanks, name) => {
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
