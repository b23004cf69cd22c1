// Routes of several clusters on one origin: a page with a tab for each cluster, and each cluster behind a path prefix.
//
//   /                              the page with the tabs (www/clusters.html)
//   /clusters.json                 the clusters and their states
//   /start?cluster=NAME            starts the connection of a cluster again (POST)
//   /clusters/NAME/ui/             the dashboard of a cluster, for a frame of that page; NAME is URL-encoded
//   /clusters/NAME/...             the API of a cluster
//   /ui/                           the files of the page, for all clusters
import { FILES, pageFiles } from './page-files.mjs';

const CLUSTER = /^\/clusters\/([^/?]*)(\/[^?]*)?(\?.*)?$/;
/** Paths of the page of one cluster, which belongs into a tab. */
const PAGES = /^\/ui(\/|\/[^/]*\.html)?$/;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** The path prefix of a cluster. Throws for a name that URLs cannot have as a segment of a path. */
export function prefixOf(name) {
  if (/^\.{0,2}$/.test(name)) throw new RangeError(`the name ${JSON.stringify(name)} cannot be part of a URL`);
  return `/clusters/${encodeURIComponent(name)}`;
}

const text = (status, sentence, headers) => ({ status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: `${sentence}\n` });
const json = (value) => ({ status: 200, headers: JSON_TYPE, body: JSON.stringify(value) });
const redirect = (location) => text(307, `See ${location}`, { location });

/**
 * Returns the routes, for `listen` of origin-check.mjs. `folder` has the built page, and `hash` is the part of the page that a cluster
 * opens with. `clusters` are objects `{ name, isProtected, socketPath, state, reason, start() }`: `state` is "starting", "running" or
 * "ended", `reason` the sentence why it ended.
 */
export function routesOf(clusters, folder, hash = '') {
  const file = pageFiles(folder);
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const list = () => clusters.map(({ name, isProtected, state, reason }) => ({ name, path: prefixOf(name), isProtected, state, reason }));

  function start(query) {
    const cluster = byName.get(query.get('cluster'));
    if (!cluster) return unknown(query.get('cluster'));
    if (cluster.state === 'ended') cluster.start();
    return json(list());
  }

  function ofCluster(headers, encoded, path, search = '') {
    const { 'sec-fetch-dest': destination } = headers;
    const name = decoded(encoded);
    const cluster = byName.get(name);
    if (!cluster) return unknown(name ?? encoded);
    const prefix = prefixOf(name);
    if (!path) return redirect(`${prefix}/${search}`);
    if (path === '/ui') return redirect(`${prefix}/ui/${search}`);
    // A copied link, or a link in a new tab: the page with the tabs shows which cluster it is. The browser keeps the hash.
    if (PAGES.test(path) && destination === 'document') return redirect(`/?cluster=${encodeURIComponent(name)}`);
    // As web/serve.sh writes it for one cluster.
    if (path === '/ui/context.json') return json({ context: name, protected: cluster.isProtected });
    if (path.startsWith('/ui/')) return file(path.slice('/ui/'.length) || 'index.html', headers);
    if (cluster.state === 'ended') return text(503, `${cluster.reason} Choose Retry in the tab of the cluster.`, { 'retry-after': '5' });
    const unreachable = `kubectl proxy of the context ${JSON.stringify(name)} does not respond. Check that the dashboard is still running.`;
    return { socketPath: cluster.socketPath, url: path + search, prefix, isPage: false, unreachable };
  }

  return ({ method, url, headers }) => {
    const found = url.match(CLUSTER);
    if (found) return ofCluster(headers, ...found.slice(1));
    const [path, search = ''] = url.split(/\?(.*)/s);
    if (path === '/start') return method === 'POST' ? start(new URLSearchParams(search)) : text(405, 'This path accepts POST only.', { allow: 'POST' });
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'This path accepts GET and HEAD only.', { allow: 'GET, HEAD' });
    if (path === '/') return file('clusters.html', headers);
    if (path === '/clusters.json') return json({ hash, clusters: list() });
    if (PAGES.test(path)) return redirect('/');
    if (path.startsWith(FILES)) return file(path.slice(FILES.length), headers);
    return text(404, 'There is nothing at this path. The API of each cluster is below /clusters/NAME/, and the page is at /.');
  };

  function unknown(name) {
    return text(404, `This dashboard has no cluster ${JSON.stringify(name)}. Choose one at /.`);
  }
}

/** The name in a segment of a path; undefined if it is not valid. */
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
