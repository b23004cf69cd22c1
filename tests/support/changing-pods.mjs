// Pods of one namespace, changed without the page's involvement, and the faults of the embedded apiserver.

const NAMESPACE = 'chaos';
const PODS = 12;

async function send(method, url, body, { type = 'application/json', timeout = 120_000 } = {}) {
  const response = await fetch(url, {
    method,
    body: body && JSON.stringify(body),
    headers: body ? { 'content-type': type } : {},
    signal: AbortSignal.timeout(timeout),
  });
  if (!response.ok) throw new Error(`${method} ${url}: HTTP ${response.status}`);
  return response.json();
}

export class Cluster {
  /** Expected state of the server: statuses as a page shows them, by name. */
  pods = {};
  #base;
  #timeout;

  /** @param timeout of a request, in milliseconds */
  constructor(url, { timeout } = {}) {
    this.#base = `${url}/api/v1/namespaces`;
    this.#timeout = timeout;
  }

  hash = `#/v1/pods?namespace=${NAMESPACE}`;

  async fill() {
    await this.#send('POST', this.#base, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    for (let at = 0; at < PODS; at++) await this.#create(`pod-${at}`);
  }

  #send = (method, url, body, type) => send(method, url, body, { type, timeout: this.#timeout });

  #pod = (name) => `${this.#base}/${NAMESPACE}/pods/${name}`;

  async #create(name) {
    const spec = { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'pause' }] };
    await this.#send('POST', `${this.#base}/${NAMESPACE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    await this.#report(name, 'New');
  }

  /** A finished pod without containers: nothing else changes it. */
  async #report(name, reason) {
    const status = { phase: 'Failed', reason, containerStatuses: [] };
    await this.#send('PATCH', `${this.#pod(name)}/status`, { status }, 'application/merge-patch+json');
    this.pods = { ...this.pods, [name]: reason };
  }

  /** Performs a change: usually of a status, sometimes a pod is created or deleted. */
  async change(step) {
    const name = `pod-${step % PODS}`;
    if (step % 7 === 6 && this.pods[name]) {
      await this.#send('DELETE', `${this.#pod(name)}?gracePeriodSeconds=0`);
      const { [name]: gone, ...rest } = this.pods;
      this.pods = rest;
    } else if (this.pods[name]) {
      await this.#report(name, `Step${step}`);
    } else {
      await this.#create(name);
    }
  }
}

export class Admin {
  #url;

  constructor(url) {
    this.#url = `${url}/admin/faults`;
  }

  add = (fault) => send('POST', this.#url, fault);
  clear = () => fetch(this.#url, { method: 'DELETE' }).then((response) => response.text());
}
