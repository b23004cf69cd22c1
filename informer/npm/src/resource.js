// Names of resources, checked here: the engine ends the connection over what it cannot read.
import { badRequest } from "./error.js";

const SEGMENT = /^(?!\.+$)[A-Za-z0-9.-]+$/;

/** A whole number, if it is anything. */
export function whole(name, value, least = 0) {
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value < 2 ** 31)) {
    throw badRequest(`\`${name}\` must be a whole number, ${least} or more`);
  }
  return value;
}

/** What an informer is of, and how it works. Equal `key`s mean the same informer. */
export function describe(resource, { namespace, labelSelector, fieldSelector, mode = "object", pageSize, resync } = {}) {
  const parts = typeof resource === "string" ? resource.split("/") : [resource.group, resource.version, resource.resource];
  if (parts.length === 2 || parts[0] === "" || parts[0] === undefined) parts.splice(0, parts.length - 2);
  const valid = parts.every((part) => typeof part === "string" && SEGMENT.test(part));
  if (!valid || parts.length < 2 || parts.length > 3 || (typeof resource === "string" && resource.startsWith("/"))) {
    throw badRequest(`${JSON.stringify(resource)} does not name a resource: write "v1/pods" or "apps/v1/deployments"`);
  }
  const [name, version, group = ""] = [...parts].reverse();
  const what = {};
  // An empty selector selects everything, as none does.
  if (namespace) what.namespace = `${namespace}`;
  if (labelSelector) what.labelSelector = `${labelSelector}`;
  if (fieldSelector) what.fieldSelector = `${fieldSelector}`;
  if (mode !== "object") what.mode = mode;
  if (what.namespace && !/^[a-z0-9-]{1,63}$/.test(what.namespace)) {
    throw badRequest(`${JSON.stringify(namespace)} cannot be a namespace`);
  }
  if (what.mode && mode !== "metadata") throw badRequest('`mode` must be "object" or "metadata"');
  const options = { ...what, pageSize: whole("pageSize", pageSize, 1), resync: whole("resync", resync) };
  const query = new URLSearchParams(what).toString();
  const path = parts.join("/");
  return { name: path, key: query ? `${path}?${query}` : path, resource: { group, version, resource: name }, options };
}
