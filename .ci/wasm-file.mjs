// The binary format of wasm files: numbers, byte strings and sections.

/** Encodes a number as LEB128. */
export const encode = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...encode(Math.floor(number / 128))]);
/** Bytes with their length before them. */
export const sized = (bytes) => Buffer.concat([Buffer.from(encode(bytes.length)), Buffer.from(bytes)]);
/** A section with this content. */
export const section = (id, content) => Buffer.concat([Buffer.of(id), sized(content)]);

/** Reads from a position of a file. */
export class Reader {
  constructor(wasm, at) {
    this.wasm = wasm;
    this.at = at;
  }

  byte() {
    return this.wasm[this.at++];
  }

  number() {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      number += (byte & 127) * factor;
      if (byte < 128) return number;
    }
  }

  bytes() {
    const length = this.number();
    return this.wasm.subarray(this.at, (this.at += length));
  }

  text() {
    return this.bytes().toString();
  }
}

/** The bytes of a file before its first section. */
export const header = (wasm) => wasm.subarray(0, 8);

/** Iterates over the sections of a file: the id, all bytes, and a reader of the content. */
export function* sections(wasm) {
  for (const reader = new Reader(wasm, header(wasm).length); reader.at < wasm.length; ) {
    const start = reader.at;
    const id = reader.byte();
    const length = reader.number();
    const content = new Reader(wasm, reader.at);
    reader.at += length;
    yield { id, bytes: wasm.subarray(start, reader.at), content };
  }
}
