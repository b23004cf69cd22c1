// Objects of a browser test in one namespace, written and read by kubectl.

/** Functions for the objects of `namespace` on the cluster of `stage`; a cluster-scoped object has no namespace. */
export function objectsIn(stage, namespace) {
  /** Creates objects. A field that a server does not know is no error. */
  const create = (...items) => stage.kubectl(['create', '--validate=false', '-f', '-'], items.map((item) => JSON.stringify(item)).join('\n'));
  const get = async (kind, name) => JSON.parse(await stage.kubectl(['get', kind, name, '-n', namespace, '-o', 'json']));
  const all = async (kind) => JSON.parse(await stage.kubectl(['get', kind, '-n', namespace, '-o', 'json'])).items;
  /** Sets the status, as a controller or the kubelet does. */
  const report = (kind, name, status) =>
    stage.kubectl(['patch', kind, name, '-n', namespace, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
  /** An object of the namespace. */
  const object = (apiVersion, kind, name, { metadata, ...more } = {}) => ({ apiVersion, kind, metadata: { name, namespace, ...metadata }, ...more });
  const begin = () => create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return { create, get, all, report, object, begin };
}
