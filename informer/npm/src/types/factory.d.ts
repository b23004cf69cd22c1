import type { Client } from "./client.js";
import type { FactoryInspection } from "./inspection.js";
import type { SharedInformer } from "./informer.js";
import type { InformerOptions } from "./informer_options.js";
import type { KubeObject, ResourceInfo, ResourceRef } from "./resource.js";
import type { InformerStatus } from "./status.js";

/** client-go's `SharedInformerFactory`: the informers of this page for one apiserver. Disposing calls `shutdown()`. */
export interface SharedInformerFactory extends AsyncDisposable {
  /**
   * Returns the informer for a resource, creating it if necessary. Equal resource, namespace, selectors, mode and
   * transform return the same informer. Balance each call with one `stop()`. A new informer runs from the next `start()`.
   *
   * ```ts
   * const pods = factory.forResource("v1/pods", { namespace: "default", labelSelector: "app=web" });
   * ```
   *
   * @throws {InformerError} `"bad-request"` if the resource or an option is invalid; `"closed"` after `shutdown()`.
   */
  forResource<T extends { metadata?: object } = KubeObject>(
    resource: ResourceRef,
    options?: InformerOptions,
  ): SharedInformer<T>;
  /** Requests beyond the cache: reads, writes, permissions, logs and processes. */
  readonly client: Client;
  /** Starts all informers that are not running. May be called again. Throws `"closed"` after `shutdown()`. */
  start(): void;
  /**
   * Waits until each started informer has synced, failed or stopped, or until `timeoutMs` has passed. Resolves to
   * `hasSynced` of each informer by its name.
   *
   * The name of an informer is its resource, followed by its options as a query: `"v1/pods"`,
   * `"v1/pods?namespace=shop"`. `status()` has the reason why an informer has not synced:
   *
   * ```ts
   * for (const [name, hasSynced] of Object.entries(await factory.waitForCacheSync({ timeoutMs: 5000 }))) {
   *   const status = factory.status().informers[name]; // undefined after stop()
   *   if (!hasSynced) console.warn(name, status?.phase, status?.lastError?.message, status?.nextRetryAt);
   * }
   * ```
   *
   * `lastError` is the error of the last attempt: `"forbidden"`, `"not-found"`, `"network"`… It is null if no attempt has
   * failed: either the list is in flight (`listed` is the number of objects received), or the server has not responded.
   *
   * @param options `timeoutMs` in milliseconds. Default: no limit. `signal` rejects with its reason.
   */
  waitForCacheSync(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<Record<string, boolean>>;
  /**
   * Lists the resources that can be listed, each in the server's preferred version; `verbs` tells which can be watched.
   * Rejects with the error of the discovery request.
   */
  resources(): Promise<ResourceInfo[]>;
  /**
   * Deletes everything that `persist` has stored, for all clusters of this origin. Informers that run in this page's
   * engine are not persisted again until they are restarted. Engines of other pages are not affected.
   */
  clearSnapshots(): Promise<void>;
  /** Returns the current status of all informers of this page. */
  status(): FactoryStatus;
  /**
   * Returns the status, counters and traffic of all informers of this server and user, those of other pages included, and the use of its
   * connections. It makes no request to the server, and contains no data of objects. Rejects with `"closed"` after `shutdown()`.
   * O(informers).
   *
   * ```ts
   * const { informers, connections } = await factory.inspect();
   * for (const { resource, status, metrics } of informers) console.log(resource, status.freshness, metrics.objects);
   * console.log(connections?.streams); // { used: 2, limit: 4, queued: 0 }
   * ```
   *
   * @param options `history`: whether to include the last protocol steps of each informer. Default: false.
   */
  inspect(options?: { history?: boolean }): Promise<FactoryInspection>;
  /** Lets informers that wait for their next attempt make it now, and failed ones list again. The package calls it when the browser is online again. */
  retry(): void;
  /** Resolves after `shutdown()`. Rejects if the engine has ended and cannot be replaced; the informers have failed then. */
  readonly closed: Promise<void>;
  /** Stops all informers. The factory cannot be used afterwards. Idempotent. */
  shutdown(): Promise<void>;
}

/** Result of `SharedInformerFactory.status()`. */
export interface FactoryStatus {
  /** Absolute URL of the apiserver. */
  readonly url: string;
  /** Status of each informer, by the same names as in `waitForCacheSync()`. */
  readonly informers: Record<string, InformerStatus>;
}
