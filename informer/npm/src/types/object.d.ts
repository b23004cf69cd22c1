/**
 * One object of a cache, followed through its changes. Disposing stops following it.
 *
 * ```ts
 * const web = pods.object("default/web");
 * web.subscribe(() => console.log(web.getSnapshot()?.metadata?.name, web.text()));
 * ```
 */
export interface ObjectStore<T> extends Disposable {
  /**
   * Returns the object: undefined before it has been read, null if it does not exist or was deleted. The same reference
   * until the object changes.
   */
  getSnapshot(): T | null | undefined;
  /** Returns the object as JSON text, with numbers and order of fields as the server sent them. */
  text(): string | null | undefined;
  /** Calls `callback` after the object has changed, at most once per animation frame. Returns a function that unsubscribes. */
  subscribe(callback: () => void): () => void;
  /** Stops following the object, as disposing does. Idempotent. */
  close(): void;
}
