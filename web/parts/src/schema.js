// Schemas of kinds, from the server's OpenAPI v3: each version of a group's document is read once.

/** Cache of each client: the index with the key '', and each document by its address, which contains a hash of the content. */
const documents = new WeakMap();

async function json(client, path) {
  const response = await client.request(path, { timeoutMs: 60_000 });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Deletes the cached index: definitions of custom kinds may have changed. */
export function refresh(client) {
  documents.get(client)?.delete('');
}

/** The document of a group and version; null if the server has none. After a failure the next call requests it again. */
async function documentOf(client, apiVersion) {
  const known = documents.get(client) ?? documents.set(client, new Map()).get(client);
  const once = (key, path) => {
    if (!known.has(key)) known.set(key, json(client, path).catch((error) => (known.delete(key), Promise.reject(error))));
    return known.get(key);
  };
  const { paths } = await once('', '/openapi/v3');
  const address = paths[apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`]?.serverRelativeURL;
  return address ? once(address, address) : null;
}

/** The root schema of a kind, and all schemas of its document; null if the server does not have the kind. */
export async function schemaOf(client, { apiVersion, kind }) {
  const document = await documentOf(client, apiVersion);
  const all = document?.components?.schemas ?? {};
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const is = (named) => named.kind === kind && named.version === version && (named.group ?? '') === group;
  const schema = Object.values(all).find((one) => one['x-kubernetes-group-version-kind']?.some(is));
  return schema ? { schema: resolve(schema, all), all } : null;
}

/** A schema with its references resolved, and with the fields of all parts of its `allOf`. */
export function resolve(schema, all, depth = 0) {
  if (!schema || depth > 16) return {};
  const parts = [...(schema.allOf ?? []), ...(schema.$ref ? [all[schema.$ref.replace(/^.*\//, '')]] : [])].map((part) => resolve(part, all, depth + 1));
  return parts.reduce((into, part) => ({ ...part, ...into, properties: { ...part.properties, ...into.properties } }), schema);
}

/** The schema of a field, or of a value of a map; undefined if the schema declares neither. */
export function below(schema, key, all) {
  const { properties, additionalProperties: others } = schema;
  const next = properties && Object.hasOwn(properties, key) ? properties[key] : others !== null && typeof others === 'object' ? others : undefined;
  return next && resolve(next, all);
}

const typeOf = (schema) => (schema.type === 'array' ? 'list' : schema.additionalProperties ? 'map' : schema.properties ? 'object' : (schema.type ?? ''));

/** The values that a field may have, as texts, if they are few. */
const valuesOf = (schema) => (schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []).filter((value) => value !== '').map(String));

/**
 * The fields that are allowed below `path` in an object of a kind: `[{ name, type, description, required, values }]`. In a list
 * with few allowed values, the entries are these values, with the type `value`.
 */
export async function fields(client, { apiVersion, kind }, path) {
  if (!apiVersion || !kind) return [{ name: 'apiVersion', type: 'string', values: [] }, { name: 'kind', type: 'string', values: [] }];
  const found = await schemaOf(client, { apiVersion, kind }).catch(() => null);
  if (!found) return [];
  const { all } = found;
  let { schema } = found;
  for (const key of path) {
    schema = below(schema, key, all) ?? {};
    while (schema.type === 'array') schema = resolve(schema.items, all);
  }
  const required = new Set(schema.required);
  const named = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const of = resolve(property, all);
    return { name, type: typeOf(of), description: property.description ?? of.description ?? '', required: required.has(name), values: valuesOf(of) };
  });
  return named.length ? named : valuesOf(schema).map((name) => ({ name, type: 'value', description: '', required: false, values: [] }));
}

/** The apiVersion and kind of the document that a line is in. */
export function kindAt(text, line) {
  const lines = text.split('\n');
  let from = line - 1;
  while (from > 0 && !/^---(\s|$)/.test(lines[from])) from -= 1;
  let to = line;
  while (to < lines.length && !/^---(\s|$)/.test(lines[to])) to += 1;
  const value = (key) => lines.slice(from, to).map((one) => new RegExp(`^${key}:\\s*["']?([^\\s"'#]+)`).exec(one)?.[1]).find(Boolean);
  return { apiVersion: value('apiVersion'), kind: value('kind') };
}
