// Demo: serves the page with its simulated cluster (web/demo), without kubectl and without a cluster.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listen, pageFiles } from './front.mjs';
import { LaunchError } from './options.mjs';

/** Path of the page of the demo. */
export const DEMO = '/ui/?demo';

/** Starts a server for the files of a page, on a port. Resolves to it. Throws a `LaunchError` if the page has no demo. */
export function serveDemo(page, port) {
  if (!existsSync(join(page, 'demo/worker.js'))) throw new LaunchError('This build of the page has no demo. `make demo` makes one.');
  const file = pageFiles(page);
  const route = ({ url, headers }) => {
    const [path] = url.split('?');
    return path.startsWith('/ui/') ? file(path.slice('/ui/'.length) || 'index.html', headers) : { status: 307, headers: { location: DEMO }, body: '' };
  };
  return listen(route, port);
}
