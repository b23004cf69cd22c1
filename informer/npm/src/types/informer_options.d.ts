/** Options of `forResource()`. All of them are optional. */
export interface InformerOptions {
  /** Namespace to list and watch. Default: all namespaces. */
  namespace?: string;
  /** Label selector, evaluated by the server. Default: no selection. */
  labelSelector?: string;
  /** Field selector, evaluated by the server. Default: no selection. */
  fieldSelector?: string;
  /**
   * Part of each object that is fetched and cached: the whole object (`"object"`, the default), or only apiVersion, kind and
   * metadata (`"metadata"`, about a tenth of the bytes).
   */
  mode?: "object" | "metadata";
  /**
   * Additional indexes, as JSONPath or relation by index name. The index `namespace` is built in. Indexes belong to the
   * shared informer: an index that another user of it has added already is reused.
   *
   * A JSONPath has kubectl's dialect, with braces: `{ node: "{.spec.nodeName}" }`. An object is indexed under every value
   * that the path finds.
   *
   * A relation is one of these names: `{ byOwner: "relation:owner" }`.
   *
   * | relation | an object is indexed under |
   * |---|---|
   * | `relation:owner` | the uid of each owner |
   * | `relation:controller` | the uid of the owner that controls it |
   * | `relation:label` | `namespace/key=value` of each label; `key=value` for cluster-scoped objects |
   * | `relation:node` | the node of a pod |
   * | `relation:involvedObject` | for an event, the uid of its object and `Kind/namespace/name` |
   * | `relation:references` | `Kind/namespace/name` of each object that it names; `Kind/name` for cluster-scoped ones |
   *
   * `relation:references` covers: config maps, secrets, claims and service account of a pod or pod template; services,
   * secrets and class of an ingress; service and pods of an endpoint slice; volume of a claim and claim of a volume; target
   * of an autoscaler; role and accounts of a role binding.
   *
   * Errors: an invalid path, or a name that another user has given to a different path (compared as text), raises an
   * `error` event with code `"bad-request"`, adds no index, and does not stop the informer. If this page itself has given
   * the name to a different path, `forResource()` throws. `addIndexers()` reports the outcome as a promise.
   */
  indexers?: Record<string, string>;
  /**
   * What is kept and removed of each object before it is cached, for less memory (client-go: `TransformFunc`, here as data, because
   * the cache may be in a worker).
   *
   * - `keepManagedFields`: whether `metadata.managedFields` is kept. Default: false, because it is a third or more of an object.
   * - `drop`: paths of the fields to remove: names and `[*]`, with or without braces and the first dot: `".status"`,
   *   `"{.spec.containers[*].env}"`, `"metadata.annotations['example.com/notes']"`. A dot in a name is written `\.`, or the name in
   *   quotes. `[*]` stands for every element of an array or every value of an object. A path that finds nothing has no effect.
   *   Default: none.
   *
   * Everything sees the transformed objects: reads, handlers, indexes, columns, filters. Informers with different transforms are
   * different informers, each with its own watch.
   *
   * ```ts
   * factory.forResource("v1/configmaps", { transform: { drop: ["{.data}", "{.binaryData}"] } });
   * ```
   *
   * Errors: an invalid path, or one that removes `kind`, `apiVersion`, `metadata` or the name, namespace, uid or resourceVersion,
   * raises an `error` event with code `"bad-request"`; the informer has failed.
   */
  transform?: { keepManagedFields?: boolean; drop?: readonly string[] };
  /**
   * Objects per page of a list, 1 or more. Default: 500 for the first page, 2,000 for the others. If users of the same
   * informer differ, the first one decides.
   */
  pageSize?: number;
  /**
   * Resync period in milliseconds: 0, or at least 1,000. Default: `defaultResync` of `connect()`.
   *
   * A resync calls `onUpdate(object, object)` for every cached object, so that a handler can correct earlier failures. It
   * makes no request. 0 disables it. If users of the same informer differ, the first one in any tab decides. A handler can
   * have its own period: see `EventHandlerOptions`.
   */
  resync?: number;
}
