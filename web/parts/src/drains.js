// Drains of several nodes: all are cordoned first, so that no pod moves from one to another, then drained one by one.
import { Drain } from './eviction.js';

/** Sentence about a failed request for a node. */
export function reasonOf(error, isCordoned) {
  // Another uid is a conflict, or an invalid change of an immutable field: the patch names no version.
  const isReplaced = error.code === 'conflict' || error.causes?.some(({ field }) => field === 'metadata.uid');
  return isReplaced ? 'The node was replaced by another one of the same name. ' : isCordoned ? 'The node is cordoned. ' : '';
}

export class Drains {
  #client;
  #options;
  #tell;
  #isStopped = false;
  #current = null;
  /** Each node with its drain, once it is cordoned, and its state: waits, drained, undecided, failed or stopped. */
  #all;

  /**
   * `nodes` are `{ ref, uid, list() }`. `tell(at, { rows, says, tone })` is called with each change of the node at a place;
   * without `rows` its pods are unchanged.
   */
  constructor(client, nodes, options, tell) {
    [this.#client, this.#options, this.#tell] = [client, options, tell];
    this.#all = nodes.map((node) => ({ node, drain: null, state: 'waits', error: null }));
  }

  get isStopped() {
    return this.#isStopped;
  }

  /** The number of nodes in a state. */
  count(state) {
    return this.#all.filter((one) => one.state === state).length;
  }

  /** Whether a node is drained. */
  isDrained(at) {
    return this.#all[at].state === 'drained';
  }

  /** The error of a node, if it has one. */
  errorOf(at) {
    const { error, drain } = this.#all[at];
    return error && { error, isCordoned: drain?.isCordoned ?? false };
  }

  /** Ends the current drain, and begins no other one. Evicted pods terminate, and the nodes stay cordoned. */
  stop() {
    this.#isStopped = true;
    this.#current?.stop();
  }

  /** Drains the nodes that are not yet drained. Resolves when each of them is drained, has failed, needs a decision, or was not begun. */
  async run() {
    this.#isStopped = false;
    const pending = [...this.#all.keys()].filter((at) => this.#all[at].state !== 'drained');
    for (const at of pending) await this.#cordon(at);
    for (const at of pending) if (this.#all[at].state === 'waits') await this.#drain(at);
  }

  async #cordon(at) {
    const one = this.#all[at];
    Object.assign(one, { state: 'waits', error: null });
    if (this.#isStopped) return this.#set(at, 'stopped', 'not drained: stopped', 'warn');
    const told = (rows, says) => this.#tell(at, { rows, says, tone: '' });
    one.drain = new Drain(this.#client, one.node, one.node.list, this.#options, told);
    this.#tell(at, { says: 'is being cordoned …', tone: '' });
    try {
      await one.drain.cordon();
      this.#tell(at, { says: 'cordoned, waits', tone: '' });
    } catch (error) {
      this.#fail(at, error);
    }
  }

  async #drain(at) {
    const one = this.#all[at];
    if (this.#isStopped) return this.#set(at, 'stopped', 'cordoned, not drained: stopped', 'warn');
    this.#current = one.drain;
    try {
      const isBegun = await one.drain.run();
      if (one.drain.isDrained) this.#set(at, 'drained', undefined, 'ok');
      else if (this.#isStopped) this.#set(at, 'stopped', undefined, 'warn');
      else if (!isBegun) this.#set(at, 'undecided', undefined, 'warn');
      else this.#set(at, 'failed', undefined, 'bad');
    } catch (error) {
      this.#fail(at, error);
    } finally {
      this.#current = null;
    }
  }

  #fail(at, error) {
    const one = this.#all[at];
    one.error = error;
    this.#set(at, 'failed', `failed: ${reasonOf(error, one.drain.isCordoned)}${error.message} No pod was evicted.`, 'bad');
  }

  #set(at, state, says, tone) {
    this.#all[at].state = state;
    this.#tell(at, { says, tone });
  }
}
