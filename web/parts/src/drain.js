// Drain of a node: cordons it and evicts its pods, as their PodDisruptionBudgets allow.
import { element, failure, fill } from './dom.js';
import { Drain, judge } from './eviction.js';

/** Puts the drain into `parent`. `ref` is the node, and `uid` that of the one for which the drain was opened. */
export function drain(parent, { client, ref, uid, onClose }) {
  const options = { withUnmanaged: false, withLocalData: false };
  const box = (key, says) => element('label', { className: 'choice' },
    element('input', { type: 'checkbox', onchange: ({ target }) => ((options[key] = target.checked), load()) }), element('span', {}, says));
  const choices = element('fieldset', {},
    box('withUnmanaged', 'Also pods without a controller: nothing creates them again'),
    box('withLocalData', 'Also pods with emptyDir volumes: the data in them is lost'));
  const summary = element('p', { role: 'status' }, 'Loading the pods of the node …');
  const problem = element('div', {});
  const body = element('tbody', {});
  const table = element('table', { className: 'drain' }, element('thead', {}, element('tr', {}, ...['Namespace', 'Pod', 'State'].map((title) => element('th', { scope: 'col' }, title)))), body);
  const start = element('button', { className: 'button primary', type: 'button', textContent: 'Drain', disabled: true, onclick: () => begin() });
  const stop = element('button', { className: 'button danger', type: 'button', textContent: 'Stop', hidden: true, onclick: () => running?.stop() });
  const close = element('button', { className: 'button', type: 'button', textContent: 'Close', onclick: () => onClose() });
  fill(parent, element('p', {}, 'The node is cordoned, and its pods are evicted. If a PodDisruptionBudget protects a pod, its eviction is retried until the budget allows it.'),
    choices, summary, problem, element('div', { className: 'scrolled', tabIndex: 0, role: 'region', 'aria-label': 'Pods' }, table), element('footer', { role: 'none' }, close, stop, start));
  let running = null;
  let ended = false;

  function paint(rows) {
    fill(body, ...rows.map(({ namespace, name, state, tone }) =>
      element('tr', { 'data-pod': `${namespace}/${name}`, 'data-tone': tone }, element('td', {}, namespace), element('td', {}, name), element('td', {}, state))));
  }

  async function list() {
    const response = await client.request(`/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${ref.name}`)}`);
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
    return answer.items ?? [];
  }

  /** Shows what a drain would do. The drain itself lists the pods again, after the node is cordoned. */
  async function load() {
    let rows;
    try {
      rows = (await list()).map((pod) => judge(pod, options));
    } catch (error) {
      if (ended || running) return;
      fill(summary);
      return fill(problem, failure(error));
    }
    if (ended || running) return;
    const count = (what) => rows.filter(({ verdict }) => verdict === what).length;
    const refused = count('refused');
    fill(problem);
    fill(summary, `${count('evict')} to evict, ${count('stays')} stay${refused ? `, ${refused} need a decision above` : ''}.`);
    start.disabled = refused > 0;
    paint(rows);
  }

  async function begin() {
    start.hidden = true;
    stop.hidden = false;
    stop.focus();
    choices.disabled = true;
    fill(problem);
    running = new Drain(client, { ref, uid }, list, options, (rows, says) => {
      if (ended) return;
      paint(rows);
      fill(summary, says);
    });
    let isOver = false;
    try {
      isOver = await running.run();
      // The boxes are read again, and enable it.
      start.disabled = !isOver;
    } catch (error) {
      if (ended) return;
      // Another uid is a conflict, or an invalid change of an immutable field: the patch names no version.
      const isReplaced = error.code === 'conflict' || error.causes?.some(({ field }) => field === 'metadata.uid');
      const why = isReplaced ? 'The node was replaced by another one of the same name. ' : running.isCordoned ? 'The node is cordoned. ' : '';
      fill(problem, failure(error, `${why}No pod was evicted.`));
    }
    stop.hidden = true;
    if (!isOver) {
      running = null;
      start.hidden = choices.disabled = false;
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
