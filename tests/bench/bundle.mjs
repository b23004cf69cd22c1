// The list, watch and cache code of @kubernetes/client-node, bundled for a browser.
//
// It is written for Node.js. What it takes from there is given by `pages/shims/`: each shim does as little as its
// user needs, so that the contestant is measured and not the shim. The generated API client is its own, too.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const shim = (name) => join(here, 'shims', `${name}.js`);

export const shims = {
  undici: "fetch is the browser's own",
  'node:stream': 'Readable.fromWeb pumps the reader and tells "data"',
  'node:readline': 'createInterface decodes with TextDecoder and cuts at line ends',
  'node:timers/promises': 'setTimeout as a promise',
  'node:http': 'STATUS_CODES only',
  url: 'URL and URLSearchParams of the browser',
  'setTimeout().unref()': 'a timer of Node.js has unref; in a browser it is a number',
};

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
