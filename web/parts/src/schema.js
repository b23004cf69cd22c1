// Fields of a kind, from the server's OpenAPI v3: each group's document is read once.

const documents = new WeakMap();

async function json(client, path) {
  const response = await client.request(path, { timeoutMs: 60_000 });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** The document of a group and version. After a failure the next call requests it again. */
function documentOf(client, apiVersion) {
  const known = documents.get(client) ?? documents.set(client, new Map()).get(client);
  const once = (key, ask) => {
    if (!known.has(key)) known.set(key, ask().catch((error) => (known.delete(key), Promise.reject(error))));
    return known.get(key);
  };
  const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
  return once(path, async () => {
    const { paths } = await once('', () => json(client, '/openapi/v3'));
    return paths[path] ? json(client, paths[path].serverRelativeURL) : null;
  });
}

/** A schema with its references followed: the fields of all parts of an `allOf` are its own. */
function resolve(schema, all, depth = 0) {
  if (!schema || depth > 16) return {};
  const parts = [...(schema.allOf ?? []), ...(schema.$ref ? [all[schema.$ref.replace(/^.*\//, '')]] : [])].map((part) => resolve(part, all, depth + 1));
  return parts.reduce((into, part) => ({ ...part, ...into, properties: { ...part.properties, ...into.properties } }), schema);
}

const typeOf = (schema) => (schema.type === 'array' ? 'list' : schema.additionalProperties ? 'map' : schema.properties ? 'object' : (schema.type ?? ''));

/** The fields that are allowed below `path` in an object of a kind: `[{ name, type, description, required }]`. */
export async function fields(client, { apiVersion, kind }, path) {
  if (!apiVersion || !kind) return [{ name: 'apiVersion', type: 'string' }, { name: 'kind', type: 'string' }];
  const document = await documentOf(client, apiVersion).catch(() => null);
  const all = document?.components?.schemas ?? {};
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const is = (named) => named.kind === kind && named.version === version && (named.group ?? '') === group;
  let schema = resolve(Object.values(all).find((one) => one['x-kubernetes-group-version-kind']?.some(is)), all);
  for (const key of path) {
    let next = schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    next = resolve(next, all);
    while (next.type === 'array') next = resolve(next.items, all);
    schema = next;
  }
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const of = resolve(property, all);
    return { name, type: typeOf(of), description: property.description ?? of.description ?? '', required: required.has(name) };
  });
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
