// Tab and panel of a cluster: its name, its colour, its state in a word, and the notice with Retry if it is not connected.
import { visible } from './clusters-frame.js';

/** Number of colours in clusters.css. */
const COLOURS = 8;
/** Characters at the end of a name that are never cut off. */
const TAIL = 14;
/** Marks and words of the states: those of the connection, then those of the page (`data-freshness`). */
const STATES = {
  ended: ['✕', 'not connected'],
  starting: ['…', 'starting'],
  closed: ['○', 'not open'],
  loading: ['…', 'loading'],
  live: ['●', 'live'],
  'catching-up': ['…', 'loading'],
  polling: ['◐', 'polling'],
  queued: ['…', 'queued'],
  disconnected: ['✕', 'disconnected'],
};

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Colour by position, which clusters.css defines; that of protected contexts is red. */
const colourOf = ({ isProtected }, at) => (isProtected ? 'protected' : `${(at % COLOURS) + 1}`);

/** Creates the tab at a position, and an empty panel. Returns `{ tab, panel, colour, show(state, problems, reason) }`; `show` returns the state's word. */
export function createTab(cluster, at, { onChoose, onRetry }) {
  const name = visible(cluster.name);
  const colour = colourOf(cluster, at);
  const characters = Array.from(name);
  // The two parts are boxes, between which a screen reader would pause.
  const parts = [['head', characters.slice(0, -TAIL)], ['tail', characters.slice(-TAIL)]].map(([part, text]) => element('span', { class: part, 'aria-hidden': 'true' }, text.join('')));
  const [problemCount, mark, word] = [{ class: 'problems' }, { class: 'mark', 'aria-hidden': 'true' }, { class: 'says' }].map((attributes) => element('span', attributes));
  const tab = element(
    'button',
    { type: 'button', role: 'tab', id: `tab-${at}`, 'aria-controls': `panel-${at}`, 'aria-selected': 'false', tabindex: '-1', 'data-colour': colour, 'data-cluster': cluster.name, title: name },
    element('span', { class: 'swatch', 'aria-hidden': 'true' }),
    element('bdi', { class: 'name' }, element('span', { class: 'visually-hidden' }, name), ...parts),
    ...(cluster.isProtected ? [element('span', { class: 'word' }, 'protected')] : []),
    problemCount,
    element('span', { class: 'state' }, mark, word),
  );
  tab.addEventListener('click', onChoose);
  const text = element('p', {});
  const retry = element('button', { type: 'button' }, 'Retry');
  retry.addEventListener('click', onRetry);
  const notice = element('div', { class: 'notice', role: 'alert', hidden: '' }, text, retry);
  const panel = element('div', { role: 'tabpanel', id: `panel-${at}`, 'aria-labelledby': `tab-${at}`, inert: '' }, notice);

  function show(state, problems, reason) {
    const [shape, says] = STATES[state] ?? ['…', state];
    tab.dataset.state = state;
    [mark.textContent, word.textContent] = [shape, says];
    problemCount.replaceChildren(...(problems ? [`(${problems}`, element('span', { class: 'visually-hidden' }, ' problems'), ')'] : []));
    notice.hidden = state !== 'ended';
    text.textContent = reason;
    return says;
  }
  return { tab, panel, colour, show };
}
