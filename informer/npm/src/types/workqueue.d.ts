/** client-go's rate limiter: the later of a wait for each key, and one for all keys together. */
export interface WorkQueueOptions {
  /** What a key waits after its first failure, 5 unless told; after each further one twice as long. */
  baseDelayMs?: number;
  /** What a key waits at the most; 1,000,000 unless told. */
  maxDelayMs?: number;
  /** Failures a second that are tried again, all keys together, once the burst is used up; 10 unless told. */
  qps?: number;
  /** Failures that are tried again without regard to `qps`; 100 unless told. */
  burst?: number;
  /** As that of a handler: a resync puts all keys in. */
  resyncPeriod?: number;
}

/**
 * client-go's work queue: keys ("namespace/name", or "name") of objects that somebody should look at.
 *
 * It is kept beside the cache and holds each key once, however often its object changes: a slow worker costs nothing. A
 * key that is added while it is being processed comes again after its `done`, so no two workers have the same key, and no
 * change is missed. Read the object when its key comes; where it is gone, it was deleted.
 *
 * Iterating is a worker: `get`, the body of the loop, `done`, until the queue is shut down. Several loops are several
 * workers. When the informer is stopped, the factory is shut down or the engine dies, whoever waits is rejected with the
 * reason, and the queue is gone. Disposing shuts down.
 */
export interface WorkQueue extends AsyncDisposable, AsyncIterable<string> {
  /**
   * The next key, as soon as there is one; undefined once the queue is shut down and empty. Each key wants one `done`.
   * Aborting rejects with the signal's reason and takes no key; a key that is on its way already comes all the same.
   */
  get(options?: { signal?: AbortSignal }): Promise<string | undefined>;
  /** A worker has finished with a key, whatever came of it. */
  done(key: string): void;
  /** Keys are strings with something in them. */
  add(key: string): void;
  /** A key that is delayed already keeps the earlier of both times. */
  addAfter(key: string, ms: number): void;
  /** For a key that failed: adds it when the rate limiter allows. It wants its `done` all the same. */
  addRateLimited(key: string): void;
  /** The key succeeded or is given up: its failures are forgotten. */
  forget(key: string): void;
  /** How often it failed (`addRateLimited`) since it was last forgotten. */
  numRequeues(key: string): Promise<number>;
  /** Keys that wait: neither those that are delayed nor those being processed. */
  length(): Promise<number>;
  /** Nothing is added any more, delayed keys are dropped, what waits is still given out, then `get` gives undefined. */
  shutDown(): void;
  /** The same; resolves when every key is done. Workers must go on until then. */
  shutDownWithDrain(): Promise<void>;
}
