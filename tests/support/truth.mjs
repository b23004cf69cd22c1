// Comparison of the worker's objects and the page's rows with the server's.
import { readFileSync } from 'node:fs';

/** Of the messages between a page and its worker. */
const version = Number(readFileSync(new URL('../../informer/engine/src/message.rs', import.meta.url), 'utf8').match(/PROTOCOL_VERSION: u32 = (\d+)/)[1]);

/** Opens a line from the page to its shared worker, as one more tab would. Once: a page keeps every SharedWorker it has asked for. */
export const openLine = (page) =>
  page.evaluate((version) => {
    const { js, wasm } = document.querySelector('script[data-wasm]').dataset;
    const file = (path) => path.split('/').at(-1);
    // The same words as those of www/boot.js: it is the same worker.
    const script = `worker.js?js=${file(js)}&wasm=${file(wasm)}`;
    const { port } = new SharedWorker(script, { type: 'module', name: 'kube-informer' });
    window.line = {
      last: 0,
      say: (message) => port.postMessage(message),
      heard: (isIt) =>
        new Promise((resolve, reject) => {
          port.onmessage = ({ data }) => {
            const message = typeof data === 'string' ? JSON.parse(data) : data;
            if (message.type === 'refused' || message.type === 'failed') reject(new Error(message.error.message));
            else if (isIt(message)) resolve(message);
          };
        }),
    };
    line.say({});
    // Keeping nothing: who keeps something asks the server whose it is, each time.
    line.say({ type: 'connect', version, url: location.origin, persist: false });
  }, version);

/**
 * Takes part in the informer of all pods, for a moment. Resolves to its status and, where `compare` is set, to how many
 * pods the server has, and the keys of those that the worker does not hold exactly as they are. With it comes what the
 * informer has counted, and its last steps.
 */
export const worker = (page, compare = false) =>
  page.evaluate(async (compare) => {
    const informer = ++line.last;
    const synced = line.heard((message) => message.type === 'status' && message.informer === informer && message.status.hasSynced);
    line.say({ type: 'informer', informer, resource: 'v1/pods', options: {} });
    line.say({ type: 'start' });
    const answer = { status: (await synced).status, pods: 0, different: [] };
    const inspected = line.heard(({ type }) => type === 'reply');
    line.say({ type: 'inspect', request: 2, informer });
    answer.inspection = (await inspected).json;
    if (compare) {
      const replied = line.heard(({ type }) => type === 'reply');
      line.say({ type: 'read', request: 1, informer, read: { list: {} } });
      const ours = (await replied).json;
      const theirs = (await (await fetch('/api/v1/pods')).json()).items;
      const sorted = (value) => {
        if (Array.isArray(value)) return value.map(sorted);
        if (!value || typeof value !== 'object') return value;
        return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
      };
      // A list says once for all what its items are, and managed fields are not kept.
      const text = ({ kind, apiVersion, metadata: { managedFields, ...metadata }, ...rest }) => JSON.stringify(sorted({ metadata, ...rest }));
      const byKey = (pods) => new Map(pods.map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, text(pod)]));
      const [held, there] = [byKey(ours), byKey(theirs)];
      answer.pods = there.size;
      answer.different = [...new Set([...held.keys(), ...there.keys()])].filter((key) => held.get(key) !== there.get(key));
    }
    line.say({ type: 'stop', informer });
    return answer;
  }, compare);

/** The cells that do not change with time alone. */
const COLUMNS = ['Ready', 'Status', 'Restarts'];

/** All rows by key, as the server would print them for kubectl. */
export async function printed(url) {
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const { columnDefinitions, rows } = await (await fetch(`${url}/api/v1/pods`, { headers })).json();
  const places = COLUMNS.map((column) => columnDefinitions.findIndex(({ name }) => name === column));
  const key = ({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`;
  return Object.fromEntries(rows.map((row) => [key(row), places.map((place) => `${row.cells[place]}`.replace(/ \(.*/, '')).join(' ')]));
}

/** All rows by key, as the page shows them to somebody who scrolls from the first to the last. */
export const shown = (page) =>
  page.evaluate(async (columns) => {
    const grid = document.querySelector('[role=grid]');
    const height = parseFloat(getComputedStyle(grid).getPropertyValue('--row-height'));
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const all = {};
    const step = Math.max(1, Math.floor(grid.clientHeight / height) - 2);
    const total = () => Number(grid.dataset.total);
    for (let first = 0; first < total(); first += step) {
      grid.scrollTo(0, first * height);
      const last = Math.min(first + step, total());
      for (const deadline = performance.now() + 120_000; ; ) {
        await frame();
        const rows = [...document.querySelectorAll('.canvas [role=row][data-key]:not([hidden])')];
        // The header is the first row, and ARIA counts from 1.
        const at = new Map(rows.map((row) => [row.getAttribute('aria-rowindex') - 2, row]));
        const wanted = Array.from({ length: last - first }, (_, index) => at.get(first + index));
        if (wanted.every(Boolean)) {
          for (const row of wanted) {
            const cell = (column) => row.querySelector(`[role=gridcell][data-column="${column}"]`).textContent.replace(/ \(.*/, '');
            all[row.dataset.key] = columns.map(cell).join(' ');
          }
          break;
        }
        if (performance.now() > deadline) throw new Error(`the rows ${first} to ${last} do not come`);
      }
    }
    grid.scrollTo(0, 0);
    return all;
  }, COLUMNS);

/** Keys of which the two say something else. */
export const differing = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
