// Evictions of a drain: which pods go, one request for each, and another one while a budget forbids it.

/** Pods that are evicted at the same time. */
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
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
});

export class Drain {
  #client;
  #node;
  #rows;
  #tell;
  #stopped = new AbortController();

  constructor(client, node, pods, options, tell) {
    this.#client = client;
    this.#node = node;
    this.#rows = pods.map((pod) => ({ ...judge(pod, options), state: judge(pod, options).state }));
    this.#tell = tell;
  }

  /** Stops evicting. Pods that were evicted already terminate, and the node stays cordoned. */
  stop() {
    if (this.#isStopped) return;
    this.#stopped.abort();
    this.#say();
  }

  async run() {
    await this.#client.patch(this.#node, { spec: { unschedulable: true } });
    const queue = this.#rows.filter(({ verdict }) => verdict === 'evict');
    const waiting = [...queue];
    const work = async () => {
      for (let row = waiting.shift(); row && !this.#isStopped; row = waiting.shift()) await this.#evict(row);
    };
    await Promise.all([...Array(AT_ONCE).keys()].map(work));
    this.#say(true);
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

  async #evict(row) {
    const { namespace, name, uid } = row;
    const ref = { resource: 'v1/pods', namespace, name };
    for (;;) {
      this.#set(row, 'evicting …');
      try {
        await this.#client.evict(ref);
        break;
      } catch (error) {
        if (error.code === 'not-found') return this.#set(row, 'gone', 'ok');
        // 429 is the budget's word: any other error is the end for this pod.
        if (error.status !== 429) return this.#set(row, `failed: ${error.message}`, 'bad');
        this.#set(row, `waits for its budget: ${error.message}`, 'warn');
        await pause(error.retryAfterMs || RETRY, this.#stopped.signal);
        if (this.#isStopped) return this.#set(row, `stays: ${error.message}`, 'warn');
      }
    }
    this.#set(row, 'ends …');
    for (;;) {
      // Another pod may have the name by now.
      const found = await this.#client.get(ref).catch((error) => (error.code === 'not-found' ? null : { metadata: { uid } }));
      if (found?.metadata.uid !== uid) return this.#set(row, 'gone', 'ok');
      if (this.#isStopped) return this.#set(row, 'was evicted, ends');
      await pause(LOOK, this.#stopped.signal);
    }
  }
}
