// Archive: a .tar.gz of a folder that depends on names and contents only. GNU tar could write it as well, the tar of macOS could not.
import { readFile, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
const padded = (content) => Buffer.concat([content, Buffer.alloc(-content.length & (BLOCK - 1))]);
const octal = (value, digits) => `${value.toString(8).padStart(digits, '0')}\0`;

/**
 * Header of an entry in the format ustar: owner 0, time 0. For files of the time 0, `kubectl proxy` sends no Last-Modified, so
 * that no browser reuses files of an earlier version without a request.
 */
function header(name, size) {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for an archive: ${name}`);
  const isFolder = name.endsWith('/');
  const fields = [[0, name], [100, octal(isFolder ? 0o755 : 0o644, 7)], [108, octal(0, 7)], [116, octal(0, 7)], [124, octal(size, 11)], [136, octal(0, 11)], [148, ' '.repeat(8)], [156, isFolder ? '5' : '0'], [257, 'ustar\x0000']];
  for (const [at, text] of fields) block.write(text, at, 'latin1');
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Returns the archive of a folder's files, below the folder `top` in the archive, sorted by name. */
export async function archiveOf(folder, top) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.map((entry) => {
    if (!entry.isFile() && !entry.isDirectory()) throw new Error(`${join(entry.parentPath, entry.name)} is neither a file nor a folder`);
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll(sep, '/');
    return entry.isDirectory() ? `${path}/` : path;
  });
  const blocks = [header(`${top}/`, 0)];
  for (const name of names.sort()) {
    const content = name.endsWith('/') ? Buffer.alloc(0) : await readFile(join(folder, name));
    blocks.push(header(`${top}/${name}`, content.length), padded(content));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}
