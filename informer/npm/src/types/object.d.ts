/**
 * One object of a cache, followed through its changes. Disposing ends that.
 *
 * ```ts
 * const web = pods.object("default/web");
 * web.subscribe(() => console.log(web.getSnapshot()?.metadata?.name, web.text()));
 * ```
 */
export interface ObjectStore<T> extends Disposable {
  /**
   * Returns the object: undefined if it is not known yet, null if it does not exist (any longer). The same reference until
   * the object changes.
   */
  getSnapshot(): T | null | undefined;
  /** Returns the object as JSON text, with numbers and order of fields as the server sent them. */
  text(): string | null | undefined;
  /** Calls `callback` after the object has changed, at most once per animation frame. Returns a function that unsubscribes. */
  subscribe(callback: () => void): () => void;
  /** Stops following the object, as disposing does. Idempotent. */
  close(): void;
}
