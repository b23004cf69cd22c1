// Page of several clusters: a tab for each, the frame of the current one, and the frames of the others, hidden and live.
//
// The address is /?cluster=NAME with the hash of that cluster's page. A step within a cluster is an entry of this page's history, and so
// is a switch. The state of an entry is `{ cluster, hash, entry }`: the name, and hash and state of the cluster's page.
import { openFrame, visible } from './clusters-frame.js';
import { createTab } from './clusters-tab.js';

/** Milliseconds between two requests for the states of the connections, while the page is visible. */
const POLL_EVERY = 5_000;

const [tabs, panels, says, notice] = ['tabs', 'panels', 'says', 'notice'].map((id) => document.getElementById(id));
/** What is shown: `{ name, path, isProtected, state, reason, tab, panel, colour, showState, frame, shown }` for each cluster. */
let clusters = [];
let current;
let firstHash = '';

/** Adds a tab and an empty panel. */
function add(cluster, at) {
  const view = createTab(cluster, at, { onChoose: () => choose(cluster), onRetry: () => retry(cluster) });
  Object.assign(cluster, { tab: view.tab, panel: view.panel, colour: view.colour, showState: view.show });
  tabs.append(view.tab);
  panels.append(view.panel);
}

/** Starts the connection of a cluster again. */
async function retry(cluster) {
  await load('POST', `/start?cluster=${encodeURIComponent(cluster.name)}`).catch((error) => {
    cluster.reason = `The connection could not be started (${error.message}). Check that the dashboard is running.`;
    update(cluster);
  });
}

/** The state of a cluster's tab: that of its connection, then that of its page. */
function stateOf({ state, frame }) {
  if (state === 'ended') return 'ended';
  return frame ? frame.freshness() : state === 'starting' ? 'starting' : 'closed';
}

/** Updates the tab of a cluster, and the title. */
function update(cluster) {
  const state = stateOf(cluster);
  const problems = cluster.frame?.title().match(/^\((\d+\+?)\) /)?.[1] ?? '';
  const shown = `${state} ${problems} ${cluster.reason}`;
  if (shown !== cluster.shown) {
    const word = cluster.showState(state, problems, cluster.reason);
    // Screen readers read the loss of a cluster that is not shown; its own page tells about the current one.
    if (cluster.shown && cluster !== current && ['ended', 'disconnected'].includes(state)) says.textContent = `Cluster ${visible(cluster.name)}: ${word}`;
    cluster.shown = shown;
  }
  if (cluster === current) document.title = [visible(cluster.name), cluster.frame.title()].filter(Boolean).join(' · ');
}

/** Writes the view of the current cluster into the history, by `pushState` or `replaceState`. */
function write(method, hash = current.frame.hash() ?? location.hash) {
  const [{ name, frame }, { state }] = [current, history];
  const entry = frame.entry();
  if (method === 'replaceState' && state?.cluster === name && state.hash === hash && state.entry === entry) return;
  try {
    history[method]({ cluster: name, hash, entry }, '', `/?cluster=${encodeURIComponent(name)}${hash}`);
  } catch {
    // Browsers limit how often the address may change. The next change corrects it.
  }
}

const scrollToTab = () => current?.tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** Marks the tab of a cluster, and shows its panel; of none, if it is undefined. */
function select(cluster) {
  current = cluster;
  notice.hidden = cluster !== undefined;
  if (cluster) panels.dataset.colour = cluster.colour;
  else delete panels.dataset.colour;
  for (const other of clusters) {
    const isCurrent = other === cluster;
    other.tab.setAttribute('aria-selected', `${isCurrent}`);
    other.tab.tabIndex = isCurrent || (!cluster && other === clusters[0]) ? 0 : -1;
    other.panel.inert = !isCurrent;
    other.panel.classList.toggle('is-current', isCurrent);
  }
  scrollToTab();
}

/** Shows a cluster, at this hash if its page is opened now. */
function show(cluster, hash = firstHash) {
  const ifCurrent = (method) => () => cluster === current && write(method);
  cluster.frame ??= openFrame(cluster, hash, cluster.panel, {
    stepped: ifCurrent('pushState'),
    moved: ifCurrent('replaceState'),
    changed() {
      update(cluster);
      if (cluster.frame?.freshness() === 'disconnected' && cluster.state !== 'ended') refresh();
    },
    key: onKey,
    strayed: () => current?.frame.focus(),
  });
  select(cluster);
  update(cluster);
}

/** Switches to a cluster, as a step that Back undoes. */
function choose(cluster) {
  if (cluster === current) return;
  show(cluster);
  write('pushState', cluster.frame.hash() ?? firstHash);
}

/** Shows what the address names: at the start, after a step in the history, and if the user has changed it. */
function showAddress() {
  const { state } = history;
  const name = new URLSearchParams(location.search).get('cluster');
  const cluster = name === null ? clusters[0] : clusters.find((cluster) => cluster.name === name);
  if (!cluster) {
    // Another cluster in its place could be mistaken for it.
    select(undefined);
    document.title = 'kube-informer';
    notice.textContent = `This dashboard has no cluster ${JSON.stringify(visible(name))}. Choose one of the tabs, or start the dashboard with this context.`;
    return;
  }
  const { hash } = location;
  const wasOpen = cluster.frame !== undefined;
  show(cluster, hash || firstHash);
  if (wasOpen && cluster.frame.hash() !== hash) cluster.frame.visit(hash, state?.cluster === name ? state.entry : null);
  write('replaceState', wasOpen ? undefined : hash || firstHash);
}

/** Keys of this page, also while the focus is in a frame. */
function onKey(event) {
  const { key, code, ctrlKey, altKey, shiftKey, metaKey, target } = event;
  const number = /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1];
  // Some keyboards type characters with AltGr, which is Ctrl and Alt to them.
  if (number && ctrlKey && altKey && !shiftKey && !metaKey && !event.getModifierState('AltGraph')) {
    const cluster = clusters[number - 1];
    if (!cluster) return;
    event.preventDefault();
    event.stopPropagation();
    choose(cluster);
    cluster.frame.focus();
  } else if (key === 'F6' && !ctrlKey && !altKey && !shiftKey && !metaKey && target.ownerDocument !== document && !target.closest?.('.xterm')) {
    // From a tab, the browser's own F6 leads on to its toolbar. Programs in a terminal have their own.
    event.preventDefault();
    event.stopPropagation();
    current.tab.focus();
  }
}

/** Keys within the row of tabs: arrows move the focus, Enter and Space open. */
function onTabKey(event) {
  const at = clusters.findIndex(({ tab }) => tab === document.activeElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: clusters.length - 1 }[event.key];
  if (at < 0 || event.ctrlKey || event.altKey || event.metaKey || (to === undefined && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  if (to === undefined) return current?.frame.focus();
  const { tab } = clusters.at(to % clusters.length);
  for (const cluster of clusters) cluster.tab.tabIndex = cluster.tab === tab ? 0 : -1;
  tab.focus();
}

/** Requests the clusters, and shows their states. */
async function load(method = 'GET', path = '/clusters.json') {
  const response = await fetch(path, { method, cache: 'no-store' });
  if (!response.ok) throw new Error(await response.text());
  const answer = await response.json();
  for (const known of answer.clusters ?? answer) {
    const cluster = clusters.find(({ name }) => name === known.name);
    if (!cluster) continue;
    Object.assign(cluster, known);
    update(cluster);
  }
  return answer;
}

let isLoading = false;
async function refresh() {
  if (isLoading || document.hidden) return;
  isLoading = true;
  // If the dashboard has ended, the pages say so.
  await load().catch(() => {});
  isLoading = false;
}

/** Applies the stored theme and density to this page. */
function readTheme() {
  for (const name of ['theme', 'density']) {
    let value;
    try {
      value = localStorage.getItem(`kube-informer.${name}`);
    } catch {
      // No storage, no choice.
    }
    if (value) document.documentElement.dataset[name] = value;
    else delete document.documentElement.dataset[name];
  }
}

readTheme();
// A choice in one frame is one for all; the frames follow it themselves.
addEventListener('storage', readTheme);
try {
  ({ clusters, hash: firstHash } = await load());
  clusters.forEach(add);
  clusters.forEach(update);
  showAddress();
  addEventListener('popstate', showAddress);
  addEventListener('keydown', onKey);
  addEventListener('resize', scrollToTab);
  tabs.addEventListener('keydown', onTabKey);
  document.addEventListener('visibilitychange', refresh);
  setInterval(refresh, POLL_EVERY);
} catch (error) {
  notice.setAttribute('role', 'alert');
  notice.textContent = `The clusters could not be loaded (${error.message}). Check that the dashboard is running, then reload the page.`;
}
