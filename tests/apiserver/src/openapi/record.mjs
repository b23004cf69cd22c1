// Records a real apiserver's schemas of the kinds that the embedded one serves, by package.
//
//   node tests/apiserver/src/openapi/record.mjs http://127.0.0.1:8001
//
// The schemas are unchanged; only the paths of the documents are omitted. A package that would be larger than 300 KB is
// split: core.pods has the schemas of a pod template.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const [, , url] = process.argv;

/** The rows of the table of kinds: group, version and kind. */
function served() {
  const source = readFileSync(join(folder, '../kinds.rs'), 'utf8');
  const groups = new Map([...source.matchAll(/^const (\w+): \(&str, &str\) = \("(.*?)", "(.*?)"\);/gm)].map(([, name, ...pair]) => [name, pair]));
  const rows = [...source.matchAll(/row\(\s*(?:\("(.*?)", "(.*?)"\)|([A-Z]+)),\s*"\w+",\s*"(\w+)"/g)];
  return rows.map(([, group, version, named, kind]) => [...(named ? groups.get(named) : [group, version]), kind]);
}

function* references(value) {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === '$ref' && typeof inner === 'string') yield inner.split('/').at(-1);
    else yield* references(inner);
  }
}

/** The names of schemas and of all that they refer to. */
function closure(all, names) {
  const found = new Set();
  const pending = [...names];
  while (pending.length > 0) {
    const name = pending.pop();
    if (found.has(name)) continue;
    found.add(name);
    pending.push(...references(all[name]));
  }
  return found;
}

const wanted = [...served(), ['autoscaling', 'v1', 'Scale'], ['policy', 'v1', 'Eviction'], ['', 'v1', 'DeleteOptions'], ['', 'v1', 'Status']];
const all = {};
for (const path of new Set(wanted.map(([group, version]) => (group ? `apis/${group}/${version}` : `api/${version}`)))) {
  const response = await fetch(`${url}/openapi/v3/${path}`);
  // A server without a metrics server.
  if (response.status === 404) continue;
  const document = await response.json();
  Object.assign(all, document.components.schemas);
}
const isWanted = (schema) =>
  (schema['x-kubernetes-group-version-kind'] ?? []).some((found) => wanted.some(([group, version, kind]) => found.group === group && found.version === version && found.kind === kind));
const pods = closure(all, ['io.k8s.api.core.v1.PodTemplateSpec']);

function file(name) {
  const words = name.split('.');
  if (words[2] === 'apimachinery') return 'meta';
  if (words[2] === 'apiextensions-apiserver') return 'apiextensions';
  if (words[2] === 'kube-aggregator') return 'apiregistration';
  return words[3] === 'core' && pods.has(name) ? 'core.pods' : words[3];
}

const files = new Map();
for (const name of [...closure(all, [...Object.keys(all).filter((name) => isWanted(all[name])), 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch'])].sort()) {
  files.set(file(name), [...(files.get(file(name)) ?? []), `${JSON.stringify(name)}:${JSON.stringify(all[name])}`]);
}
for (const [name, lines] of files) writeFileSync(join(folder, `${name}.json`), `{\n${lines.join(',\n')}\n}\n`);
