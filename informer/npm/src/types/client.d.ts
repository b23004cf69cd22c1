import type { ExecOptions, ExecSession } from "./exec.js";
import type { JoinedLines, LogLine, LogOptions, LogTarget } from "./logs.js";
import type { KubeObject, ResourceRef } from "./resource.js";

/**
 * Name of one object: its resource, namespace and name, or an object with `apiVersion`, `kind` and `metadata`, whose resource
 * is looked up in the server's discovery documents (one request for each `apiVersion`, then cached for five minutes).
 */
export type ObjectRef =
  | { readonly resource: ResourceRef; readonly namespace?: string; readonly name: string; readonly subresource?: string }
  | { readonly apiVersion?: string; readonly kind?: string; readonly metadata?: { readonly namespace?: string; readonly name?: string } };

/**
 * Requests beyond the cache: reads, writes, permissions, logs and processes. Loaded when it is first used.
 *
 * Requests go to the same URL as the watches. Each `fetch` takes a connection slot out of the engine's connection budget: over
 * HTTP/1.1, one request and one stream of all clients are in flight at once, and further ones wait. So the client never takes the
 * last connection from a list or a watch, and always gets one. Over HTTP/2 nothing waits. `exec()`, `attach()` and followed logs use
 * WebSockets, which have connections of their own; a followed log takes a slot where WebSockets are refused.
 *
 * All methods reject with an `InformerError`: `"bad-request"` if an argument is invalid, `"network"` without a response, `"timeout"` after
 * `timeoutMs`, `"closed"` after `shutdown()`, and otherwise the code of the server's status. A signal rejects with its reason.
 *
 * ```ts
 * const web = { resource: "apps/v1/deployments", namespace: "shop", name: "web" };
 * const deployment = await factory.client.get<Deployment>(web);
 * await factory.client.scale(web, 3);
 * ```
 */
export interface Client {
  /** Reads an object from the server: newer than the cache, or of a resource without an informer. */
  get<T = KubeObject>(ref: ObjectRef, options?: RequestOptions): Promise<T>;
  /**
   * Creates an object, given as an object or as JSON text. It may have `metadata.generateName` instead of a name. Rejects
   * with code `"conflict"` and reason `"AlreadyExists"` if it exists.
   */
  create<T extends object = KubeObject>(object: T | string, options?: WriteOptions): Promise<T>;
  /**
   * Applies an object (server-side apply): creates it, or changes the given fields and becomes their manager. Give it as an
   * object, whose `metadata.managedFields` are left out, as JSON text, or as YAML text with `ref` beside it. Text is sent as it is.
   *
   * If another manager has a field, it rejects with code `"conflict"` and `conflicts`, unless `force` is set:
   *
   * ```ts
   * const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "shop" }, data: { mode: "fast" } };
   * await factory.client.apply(object, { dryRun: true }).catch((error: InformerError) => {
   *   for (const { field, manager } of error.conflicts ?? []) console.warn(`${field} managed by ${manager}`);
   * });
   * ```
   */
  apply<T extends object = KubeObject>(object: T | string, options?: ApplyOptions): Promise<T>;
  /** Patches an object. */
  patch<T = KubeObject>(ref: ObjectRef, patch: object, options?: PatchOptions): Promise<T>;
  /** Deletes an object. Resolves when the server has accepted it; finalizers may keep the object for longer. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** Sets the number of replicas, by the `scale` subresource. */
  scale(ref: ObjectRef, replicas: number, options?: WriteOptions): Promise<void>;
  /**
   * Evicts a pod: deletes it, unless a PodDisruptionBudget forbids that for now. Then it rejects with code `"throttled"`, the
   * budget's message, and `retryAfterMs` if the server sends it.
   */
  evict(ref: ObjectRef, options?: EvictOptions): Promise<void>;
  /**
   * Returns whether the user may use a verb on a resource. Results are cached for 30 s. With a namespace, the user's rules
   * (SelfSubjectRulesReview) are requested once; a SelfSubjectAccessReview follows only if they do not allow the request.
   *
   * @param verb For example `"get"`, `"patch"`, `"delete"`, `"create"`.
   */
  can(verb: string, resource: ResourceRef, options?: AccessOptions): Promise<boolean>;
  /** The same as `can()`, with the reason that the server gives. */
  access(verb: string, resource: ResourceRef, options?: AccessOptions): Promise<Access>;
  /**
   * Reads the log of a pod's container, or those of several pods merged by time: of a selection, of the pods that a
   * workload or service selects, or of all targets of an array. Yields batches of lines; what is not read is not requested, or
   * waits in bounded memory.
   *
   * For an array, each line names its origin. A pod selected by several targets is read once. An unreadable target reports the
   * state `failed`, and the others are read; the iterator throws if all are unreadable.
   *
   * With `follow`, a dropped connection is resumed from the last timestamp, without gap or duplicate, for as long as the kubelet
   * keeps the lines. The iteration ends when the container has ended. A followed log uses a WebSocket if one can be opened.
   *
   * ```ts
   * const onState = ({ state, reason }: LogState) => console.info(state, reason ?? "");
   * for await (const lines of factory.client.logs({ resource: "v1/pods", namespace: "shop", name: "web-0" }, { follow: true, tail: 100, onState })) {
   *   for (const { time, text } of lines) console.log(time, text);
   * }
   * ```
   *
   * @throws {InformerError} from the iterator, after the state `failed`. Merged logs throw if each of them has failed, or if the
   * pods cannot be read. Invalid arguments throw `"bad-request"` without a state.
   */
  logs(ref: LogTarget | readonly LogTarget[], options: LogOptions & { joined: true }): AsyncGenerator<JoinedLines, void, undefined>;
  logs(ref: LogTarget | readonly LogTarget[], options?: LogOptions): AsyncGenerator<readonly LogLine[], void, undefined>;
  /**
   * Runs a command in a container. Resolves when its streams are open. kubectl proxy rejects this by default; the error
   * (`"forbidden"`) states how to allow it.
   *
   * ```ts
   * const session = await factory.client.exec({ resource: "v1/pods", namespace: "shop", name: "web-0" }, { command: ["ls", "-l"] });
   * console.log(await new Response(session.stdout).text(), (await session.exit).code);
   * ```
   */
  exec(ref: ObjectRef, options: ExecOptions & { command: readonly string[] }): Promise<ExecSession>;
  /** Attaches to the main process of a container, as `exec()` does to a new one. */
  attach(ref: ObjectRef, options?: ExecOptions): Promise<ExecSession>;
  /**
   * Sends any request. Resolves with the response, also for an error status, as `fetch` does, unless `throwOnError` is set;
   * without a response it rejects with an `InformerError`. The body is read before that, unless `stream` is set.
   * @param path Path and query on the apiserver, beginning with `/`.
   */
  request(path: string, options?: RawRequestOptions): Promise<Response>;
}

/** Options of all requests. */
export interface RequestOptions {
  /** Cancels the request. */
  signal?: AbortSignal;
  /** Time limit for the whole response, in milliseconds, with the wait for a connection. 1 or more. Default: 30,000. */
  timeoutMs?: number;
}

/** Options of writes. */
export interface WriteOptions extends RequestOptions {
  /** Dry run: the server runs admission and validation and returns the result, but stores nothing. Default: false. */
  dryRun?: boolean;
  /** Manager of the written fields. Default: `"kube-informer"`. */
  fieldManager?: string;
  /** What the server does about unknown and duplicate fields. Default: the server's, `"Warn"`. */
  fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Called with each warning of the server, for example about a deprecated API. If it throws, that is reported as an uncaught exception. */
  onWarning?: (warning: string) => void;
}

/** Options of `apply()`. */
export interface ApplyOptions extends WriteOptions {
  /** Whether fields of other managers are taken over. Default: false. */
  force?: boolean;
  /** The object, for text that is not JSON. */
  ref?: ObjectRef;
}

/** Options of `patch()`. */
export interface PatchOptions extends WriteOptions {
  /** Kind of patch. Default: `"json"` for an array, else `"merge"`. Custom resources have no `"strategic"`. */
  type?: "merge" | "json" | "strategic";
}

/** Options of `evict()`. */
export interface EvictOptions extends RequestOptions {
  /** As in `WriteOptions`. */
  dryRun?: boolean;
  /** Seconds that the pod has to terminate. Default: the pod's `terminationGracePeriodSeconds`. */
  gracePeriodSeconds?: number;
  /** Affects only the object with this uid; otherwise it rejects with `"conflict"`. */
  uid?: string;
  /** As in `WriteOptions`. */
  onWarning?: (warning: string) => void;
}

/** Options of `delete()`. */
export interface DeleteOptions extends EvictOptions {
  /** Deletion of dependents: Kubernetes' `propagationPolicy`. Default: the resource's, mostly `"background"`. */
  propagation?: "background" | "foreground" | "orphan";
  /** Deletes only this version of the object; otherwise it rejects with `"conflict"`. */
  resourceVersion?: string;
}

/** Options of `can()` and `access()`. Without a namespace: all namespaces, or a cluster-scoped resource. */
export interface AccessOptions {
  namespace?: string;
  /** One object; default: any. */
  name?: string;
  /** For example `"scale"`, `"log"`, `"exec"`, `"eviction"`. */
  subresource?: string;
  signal?: AbortSignal;
}

/** Result of `access()`. */
export interface Access {
  readonly allowed: boolean;
  /** The server's reason; often empty. */
  readonly reason: string;
}

/** Options of `request()`. */
export interface RawRequestOptions extends RequestOptions {
  /** HTTP method. Default: `"GET"`. */
  method?: string;
  headers?: HeadersInit;
  /** Not of `GET` and `HEAD`. */
  body?: string | BufferSource | Blob;
  /**
   * Whether the body is read while it arrives. It takes a stream's connection slot until it has been read or cancelled, has no
   * time limit, and fails with `"network"` if the slot is revoked for another stream. Default: false.
   */
  stream?: boolean;
  /** Whether a status other than 2xx rejects with an `InformerError`, as of the other methods. Default: false. */
  throwOnError?: boolean;
}
