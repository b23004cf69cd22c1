// Comparison of the worker's objects and the page's rows with the server's.

/** Opens a connection from the page to its shared worker, as another tab would. */
export const openLine = (page) =>
  page.evaluate(async () => {
    const { connect } = await import(new URL('kube-informer/index.js', document.baseURI).href);
    // Without persistence: a page that persists requests the user's identity each time.
    window.line = await connect({ persist: false });
  });

/**
 * Uses the informer of all pods for a moment. Resolves to its status and, if `compare` is set, to the number of pods of the
 * server, and the keys of those whose cached state differs. Also returns the informer's counters, and its last protocol
 * steps.
 */
export const worker = (page, compare = false) =>
  page.evaluate(async (compare) => {
    const informer = line.forResource('v1/pods');
    line.start();
    await informer.synced;
    const answer = { status: informer.status, pods: 0, different: [] };
    answer.inspection = await informer.inspect();
    if (compare) {
      const ours = await informer.lister.list();
      const theirs = (await (await fetch('/api/v1/pods')).json()).items;
      // Objects that came in protobuf have empty members as Go writes them; the embedded apiserver's JSON has them as they were written.
      const isEmpty = (value) => value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
      const sorted = (value) => {
        if (Array.isArray(value)) return value.map(sorted);
        if (!value || typeof value !== 'object') return value;
        const members = Object.keys(value).sort().map((name) => [name, sorted(value[name])]);
        return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
      };
      // A list has kind and apiVersion once for all items, and managed fields are not cached.
      const text = ({ kind, apiVersion, metadata: { managedFields, ...metadata }, ...rest }) => JSON.stringify(sorted({ metadata, ...rest }));
      const byKey = (pods) => new Map(pods.map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, text(pod)]));
      const [held, there] = [byKey(ours), byKey(theirs)];
      answer.pods = there.size;
      answer.different = [...new Set([...held.keys(), ...there.keys()])].filter((key) => held.get(key) !== there.get(key));
    }
    await informer.stop();
    return answer;
  }, compare);

/** Cells that do not change with time alone. */
const COLUMNS = ['Ready', 'Status', 'Restarts'];

/** Returns all rows by key, as the server prints them for kubectl. */
export async function printed(url) {
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const { columnDefinitions, rows } = await (await fetch(`${url}/api/v1/pods`, { headers })).json();
  const places = COLUMNS.map((column) => columnDefinitions.findIndex(({ name }) => name === column));
  const key = ({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`;
  return Object.fromEntries(rows.map((row) => [key(row), places.map((place) => `${row.cells[place]}`.replace(/ \(.*/, '')).join(' ')]));
}

/** Returns all rows by key, as the page shows them while it is scrolled from the first to the last. */
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

/** Returns the keys whose rows differ. */
export const differing = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
