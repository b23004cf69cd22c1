// List of the map: the same objects with the same links as a table.
import { element, fill } from './dom.js';
import { nameOf } from './map-graph.js';

const titles = ['Kind', 'Name', 'State', 'Leads to'];

const linkTo = (box, expand) => (box.href ? element('a', { href: box.href }, box.name)
  : box.expands ? element('button', { className: 'link', type: 'button', 'aria-label': `${nameOf(box)}, expand`, onclick: () => expand(box.expands) }, box.name)
    : box.name);

const leads = (box) => {
  const words = `${box.kind} ${box.name}`;
  return element('li', {}, box.href ? element('a', { href: box.href }, words) : words);
};

/** Fills `into` with the table. */
export function list(into, boxes, lines, expand) {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const targets = new Map();
  for (const [from, to] of lines) targets.set(from, [...(targets.get(from) ?? []), byId.get(to)]);
  const row = (box) => element('tr', { 'data-box': box.id },
    element('td', {}, box.kind), element('th', { scope: 'row' }, linkTo(box, expand)),
    element('td', { 'data-tone': box.tone }, box.state), element('td', {}, element('ul', {}, ...(targets.get(box.id) ?? []).filter(Boolean).map(leads))));
  fill(into, element('table', { className: 'map-list' },
    element('caption', { className: 'visually-hidden' }, 'Objects of the map'),
    element('thead', {}, element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title)))),
    element('tbody', {}, ...boxes.map(row))));
}
