import type { InformerOptions, SharedInformer } from "./informer.js";
import type { KubeObject, ResourceInfo, ResourceRef } from "./resource.js";
import type { InformerStatus } from "./status.js";

export interface SharedInformerFactory extends AsyncDisposable {
  /**
   * The same resource, scope, selectors and mode give the same informer; each call wants one `stop()`. It runs from the
   * next `start()` on. Throws where the resource or an option cannot be meant.
   */
  forResource<T extends { metadata?: object } = KubeObject>(
    resource: ResourceRef,
    options?: InformerOptions,
  ): SharedInformer<T>;
  /** Starts the informers that are not started; may be called again. */
  start(): void;
  /**
   * Of the started informers: which have synced. Resolves when all have, or have ended, or the time is over. An informer
   * is named by its resource, with what narrows it as in a query: `"v1/pods"`, `"v1/pods?namespace=shop"`. Why one has not
   * synced is in its status:
   *
   * ```js
   * for (const [name, hasSynced] of Object.entries(await factory.waitForCacheSync({ timeoutMs: 5000 }))) {
   *   const status = factory.status().informers[name]; // undefined once it is stopped
   *   if (!hasSynced) console.warn(name, status?.phase, status?.lastError?.message, status?.nextRetryAt);
   * }
   * ```
   *
   * `lastError` is what the last attempt failed at: "forbidden", "not-found", "network"… While it is null, no attempt has
   * failed: the list is on its way (`listed` counts), or the server has not answered yet.
   */
  waitForCacheSync(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<Record<string, boolean>>;
  /** Discovery: what can be listed and watched, in the versions that the server prefers. */
  resources(): Promise<ResourceInfo[]>;
  /**
   * Removes everything that `persist` has stored, of all clusters of this origin. Informers that run in this page's worker
   * are not stored again before they are started anew; workers of other pages, if they do not share this one, go on.
   */
  forgetSnapshots(): Promise<void>;
  status(): FactoryStatus;
  /** Stops all informers, for good. */
  shutdown(): Promise<void>;
}

export interface FactoryStatus {
  readonly url: string;
  /** By the names of `waitForCacheSync`. */
  readonly informers: Record<string, InformerStatus>;
}
