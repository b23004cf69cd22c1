// Evictions of a drain: which pods go, one request for each, and another one while a budget forbids it.

/** Requests about pods that are in flight at the same time. */
const AT_ONCE = 5;
/** Pause before the eviction of a protected pod is retried, and interval of checks of the remaining pods, in milliseconds. */
const RETRY = 5_000;
const LOOK = 1_000;

/** Decision of a drain about a pod, with the reason, as in `kubectl drain`: `evict`, `stays`, or `refused` without an option. */
export function judge(pod, { withUnmanaged = false, withLocalData = false } = {}) {
  const { namespace, name, uid, annotations = {}, ownerReferences = [] } = pod.metadata;
  const row = (verdict, state, tone = '') => ({ namespace, name, uid, verdict, state, tone });
  const controller = ownerReferences.find((owner) => owner.controller);
  const isFinished = ['Succeeded', 'Failed'].includes(pod.status?.phase);
  if (annotations['kubernetes.io/config.mirror']) return row('stays', 'stays: a static pod of the kubelet');
  if (controller?.kind === 'DaemonSet' && !isFinished) return row('stays', 'stays: a DaemonSet would create it again');
  if (pod.metadata.deletionTimestamp) return row('evict', 'ends already');
  if (isFinished) return row('evict', 'has ended');
  if (!controller && !withUnmanaged) return row('refused', 'has no controller', 'warn');
  if (pod.spec?.volumes?.some((volume) => volume.emptyDir) && !withLocalData) return row('refused', 'has an emptyDir volume', 'warn');
  return row('evict', 'waits');
}

const pause = (milliseconds, signal) => new Promise((resolve) => {
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    resolve();
  };
  const timer = setTimeout(end, milliseconds);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
});

/** A semaphore: runs at most `most` requests at the same time, in the order in which they come. */
export function limited(most) {
  const waiting = [];
  let running = 0;
  return async (send) => {
    if (running < most) running += 1;
    else await new Promise((resolve) => waiting.push(resolve));
    try {
      return await send();
    } finally {
      // The place is handed on.
      if (waiting.length) waiting.shift()();
      else running -= 1;
    }
  };
}

/** Drain of one node, in kubectl's order: the node is cordoned, then its pods are listed, judged, and evicted. */
export class Drain {
  #client;
  #node;
  #list;
  #options;
  #rows = [];
  #tell;
  #stopped = new AbortController();
  #send = limited(AT_ONCE);
  isCordoned = false;

  /** `node` is `{ ref, uid }`, and `list()` resolves to its pods. `tell(rows, says)` is called with each change. */
  constructor(client, node, list, options, tell) {
    [this.#client, this.#node, this.#list, this.#options, this.#tell] = [client, node, list, options, tell];
  }

  /** Stops evicting. Pods that were evicted already terminate, and the node stays cordoned. */
  stop() {
    if (this.#isStopped) return;
    this.#stopped.abort();
    this.#say();
  }

  /** Cordons the node, unless that is done. */
  async cordon() {
    if (this.isCordoned) return;
    const { ref, uid } = this.#node;
    await this.#client.patch(ref, { metadata: { uid }, spec: { unschedulable: true } });
    this.isCordoned = true;
  }

  /** Whether all pods that have to go are gone. */
  get isDrained() {
    return this.#rows.every(({ verdict, tone }) => verdict === 'stays' || tone === 'ok');
  }

  /** Resolves to whether pods were evicted: false if one of them needs a decision first. */
  async run() {
    await this.cordon();
    this.#rows = (await this.#list()).map((pod) => judge(pod, this.#options));
    const refused = this.#rows.filter(({ verdict }) => verdict === 'refused').length;
    if (refused) {
      this.#tell(this.#rows, `The node is cordoned, and no pod was evicted: ${refused} of its pods ${refused === 1 ? 'needs' : 'need'} a decision above.`);
      return false;
    }
    // Each pod has its own loop, as in kubectl: one that waits for its budget, or for its end, holds up no other.
    await Promise.all(this.#rows.filter(({ verdict }) => verdict === 'evict').map((row) => this.#evict(row)));
    this.#say(true);
    return true;
  }

  get #isStopped() {
    return this.#stopped.signal.aborted;
  }

  #set(row, state, tone = '') {
    Object.assign(row, { state, tone });
    this.#say();
  }

  #say(isOver = false) {
    const goes = this.#rows.filter(({ verdict }) => verdict === 'evict');
    const count = (tone) => goes.filter((row) => row.tone === tone).length;
    const [gone, failed] = [count('ok'), count('bad')];
    const rest = goes.length - gone - failed;
    const begin = this.#isStopped ? 'Stopped' : !isOver ? 'Draining' : failed ? 'Not drained' : 'Drained';
    const end = isOver || this.#isStopped ? ' The node stays cordoned.' : '';
    this.#tell(this.#rows, `${begin}: ${gone} of ${goes.length} pods are gone${failed ? `, ${failed} failed` : ''}${rest && isOver ? `, ${rest} left` : ''}.${end}`);
  }

  /** Whether the pod is gone. Another one may have its name by now. A look that fails says nothing. */
  async #isGone(ref, uid) {
    const found = await this.#send(() => this.#client.get(ref)).catch((error) => (error.code === 'not-found' ? null : { metadata: { uid } }));
    return found?.metadata.uid !== uid;
  }

  async #evict(row) {
    const { namespace, name, uid } = row;
    const ref = { resource: 'v1/pods', namespace, name };
    for (;;) {
      try {
        const isSent = await this.#send(async () => {
          if (this.#isStopped) return false;
          this.#set(row, 'evicting …');
          await this.#client.evict(ref, { uid });
          return true;
        });
        if (!isSent) return;
        break;
      } catch (error) {
        if (error.code === 'not-found') return this.#set(row, 'gone', 'ok');
        // 429 is the budget's word, and a conflict may be that of another pod: any other error is the end for this pod.
        if (error.code === 'conflict' && await this.#isGone(ref, uid)) return this.#set(row, 'gone', 'ok');
        if (error.status !== 429) return this.#set(row, `failed: ${error.message}`, 'bad');
        this.#set(row, `waits for its budget: ${error.message}`, 'warn');
        await pause(error.retryAfterMs || RETRY, this.#stopped.signal);
        if (this.#isStopped) return this.#set(row, `stays: ${error.message}`, 'warn');
        // A budget is judged before the uid, so the word may be about another pod.
        if (await this.#isGone(ref, uid)) return this.#set(row, 'gone', 'ok');
      }
    }
    this.#set(row, 'ends …');
    for (;;) {
      if (await this.#isGone(ref, uid)) return this.#set(row, 'gone', 'ok');
      if (this.#isStopped) return this.#set(row, 'was evicted, ends');
      await pause(LOOK, this.#stopped.signal);
    }
  }
}
