// Trouble: faults of the apiserver and of the way to it, and changes in the cluster, drawn from dice.

const JSON_TYPE = { 'content-type': 'application/json' };
const pick = (random, all) => all[Math.floor(random() * all.length)];

const FAULTS = [
  ...[401, 403, 410, 429, 500, 503, 504].map((code) => ({ fault: 'error', code, times: 4 })),
  ...[{ fault: 'delay', ms: 1_500 }, { fault: 'html', times: 3 }, { fault: 'cut', bytes: 300, inside: 'line', times: 3 }],
  ...[{ fault: 'stall', bytes: 300, times: 2 }, { fault: 'close', times: 2 }, { fault: 'slow-reader', events: 2, times: 2 }],
  ...[{ fault: 'error-event', code: 410, times: 2 }, { fault: 'error-event', code: 500, times: 2 }],
  ...[{ fault: 'duplicate', times: 9 }, { fault: 'garbage', times: 2 }, { fault: 'unknown-type', times: 2 }, { fault: 'wrong-kind', times: 2 }],
  ...[{ fault: 'delay-events', ms: 1_500 }, { fault: 'drop-bookmarks' }],
  ...[{ fault: 'cut-open' }, { fault: 'end-open' }, { fault: 'stall-open' }, { fault: 'compact' }],
  ...[{ fault: 'restart', away_ms: 1_000 }, { fault: 'replace', revision: 1, away_ms: 500 }, { fault: 'drain', ms: 3_000 }],
];

export class Trouble {
  #url;
  #front;
  #pods = [];

  /** @param url of the apiserver itself  @param front between it and the page */
  constructor(url, front) {
    this.#url = url;
    this.#front = front;
  }

  /** Takes note of the pods that can be changed. */
  async learn() {
    const { items } = await (await fetch(`${this.#url}/api/v1/pods`)).json();
    this.#pods = items.map(({ metadata }) => `${this.#url}/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`);
  }

  /** One change of a pod, or its end. A server that refuses it, or stalls the response, does so on command: that is no finding. */
  async stir(random) {
    const pod = pick(random, this.#pods);
    if (!pod) return;
    const status = { phase: 'Failed', reason: `Step${Math.floor(random() * 100)}`, containerStatuses: [] };
    const signal = AbortSignal.timeout(10_000);
    const isEnd = random() < 0.05;
    const body = isEnd ? undefined : JSON.stringify({ status });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const request = isEnd ? fetch(pod, { method: 'DELETE', signal }) : fetch(`${pod}/status`, { method: 'PATCH', headers, body, signal });
    await request.then((answer) => answer.arrayBuffer()).catch(() => {});
  }

  /** Begins a fault; resolves to its description. */
  async begin(random) {
    if (random() < 0.2) {
      this.#front.goAway();
      return 'the proxy goes away';
    }
    const fault = { ...pick(random, FAULTS), ...(random() < 0.3 ? { resource: 'pods' } : {}) };
    const answer = await fetch(`${this.#url}/admin/faults`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(fault) });
    if (!answer.ok) throw new Error(`${JSON.stringify(fault)}: ${await answer.text()}`);
    return JSON.stringify(fault);
  }

  /** All is well again. */
  async end() {
    this.#front.comeBack();
    await fetch(`${this.#url}/admin/faults`, { method: 'DELETE' });
  }
}
