// Drains of several nodes: all are cordoned first, so that no pod moves from one to another, then drained one by one.
import { Drain } from './eviction.js';

/** Sentence that explains a failed request for a node, with a space at its end; empty if there is nothing to explain. */
export function reasonOf(error, isCordoned) {
  // For another uid, the server reports a conflict or a change of an immutable field. The patch has no version that could conflict.
  const isReplaced = error.code === 'conflict' || error.causes?.some(({ field }) => field === 'metadata.uid');
  return isReplaced ? 'The node was replaced by another one of the same name. ' : isCordoned ? 'The node is cordoned. ' : '';
}

export class Drains {
  #client;
  #options;
  #report;
  #isStopped = false;
  #current = null;
  /** Each node with its state (waits, drained, undecided, failed or stopped), its error, and its drain once that is created. */
  #all;

  /**
   * `nodes` are `{ ref, uid, list() }`. `report(at, { rows, text, tone })` is called at each change of the node with the index `at`.
   * Without `rows` its pods are unchanged, without `text` its sentence is.
   */
  constructor(client, nodes, options, report) {
    [this.#client, this.#options, this.#report] = [client, options, report];
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

  /** The error of a node, with whether the node is cordoned; null if it has none. */
  errorOf(at) {
    const { error, drain } = this.#all[at];
    return error && { error, isCordoned: drain?.isCordoned ?? false };
  }

  /** Stops the current drain, and starts no other. Evicted pods terminate, and the nodes stay cordoned. */
  stop() {
    this.#isStopped = true;
    this.#current?.stop();
  }

  /** Drains the nodes that are not yet drained. Resolves when each of them is drained, has failed, needs a decision, or was not started. */
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
    const onChange = (rows, text) => this.#report(at, { rows, text, tone: '' });
    one.drain = new Drain(this.#client, one.node, one.node.list, this.#options, onChange);
    this.#report(at, { text: 'is being cordoned …', tone: '' });
    try {
      await one.drain.cordon();
      this.#report(at, { text: 'cordoned, waits', tone: '' });
    } catch (error) {
      this.#fail(at, error);
    }
  }

  async #drain(at) {
    const one = this.#all[at];
    if (this.#isStopped) return this.#set(at, 'stopped', 'cordoned, not drained: stopped', 'warn');
    this.#current = one.drain;
    try {
      const isDecided = await one.drain.run();
      if (one.drain.isDrained) this.#set(at, 'drained', undefined, 'ok');
      else if (this.#isStopped) this.#set(at, 'stopped', undefined, 'warn');
      else if (!isDecided) this.#set(at, 'undecided', undefined, 'warn');
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

  #set(at, state, text, tone) {
    this.#all[at].state = state;
    this.#report(at, { text, tone });
  }
}
