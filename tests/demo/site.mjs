// Site of the demo: builds its folder, and serves a folder as any static server does.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../support/processes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

/** Builds the demo around the built page, its cluster with the quick profile. Resolves to its folder, or to the one that DEMO_SITE names. */
export async function build() {
  if (process.env.DEMO_SITE) return process.env.DEMO_SITE;
  const folder = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'demo');
  await run('node', ['web/demo/build.mjs', folder, process.env.PAGE ?? 'dist', 'quick'], { cwd: root, timeout: 1_200_000 });
  return folder;
}

/** Serves a folder on a free port of 127.0.0.1. Resolves to `{ url, paths, close }`; `paths` are those of all requests. */
export async function serveFolder(folder) {
  const paths = [];
  const server = createServer(async ({ method, url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://server').pathname));
    paths.push(`${method} ${path}`);
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    try {
      const content = await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}/`, paths, close };
}
