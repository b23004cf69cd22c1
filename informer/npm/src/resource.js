// Names of resources, checked here: the engine ends the connection over what it cannot read.
import { badRequest } from "./error.js";

const SEGMENT = /^(?!\.+$)[A-Za-z0-9.-]+$/;

/** What an informer is of. Equal `key`s mean the same informer. */
export function describe(resource, { namespace, labelSelector, fieldSelector, pageSize } = {}) {
  const parts = typeof resource === "string" ? resource.split("/") : [resource.group, resource.version, resource.resource];
  if (parts.length === 2 || parts[0] === "" || parts[0] === undefined) parts.splice(0, parts.length - 2);
  const valid = parts.every((part) => typeof part === "string" && SEGMENT.test(part));
  if (!valid || parts.length < 2 || parts.length > 3 || (typeof resource === "string" && resource.startsWith("/"))) {
    throw badRequest(`${JSON.stringify(resource)} does not name a resource: write "v1/pods" or "apps/v1/deployments"`);
  }
  const [name, version, group = ""] = [...parts].reverse();
  const options = {};
  // An empty selector selects everything, as none does.
  if (namespace) options.namespace = `${namespace}`;
  if (labelSelector) options.labelSelector = `${labelSelector}`;
  if (fieldSelector) options.fieldSelector = `${fieldSelector}`;
  if (pageSize !== undefined) options.pageSize = pageSize;
  if (options.namespace && !/^[a-z0-9-]{1,63}$/.test(options.namespace)) {
    throw badRequest(`${JSON.stringify(namespace)} cannot be a namespace`);
  }
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0 && pageSize < 2 ** 31)) {
    throw badRequest("`pageSize` must be a positive integer");
  }
  const query = new URLSearchParams(options).toString();
  const path = parts.join("/");
  return { name: path, key: query ? `${path}?${query}` : path, resource: { group, version, resource: name }, options };
}
