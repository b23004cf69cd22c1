// Bundle of @kubernetes/client-node for a browser: its list, watch and cache code.
//
// It is written for Node.js. `shims/` replaces the Node.js APIs that it uses. Each shim does as little as its user
// needs, so that the contestant is measured and not the shim. The generated API client is its own, too.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const shim = (name) => join(here, 'shims', `${name}.js`);

export async function bundleClientNode(to) {
  await build({
    entryPoints: [join(here, 'pages/contestants/client-node.js')],
    outfile: to,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
    minify: true,
    alias: {
      undici: shim('undici'),
      'node:stream': shim('stream'),
      'node:readline': shim('readline'),
      'node:timers/promises': shim('timers'),
      'node:http': shim('http'),
      'node:url': shim('url'),
      url: shim('url'),
    },
    inject: [shim('unref')],
  });
}
