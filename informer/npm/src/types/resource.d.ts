/** What every object has. Bring your own types for more, such as those of `kubernetes-types`. */
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
  [field: string]: unknown;
}

/** `"v1/pods"`, `"apps/v1/deployments"`, or the same in parts. */
export type ResourceRef = string | { group?: string; version: string; resource: string };

/** client-go's `GroupVersionResource`; the group is empty for core. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** What discovery says of a resource that can be listed and watched. */
export interface ResourceInfo extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}
