// Unused exports of a wasm file, and classes of its glue that nothing uses. wasm-bindgen exports what any crate declares, and
// each export keeps its code alive: wasm-opt removes that code once the export is gone.
import { header, section, sections, encode, sized } from './wasm-file.mjs';

/** A class of wasm-bindgen's glue, with the line that follows it, and the registry that frees its objects. */
const CLASS = /^export class (\w+) \{\n[\s\S]*?^\}\nif \(Symbol\.dispose\) \1\..*\n/gm;
const REGISTRY = /^const \w+Finalization = [\s\S]*?;\n/gm;

/** Returns the glue without classes. It is an error if anything else of the glue uses one, or if one has an unknown form. */
export function withoutClasses(glue) {
  const classes = [...glue.matchAll(CLASS)].map(([, name]) => name);
  const rest = glue.replace(CLASS, '').replace(REGISTRY, '');
  const [left] = /^export class.*|^const \w+Finalization.*/m.exec(rest) ?? [];
  if (left) throw new Error(`the glue has a class of an unknown form: ${left}`);
  const used = classes.find((name) => rest.includes(name));
  if (used) throw new Error(`the glue uses its class ${used}`);
  return rest;
}

/** Returns the file with only those exports whose name `isUsed`. */
export function withoutExports(wasm, isUsed) {
  const parts = [header(wasm)];
  for (const { id, bytes, content } of sections(wasm)) {
    if (id !== 7) {
      parts.push(bytes);
      continue;
    }
    const used = [];
    for (let left = content.number(); left > 0; left--) {
      const name = content.bytes();
      const kind = content.byte();
      const index = content.number();
      if (isUsed(name.toString())) used.push(sized(name), Buffer.of(kind, ...encode(index)));
    }
    parts.push(section(id, Buffer.concat([Buffer.from(encode(used.length / 2)), ...used])));
  }
  return Buffer.concat(parts);
}
