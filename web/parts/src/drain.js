// Drain of a node, or of several: cordons them and evicts their pods, as their PodDisruptionBudgets allow.
import { element, failure, fill } from './dom.js';
import { Drains, reasonOf } from './drains.js';
import { judge, limited } from './eviction.js';

/** Maximum number of lists of pods in flight. */
const MAX_LISTS = 4;
const ONE = 'The node is cordoned, and its pods are evicted. If a PodDisruptionBudget protects a pod, its eviction is retried until the budget allows it.';
const SEVERAL = 'All of the nodes are cordoned first, so that no pod moves from one to another. Then their pods are evicted, one node after the other. If a PodDisruptionBudget protects a pod, its eviction is retried until the budget allows it.';

/**
 * Puts the drain into `parent`. `nodes` are `{ ref, uid }`, with the uids of the time when the drain was opened. `onRunning(isRunning)`
 * is called when the drain starts and when it ends: closing the dialog would stop a running drain.
 */
export function drain(parent, { client, nodes, onClose, onRunning = () => {} }) {
  const isOne = nodes.length === 1;
  const options = { withUnmanaged: false, withLocalData: false };
  const box = (key, label) => element('label', { className: 'choice' },
    element('input', { type: 'checkbox', onchange: ({ target }) => ((options[key] = target.checked), load()) }), element('span', {}, label));
  const choices = element('fieldset', {},
    box('withUnmanaged', 'Also pods without a controller: nothing creates them again'),
    box('withLocalData', 'Also pods with emptyDir volumes: the data in them is lost'));
  const summary = element('p', { role: 'status' }, isOne ? 'Loading the pods of the node …' : 'Loading the pods of the nodes …');
  const problem = element('div', {});
  const sections = nodes.map(({ ref }) => section(ref.name, isOne));
  const head = element('thead', {}, element('tr', {}, ...['Namespace', 'Pod', 'State'].map((title) => element('th', { scope: 'col' }, title))));
  const table = element('table', { className: 'drain' }, head, ...sections.map(({ body }) => body));
  const start = element('button', { className: 'button primary', type: 'button', textContent: 'Drain', disabled: true, onclick: () => begin() });
  const stop = element('button', { className: 'button danger', type: 'button', textContent: 'Stop', hidden: true, onclick: () => (running.stop(), updateSummary()) });
  const close = element('button', { className: 'button', type: 'button', textContent: 'Close', onclick: () => onClose() });
  fill(parent, element('p', {}, isOne ? ONE : SEVERAL),
    choices, summary, problem, element('div', { className: 'scrolled', tabIndex: 0, role: 'region', 'aria-label': 'Pods' }, table), element('footer', { role: 'none' }, close, stop, start));
  const drains = new Drains(client, nodes.map((node) => ({ ...node, list: () => list(node.ref) })), options, (at, { rows, text, tone }) => {
    if (ended) return;
    if (rows) sections[at].paint(rows);
    if (text !== undefined) sections[at].text = text;
    sections[at].paintHead(tone);
    updateSummary();
  });
  const send = limited(MAX_LISTS);
  let running = null;
  let isOver = false;
  let ended = false;

  async function list(ref) {
    const response = await client.request(`/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${ref.name}`)}`);
    const body = await response.json();
    if (!response.ok) throw Object.assign(new Error(body.message), { status: response.status });
    return body.items ?? [];
  }

  /** Shows what a drain would do. The drain itself lists the pods again, after the node is cordoned. */
  async function load() {
    let all;
    try {
      all = await Promise.all(nodes.map(async ({ ref }, at) => (drains.isDrained(at) ? [] : (await send(() => list(ref))).map((pod) => judge(pod, options)))));
    } catch (error) {
      if (ended || running) return;
      fill(summary);
      return fill(problem, failure(error));
    }
    if (ended || running) return;
    const count = (what, rows = all.flat()) => rows.filter(({ verdict }) => verdict === what).length;
    const refused = count('refused');
    const stay = count('stays');
    fill(problem);
    fill(summary, `${count('evict')} to evict, ${stay} stay${stay === 1 ? 's' : ''}${refused ? `, ${refused} need${refused === 1 ? 's' : ''} a decision above` : ''}.`);
    start.disabled = refused > 0;
    for (const [at, rows] of all.entries()) {
      if (drains.isDrained(at)) continue;
      sections[at].paint(rows);
      sections[at].text = `${count('evict', rows)} to evict, ${count('stays', rows)} stay`;
      sections[at].paintHead('');
    }
  }

  /** Updates the summary: the sentence of the only node, or the number of drained nodes. */
  function updateSummary() {
    if (isOne) return fill(summary, sections[0].text);
    const count = (state) => drains.count(state);
    const [drained, failed, undecided] = [count('drained'), count('failed'), count('undecided')];
    const verb = running && !isOver ? (drains.isStopped ? 'Stopping' : 'Draining') : drained === nodes.length ? 'Drained' : drains.isStopped ? 'Stopped' : 'Not drained';
    const more = [failed && `, ${failed} failed`, undecided && `, ${undecided} ${undecided === 1 ? 'needs' : 'need'} a decision above`].filter(Boolean).join('');
    fill(summary, `${verb}: ${drained} of ${nodes.length} nodes are drained${more}.${isOver ? ' They stay cordoned.' : ''}`);
  }

  async function begin() {
    [start.hidden, stop.hidden, choices.disabled, isOver] = [true, false, true, false];
    stop.focus();
    fill(problem);
    running = drains;
    onRunning(true);
    await drains.run();
    if (ended) return;
    onRunning(false);
    [stop.hidden, isOver] = [true, true];
    const failed = isOne && drains.errorOf(0);
    if (failed) {
      fill(summary);
      fill(problem, failure(failed.error, `${reasonOf(failed.error, failed.isCordoned)}No pod was evicted.`));
    } else {
      updateSummary();
    }
    // The drain can start again: after a failure or a stop at once, otherwise when load() finds that the checkboxes make the open decisions.
    const remaining = nodes.length - drains.count('drained');
    if (remaining > 0) {
      running = null;
      [start.hidden, start.disabled, choices.disabled] = [false, drains.count('undecided') === remaining, false];
    }
    close.focus();
  }

  load();
  return {
    destroy() {
      ended = true;
      running?.stop();
    },
  };
}

/** Table section of a node: a row with its name and state (none for the only node), and a row for each of its pods. */
function section(name, isOne) {
  const body = element('tbody', isOne ? {} : { 'data-node': name });
  const state = element('span', {});
  const head = isOne ? null : element('tr', { className: 'node-row' }, element('th', { scope: 'rowgroup', colSpan: 2 }, name), element('td', {}, state));
  fill(body, head);
  return {
    body,
    text: '',
    paint(rows) {
      fill(body, head, ...rows.map(({ namespace, name, state, tone }) =>
        element('tr', { 'data-pod': `${namespace}/${name}`, 'data-tone': tone }, element('td', {}, namespace), element('td', {}, name), element('td', {}, state))));
    },
    paintHead(tone) {
      if (!head) return;
      fill(state, this.text);
      head.setAttribute('data-tone', tone);
    },
  };
}
