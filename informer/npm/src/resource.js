// Validation of resources and informer options. The engine would end the connection over an invalid message.
import { optionsOf, paths, period, refuse, text, texts, whole } from "./check.js";
import { badRequest } from "./error.js";

const SEGMENT = /^(?!\.+$)[A-Za-z0-9.-]+$/;

const OPTIONS = "namespace labelSelector fieldSelector mode indexers transform pageSize resync";

/** Resource, options and key of an informer. Equal keys mean the same informer. */
export function describe(resource, options, defaultResync) {
  const { namespace, labelSelector, fieldSelector, mode = "object", indexers, transform, pageSize, resync } =
    optionsOf("forResource()", OPTIONS, options);
  const parts = typeof resource === "string" ? resource.split("/") : [resource?.group, resource?.version, resource?.resource];
  if (parts.length === 2 || parts[0] === "" || parts[0] === undefined) parts.splice(0, parts.length - 2);
  const valid = parts.every((part) => typeof part === "string" && SEGMENT.test(part));
  if (!valid || parts.length < 2 || parts.length > 3 || (typeof resource === "string" && resource.startsWith("/"))) {
    throw badRequest(`${JSON.stringify(resource)} is not a resource: write "v1/pods" or "apps/v1/deployments"`);
  }
  const [name, version, group = ""] = [...parts].reverse();
  const what = {};
  // An empty selector selects everything, like none.
  if (text("namespace", namespace)) what.namespace = namespace;
  if (text("labelSelector", labelSelector)) what.labelSelector = labelSelector;
  if (text("fieldSelector", fieldSelector)) what.fieldSelector = fieldSelector;
  if (mode !== "object") what.mode = mode;
  if (namespace && !/^[a-z0-9-]{1,63}$/.test(namespace)) refuse("namespace", `the name of a namespace, not ${JSON.stringify(namespace)}`);
  if (what.mode && mode !== "metadata") refuse("mode", '"object" or "metadata"');
  const how = { pageSize: whole("pageSize", pageSize, 1), resync: period("resync", resync ?? defaultResync) };
  const { keepManagedFields = false, drop = [] } = optionsOf("transform", "keepManagedFields drop", transform);
  if (typeof keepManagedFields !== "boolean") refuse("transform.keepManagedFields", "true or false");
  const dropped = [...new Set(texts("transform.drop", drop))].sort();
  const query = new URLSearchParams([...Object.entries(what), ...(keepManagedFields ? [["managedFields", true]] : []), ...dropped.map((path) => ["drop", path])]).toString();
  if (keepManagedFields || dropped.length > 0) what.transform = { keepManagedFields, drop: dropped };
  const path = parts.join("/");
  return {
    name: path,
    key: query ? `${path}?${query}` : path,
    resource: { group, version, resource: name },
    options: { ...what, ...how },
    indexers: paths("indexers", indexers),
  };
}
