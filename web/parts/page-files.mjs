// Page files: the built page as responses, for clusters.mjs. With one cluster, `kubectl proxy` serves them.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The path that all clusters load the page's files from: a browser keeps each file once, and one worker serves all clusters. */
export const FILES = '/ui/';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.json': 'application/json', '.txt': 'text/plain' };
/** Attributes of the page's HTML that name its files, relative to it. */
const LINKS = /\b(href|src|data-js|data-wasm)="(?:\.\/)?(?![/#]|[a-z]+:)([^"]+)"/g;
/** A path whose segments are names of files: no dots alone, no separator of Windows. */
const PLAIN = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.@-]+(?:\/[\w.@-]+)*$/;
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * Returns `respond(name, headers)`, which resolves to the response with a file of the folder to a request with these headers. HTML names
 * its files below `FILES`, so that it can be at any path.
 */
export function pageFiles(folder) {
  return async (name, { 'if-none-match': known }) => {
    const type = TYPES[extname(name)];
    if (!type || !PLAIN.test(name)) return missing(name);
    try {
      const content = await readFile(join(folder, name));
      const body = type === TYPES['.html'] ? content.toString().replaceAll(LINKS, `$1="${FILES}$2"`) : content;
      const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
      const headers = {
        'content-type': /^(text|application\/json)/.test(type) ? `${type}; charset=utf-8` : type,
        // Another version may be served at the same address next time: the browser asks whether its copy is this one.
        'cache-control': 'no-cache',
        etag,
        // Another web page must not show this one in a frame and let the user click in it.
        'content-security-policy': "frame-ancestors 'self'",
        'x-content-type-options': 'nosniff',
      };
      return known === etag ? { status: 304, headers } : { status: 200, headers, body };
    } catch {
      return missing(name);
    }
  };
}

const missing = (name) => ({ status: 404, headers: TEXT, body: `The page has no file ${JSON.stringify(name)}.\n` });
