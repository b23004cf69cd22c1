// Application of a user: a table of the first 40 pods by name. `?with=ours` has the package with its shared worker and stays live,
// `?with=javascript` has the hand-written informer in the page and shows the first list, `?with=nothing` is the empty page.
//
// `window.app` resolves to the time until the whole list is cached and its first rows are in the document, in milliseconds
// since the navigation, and to the duration of the longest task of the main thread until then.
const ROWS = 40;
const COLUMNS = {
  name: '{.metadata.name}',
  namespace: '{.metadata.namespace}',
  phase: '{.status.phase}',
  node: '{.spec.nodeName}',
  restarts: '{.status.containerStatuses[0].restartCount}',
};

let longest = 0;
const observer = new PerformanceObserver((list) => count(list.getEntries()));
function count(entries) {
  for (const { duration } of entries) longest = Math.max(longest, duration);
}
observer.observe({ type: 'longtask' });

function render(rows) {
  document.querySelector('tbody').replaceChildren(
    ...rows.map((row) => {
      const tr = document.createElement('tr');
      for (const name of Object.keys(COLUMNS)) tr.insertCell().textContent = row[name] ?? '';
      return tr;
    }),
  );
}

async function ours() {
  const { connect } = await import('./package/index.js');
  const factory = await connect();
  const view = factory.forResource('v1/pods').view({ columns: COLUMNS, orderBy: [['name', 'asc']], window: [0, ROWS] });
  view.subscribe(() => render(view.getSnapshot().rows));
  factory.start();
  await view.ready;
  render(view.getSnapshot().rows);
  return view.getSnapshot().total;
}

async function javascript() {
  const { Informer } = await import('./contestants/javascript.js');
  const informer = new Informer('/api/v1/pods');
  const show = () => {
    const pods = [...informer.cache.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).slice(0, ROWS);
    render(pods.map(({ metadata, spec, status }) => ({ ...metadata, phase: status.phase, node: spec.nodeName, restarts: status.containerStatuses?.[0]?.restartCount })));
  };
  await informer.start();
  show();
  return informer.cache.size;
}

window.app = (async () => {
  const pods = await { ours, javascript, nothing: () => 0 }[new URLSearchParams(location.search).get('with')]();
  const ready = performance.now();
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  count(observer.takeRecords());
  return { pods, ready, longest };
})();
