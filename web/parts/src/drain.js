// Drain of a node, or of several: cordons them and evicts their pods, as their PodDisruptionBudgets allow.
import { element, failure, fill } from './dom.js';
import { Drains, reasonOf } from './drains.js';
import { judge, limited } from './eviction.js';

/** Lists of pods that are requested at the same time. */
const AT_ONCE = 4;
const ONE = 'The node is cordoned, and its pods are evicted. If a PodDisruptionBudget protects a pod, its eviction is retried until the budget allows it.';
const SEVERAL = 'All of the nodes are cordoned first, so that no pod moves from one to another. Then their pods are evicted, one node after the other. If a PodDisruptionBudget protects a pod, its eviction is retried until the budget allows it.';

/** Puts the drain into `parent`. `nodes` are `{ ref, uid }`, with the uids that they had when the drain was opened. */
export function drain(parent, { client, nodes, onClose }) {
  const isOne = nodes.length === 1;
  const options = { withUnmanaged: false, withLocalData: false };
  const box = (key, says) => element('label', { className: 'choice' },
    element('input', { type: 'checkbox', onchange: ({ target }) => ((options[key] = target.checked), load()) }), element('span', {}, says));
  const choices = element('fieldset', {},
    box('withUnmanaged', 'Also pods without a controller: nothing creates them again'),
    box('withLocalData', 'Also pods with emptyDir volumes: the data in them is lost'));
  const summary = element('p', { role: 'status' }, isOne ? 'Loading the pods of the node …' : 'Loading the pods of the nodes …');
  const problem = element('div', {});
  const parts = nodes.map(({ ref }) => part(ref.name, isOne));
  const head = element('thead', {}, element('tr', {}, ...['Namespace', 'Pod', 'State'].map((title) => element('th', { scope: 'col' }, title))));
  const table = element('table', { className: 'drain' }, head, ...parts.map(({ body }) => body));
  const start = element('button', { className: 'button primary', type: 'button', textContent: 'Drain', disabled: true, onclick: () => begin() });
  const stop = element('button', { className: 'button danger', type: 'button', textContent: 'Stop', hidden: true, onclick: () => (running.stop(), tell()) });
  const close = element('button', { className: 'button', type: 'button', textContent: 'Close', onclick: () => onClose() });
  fill(parent, element('p', {}, isOne ? ONE : SEVERAL),
    choices, summary, problem, element('div', { className: 'scrolled', tabIndex: 0, role: 'region', 'aria-label': 'Pods' }, table), element('footer', { role: 'none' }, close, stop, start));
  const drains = new Drains(client, nodes.map((node) => ({ ...node, list: () => list(node.ref) })), options, (at, { rows, says, tone }) => {
    if (ended) return;
    if (rows) parts[at].paint(rows);
    if (says !== undefined) parts[at].says = says;
    parts[at].say(tone);
    tell();
  });
  const send = limited(AT_ONCE);
  let running = null;
  let isOver = false;
  let ended = false;

  async function list(ref) {
    const response = await client.request(`/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${ref.name}`)}`);
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
    return answer.items ?? [];
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
    fill(problem);
    fill(summary, `${count('evict')} to evict, ${count('stays')} stay${refused ? `, ${refused} need a decision above` : ''}.`);
    start.disabled = refused > 0;
    for (const [at, rows] of all.entries()) {
      if (drains.isDrained(at)) continue;
      parts[at].paint(rows);
      parts[at].says = `${count('evict', rows)} to evict, ${count('stays', rows)} stay`;
      parts[at].say('');
    }
  }

  /** The sentence about all of them: that of the only one, or the number of nodes that are drained. */
  function tell() {
    if (isOne) return fill(summary, parts[0].says);
    const count = (state) => drains.count(state);
    const [drained, failed, undecided] = [count('drained'), count('failed'), count('undecided')];
    const begin = running && !isOver ? (drains.isStopped ? 'Stopping' : 'Draining') : drained === nodes.length ? 'Drained' : drains.isStopped ? 'Stopped' : 'Not drained';
    const more = [failed && `, ${failed} failed`, undecided && `, ${undecided} ${undecided === 1 ? 'needs' : 'need'} a decision above`].filter(Boolean).join('');
    fill(summary, `${begin}: ${drained} of ${nodes.length} nodes are drained${more}.${isOver ? ' They stay cordoned.' : ''}`);
  }

  async function begin() {
    [start.hidden, stop.hidden, choices.disabled, isOver] = [true, false, true, false];
    stop.focus();
    fill(problem);
    running = drains;
    await drains.run();
    if (ended) return;
    [stop.hidden, isOver] = [true, true];
    const failed = isOne && drains.errorOf(0);
    if (failed) {
      fill(summary);
      fill(problem, failure(failed.error, `${reasonOf(failed.error, failed.isCordoned)}No pod was evicted.`));
    } else {
      tell();
    }
    // A decision, or another attempt, may be left: the boxes are read again, and enable it.
    if (failed || drains.count('undecided')) {
      running = null;
      [start.hidden, start.disabled, choices.disabled] = [false, !failed, false];
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

/** Rows of a node: one with its name and state, unless it is the only node, and its pods. */
function part(name, isOne) {
  const body = element('tbody', isOne ? {} : { 'data-node': name });
  const state = element('span', {});
  const head = isOne ? null : element('tr', { className: 'node-row' }, element('th', { scope: 'rowgroup', colSpan: 2 }, name), element('td', {}, state));
  fill(body, head);
  return {
    body,
    says: '',
    paint(rows) {
      fill(body, head, ...rows.map(({ namespace, name, state, tone }) =>
        element('tr', { 'data-pod': `${namespace}/${name}`, 'data-tone': tone }, element('td', {}, namespace), element('td', {}, name), element('td', {}, state))));
    },
    say(tone) {
      if (!head) return;
      fill(state, this.says);
      head.setAttribute('data-tone', tone);
    },
  };
}
