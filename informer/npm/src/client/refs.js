// References to objects, and their URL paths.
import { refuse, text } from "../check.js";
import { badRequest } from "../error.js";
import { describe } from "../resource.js";

/**
 * Resolves a reference: `{ path, resource, namespace, name }`. `kinds` finds the resource of an object that has only a
 * kind. For `create` there is no name yet, and the path is that of the collection.
 */
export async function locate(ref, kinds, signal, verb) {
  if (typeof ref !== "object" || ref === null) refuse("ref", "{ resource, namespace, name }, or an object with apiVersion, kind and metadata");
  const isObject = ref.resource === undefined;
  if (isObject && !(typeof ref.apiVersion === "string" && typeof ref.kind === "string")) {
    refuse("ref", "{ resource, namespace, name }, or an object with apiVersion, kind and metadata");
  }
  const { namespace, name } = isObject ? (ref.metadata ?? {}) : ref;
  const found = isObject ? await kinds.resource(ref.apiVersion, ref.kind, signal) : describe(ref.resource);
  const { resource, isNamespaced } = { isNamespaced: undefined, ...found };
  if (isNamespaced && !namespace) throw badRequest(`${ref.kind} lives in a namespace: name it in \`metadata.namespace\``);
  const scope = isNamespaced === false ? undefined : namespace;
  if (verb === "create") return { path: collection(resource, scope), resource, namespace: scope };
  if (!name) throw badRequest(`name the object of ${resource.resource} in \`${isObject ? "metadata.name" : "name"}\``);
  const end = ref.subresource === undefined ? "" : `/${segment("subresource", ref.subresource)}`;
  return { path: `${item(resource, scope, name)}${end}`, resource, namespace: scope, name };
}

/** The path of all objects of a resource, or of those of a namespace. */
export function collection({ group, version, resource }, namespace) {
  const scope = namespace ? `/namespaces/${segment("namespace", namespace)}` : "";
  return `${group ? `/apis/${group}` : "/api"}/${version}${scope}/${resource}`;
}

/** The path of one object. */
export const item = (resource, namespace, name) => `${collection(resource, namespace)}/${segment("name", name)}`;

/** Segment of a path. The server's rule for names: no "/", no "%", and neither "." nor "..". */
function segment(what, value) {
  if (text(what, value) === "" || /^\.{1,2}$|[/%]/.test(value)) refuse(what, `a name, not ${JSON.stringify(value)}`);
  return encodeURIComponent(value).replaceAll("%3A", ":");
}

/** Query string of the defined parameters; an array repeats its parameter. */
export function query(parameters) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) given.append(name, one);
  }
  return given;
}
