// Evictions of a drain: which pods are evicted, one request for each of them, and retries while a PodDisruptionBudget forbids it.

/** Maximum number of requests about pods in flight. */
const MAX_IN_FLIGHT = 5;
/** Default pause before the eviction of a protected pod is retried, in milliseconds. */
const RETRY_DELAY = 5_000;
/** Interval at which it is checked whether an evicted pod is gone, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/** Verdict of a drain about a pod, with the reason, as in `kubectl drain`: `evict`, `stays`, or `refused` if an option is required. */
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

/** Semaphore: at most `limit` requests are in flight; the others are queued in order. */
export function limited(limit) {
  const queue = [];
  let running = 0;
  return async (send) => {
    if (running < limit) running += 1;
    else await new Promise((resolve) => queue.push(resolve));
    try {
      return await send();
    } finally {
      // The slot passes to the next queued request.
      if (queue.length) queue.shift()();
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
  #report;
  #stopped = new AbortController();
  #send = limited(MAX_IN_FLIGHT);
  isCordoned = false;

  /** `node` is `{ ref, uid }`, and `list()` resolves to its pods. `report(rows, text)` is called at each change. */
  constructor(client, node, list, options, report) {
    [this.#client, this.#node, this.#list, this.#options, this.#report] = [client, node, list, options, report];
  }

  /** Stops evicting. Pods that were evicted already terminate, and the node stays cordoned. */
  stop() {
    if (this.#isStopped) return;
    this.#stopped.abort();
    this.#reportCounts();
  }

  /** Cordons the node if it is not yet cordoned. */
  async cordon() {
    if (this.isCordoned) return;
    const { ref, uid } = this.#node;
    await this.#client.patch(ref, { metadata: { uid }, spec: { unschedulable: true } });
    this.isCordoned = true;
  }

  /** Whether all pods that are to be evicted are gone. */
  get isDrained() {
    return this.#rows.every(({ verdict, tone }) => verdict === 'stays' || tone === 'ok');
  }

  /** Drains the node. Resolves to false, without any eviction, if a pod needs a decision first. */
  async run() {
    await this.cordon();
    this.#rows = (await this.#list()).map((pod) => judge(pod, this.#options));
    const refused = this.#rows.filter(({ verdict }) => verdict === 'refused').length;
    if (refused) {
      this.#report(this.#rows, `The node is cordoned, and no pod was evicted: ${refused} of its pods ${refused === 1 ? 'needs' : 'need'} a decision above.`);
      return false;
    }
    // Each pod has its own loop, as in kubectl: a pod that waits for its budget or its end does not delay the others.
    await Promise.all(this.#rows.filter(({ verdict }) => verdict === 'evict').map((row) => this.#evict(row)));
    this.#reportCounts(true);
    return true;
  }

  get #isStopped() {
    return this.#stopped.signal.aborted;
  }

  #set(row, state, tone = '') {
    Object.assign(row, { state, tone });
    this.#reportCounts();
  }

  #reportCounts(isOver = false) {
    const toEvict = this.#rows.filter(({ verdict }) => verdict === 'evict');
    const count = (tone) => toEvict.filter((row) => row.tone === tone).length;
    const [gone, failed] = [count('ok'), count('bad')];
    const rest = toEvict.length - gone - failed;
    const verb = this.#isStopped ? 'Stopped' : !isOver ? 'Draining' : failed ? 'Not drained' : 'Drained';
    const end = isOver || this.#isStopped ? ' The node stays cordoned.' : '';
    this.#report(this.#rows, `${verb}: ${gone} of ${toEvict.length} pods are gone${failed ? `, ${failed} failed` : ''}${rest && isOver ? `, ${rest} left` : ''}.${end}`);
  }

  /** Whether the pod is gone: another pod may have its name by now. If the request fails, the pod counts as not gone. */
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
        // A 429 is from the budget, and a conflict may mean that another pod has the name. Any other error is final for this pod.
        if (error.code === 'conflict' && await this.#isGone(ref, uid)) return this.#set(row, 'gone', 'ok');
        if (error.status !== 429) return this.#set(row, `failed: ${error.message}`, 'bad');
        this.#set(row, `waits for its budget: ${error.message}`, 'warn');
        await pause(error.retryAfterMs || RETRY_DELAY, this.#stopped.signal);
        if (this.#isStopped) return this.#set(row, `stays: ${error.message}`, 'warn');
        // The server checks the budget before the uid, so the 429 may be about another pod of this name.
        if (await this.#isGone(ref, uid)) return this.#set(row, 'gone', 'ok');
      }
    }
    this.#set(row, 'ends …');
    for (;;) {
      if (await this.#isGone(ref, uid)) return this.#set(row, 'gone', 'ok');
      if (this.#isStopped) return this.#set(row, 'was evicted, ends');
      await pause(CHECK_INTERVAL, this.#stopped.signal);
    }
  }
}
