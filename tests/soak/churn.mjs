// Changes of pods at a steady rate, over HTTP, so that their number and the time of the last one are known.
import { dice } from '../support/dice.mjs';

/** One of this number of changes is the end of a pod. Its owner creates another one, which is about six further events. */
const END_ONE_IN = 50;
/** Changes at the same time when all pods are changed once. */
const AT_ONCE = 16;
const EVERY_MS = 50;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Churn {
  /** Changes that the server has accepted. */
  made = 0;
  #url;
  #rate;
  #random;
  #pods = [];
  #ended = false;
  #running;

  constructor(url, { rate, seed = 1 }) {
    this.#url = url;
    this.#rate = rate;
    this.#random = dice(seed);
  }

  /** Takes note of the pods that can be changed: those that run, and will be replaced when they end. */
  async learn() {
    const { items } = await (await fetch(`${this.#url}/api/v1/pods`)).json();
    this.#pods = items
      .filter(({ metadata, status }) => metadata.ownerReferences && !metadata.deletionTimestamp && status.phase === 'Running' && status.containerStatuses)
      .filter(({ metadata }) => metadata.ownerReferences[0].kind !== 'Job')
      .map(({ metadata, status }) => ({
        path: `${this.#url}/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`,
        containers: status.containerStatuses,
      }));
  }

  /** Changes each pod once. The first change makes pods larger, which is not part of the measurement. */
  async begin() {
    await this.learn();
    const all = [...this.#pods];
    const worker = async () => {
      for (let pod = all.pop(); pod; pod = all.pop()) await this.#report(pod);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  start() {
    this.#running = this.#run();
    this.#running.catch(() => {}); // `stop` reports it
  }

  /** Ends it; throws its error. */
  async stop() {
    this.#ended = true;
    await this.#running;
  }

  async #run() {
    let owed = 0;
    for (let last = performance.now(); !this.#ended; await pause(EVERY_MS)) {
      const now = performance.now();
      // Never more than half a second's worth: after a pause it does not race.
      owed = Math.min(owed + ((now - last) / 1000) * this.#rate, this.#rate / 2);
      last = now;
      const due = Math.floor(owed);
      owed -= due;
      await Promise.all(Array.from({ length: due }, () => this.#change()));
    }
  }

  async #change() {
    if (this.#pods.length === 0) throw new Error('there are no pods to change');
    const at = Math.floor(this.#random() * this.#pods.length);
    const pod = this.#pods[at];
    if (this.#random() * END_ONE_IN < 1) {
      this.#pods.splice(at, 1);
      await this.#send('DELETE', pod.path);
    } else {
      await this.#report(pod);
    }
  }

  /** A kubelet's report: whether the first container is healthy, and its number of restarts. */
  #report({ path, containers }) {
    const well = this.#random() < 0.7;
    const restartCount = Math.floor(this.#random() * 90) + 10;
    const [first, ...others] = containers;
    const state = well
      ? { running: { startedAt: '2026-01-01T00:00:00Z' } }
      : { waiting: { reason: 'CrashLoopBackOff', message: `back-off 5m0s restarting failed container=${first.name}` } };
    const containerStatuses = [{ ...first, ready: well, started: well, restartCount, state, lastState: {} }, ...others];
    return this.#send('PATCH', `${path}/status`, { status: { containerStatuses } });
  }

  async #send(method, url, body) {
    const headers = body && { 'content-type': 'application/merge-patch+json' };
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    await response.arrayBuffer();
    // Not there any more: its owner was quicker.
    if (response.status === 404) return;
    if (!response.ok) throw new Error(`${method} ${url}: HTTP ${response.status}`);
    this.made++;
  }
}
