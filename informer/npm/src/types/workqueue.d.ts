/**
 * Options of `SharedInformer.workQueue()`: client-go's default rate limiter for `addRateLimited()`. A key waits for the
 * longer of two delays: an exponential one per key, and a token bucket for all keys together.
 */
export interface WorkQueueOptions {
  /** Delay after the first failure of a key in milliseconds; doubles with each further failure. Default: 5. */
  baseDelayMs?: number;
  /** Maximum delay of a key in milliseconds. Default: 1,000,000. */
  maxDelayMs?: number;
  /** Retries per second of all keys together, after `burst` is used up. Default: 10. */
  qps?: number;
  /** Retries that are not limited by `qps`. Whole number. Default: 100. */
  burst?: number;
  /** Resync period in milliseconds, as in `EventHandlerOptions`. A resync adds all keys. */
  resyncPeriod?: number;
}

/**
 * client-go's work queue: keys of objects that need processing, `"namespace/name"` or `"name"`.
 *
 * The engine keeps the queue beside the cache. Each key is in it at most once, however often its object changes. A key that
 * is added while it is being processed is delivered again after its `done()`. Two workers therefore never process the same
 * key at the same time, and no change is missed. Read the object when you process its key; if it is not cached, it was deleted.
 *
 * Iterating over the queue is a worker: it calls `get()`, runs the body of the loop, and calls `done()`, until the queue is
 * shut down. Several loops are several workers. If the informer stops, the factory shuts down or the engine fails
 * permanently, pending calls reject with the reason and the queue ends. Disposing calls `shutDown()`.
 *
 * ```ts
 * for await (const key of queue) {
 *   try {
 *     await reconcile(key);
 *     queue.forget(key);
 *   } catch {
 *     queue.addRateLimited(key);
 *   }
 * }
 * ```
 *
 * Methods throw or reject with `"bad-request"` if a key is not a non-empty string or an argument is not a number.
 */
export interface WorkQueue extends AsyncDisposable, AsyncIterable<string> {
  /**
   * Waits for the next key. Resolves to undefined once the queue is shut down and empty. Each key needs one `done()`. A
   * `signal` that aborts rejects with its reason and takes no key, unless a key was already on its way.
   */
  get(options?: { signal?: AbortSignal }): Promise<string | undefined>;
  /** Marks a key as processed, whether processing succeeded or failed. */
  done(key: string): void;
  /** Adds a key. */
  add(key: string): void;
  /** Adds a key after a delay in milliseconds. If the key is delayed already, the earlier time counts. */
  addAfter(key: string, ms: number): void;
  /** Adds a key that failed, after the delay of the rate limiter. Does not replace `done()`. */
  addRateLimited(key: string): void;
  /** Resets the failure count of a key. Call it when processing succeeded or you give up. Does not replace `done()`. */
  forget(key: string): void;
  /** Returns the failures (`addRateLimited()`) of a key since its last `forget()`. */
  numRequeues(key: string): Promise<number>;
  /** Returns the number of waiting keys, without those that are delayed or being processed. */
  length(): Promise<number>;
  /** Shuts down: ignores further keys, drops delayed keys, delivers waiting keys, then ends `get()`. Idempotent. */
  shutDown(): void;
  /** Shuts down and resolves when every key is done. Workers must continue until then. */
  shutDownWithDrain(): Promise<void>;
}
