// Front: the server on the port of the dashboard. web/launcher/pack.mjs bundles this file with its library: the package has no dependencies.
export { listen, serve } from '../parts/origin-check.mjs';
export { routesOf } from '../parts/clusters.mjs';
export { pageFiles } from '../parts/page-files.mjs';
