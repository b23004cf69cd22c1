/**
 * Kubernetes object with the fields that all objects have. For exact types pass your own as type argument, such as those
 * of `kubernetes-types` or the models of `@kubernetes/client-node`.
 *
 * ```ts
 * const deployments = factory.forResource<Deployment>("apps/v1/deployments");
 * ```
 */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [field: string]: unknown;
}

/** Name of a resource: `"v1/pods"` or `"apps/v1/deployments"`, or its parts. The resource is plural and lower case. */
export type ResourceRef = string | { group?: string; version: string; resource: string };

/** client-go's `GroupVersionResource`. `group` is the empty string for the core group. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A resource that can be listed, as described by API discovery. One without the verb `"watch"` is polled. */
export interface ResourceInfo extends GroupVersionResource {
  readonly kind: string;
  /** True if objects of this resource live in namespaces. */
  readonly namespaced: boolean;
  /** Supported verbs, for example `"list"` and `"watch"`. */
  readonly verbs: readonly string[];
  /** kubectl's abbreviations, for example `"po"`. */
  readonly shortNames: readonly string[];
  /** True if objects have the subresource `scale`: a number of replicas that `client.scale()` sets. */
  readonly scale: boolean;
}
