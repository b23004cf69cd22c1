// Map of objects: a graph or a list of the same boxes, with search, zoom and live updates. Its boxes are JSON of web/src/map/boxes.rs.
import { element, fill } from './dom.js';
import css from './map.css';
import { MapGraph } from './map-graph.js';
import { list } from './map-list.js';
import { layouts } from './map-worker.js';

/** Below this width, in pixels, the map opens as a list. */
const NARROW = 600;

/**
 * Puts a map into `parent`. `expand(id)` is called to show the pods of a workload, and with an empty id to fold all. `config(isOn)` is
 * called to show or hide ConfigMaps and Secrets.
 */
export function map(parent, { expand, config }) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  const graph = new MapGraph(expand);
  const table = element('div', {});
  const problem = element('p', { className: 'note', role: 'alert', hidden: true });
  const found = element('span', { className: 'hint', role: 'status' });
  const tool = (name, onclick, more = {}) => element('button', { className: 'button', type: 'button', onclick, ...more }, name);
  const forms = { graph: tool('Graph', () => show('graph')), list: tool('List', () => show('list')) };
  const search = element('input', { className: 'field', type: 'search', placeholder: 'Find an object', 'aria-label': 'Find an object on the map' });
  const withConfig = tool('ConfigMaps and Secrets', () => {
    const isOn = withConfig.getAttribute('aria-pressed') !== 'true';
    withConfig.setAttribute('aria-pressed', `${isOn}`);
    config(isOn);
  }, { 'aria-pressed': 'false' });
  const fold = tool('Fold pods', () => (expand(''), search.focus()), { hidden: true });
  const view = element('div', { className: 'map-tools', role: 'group', 'aria-label': 'Zoom' },
    tool('−', () => graph.viewport.zoom(0.8), { 'aria-label': 'Zoom out', title: 'Zoom out (−)' }),
    tool('+', () => graph.viewport.zoom(1.25), { 'aria-label': 'Zoom in', title: 'Zoom in (+)' }),
    tool('Fit', () => graph.viewport.fit(), { title: 'Show the whole map (0)' }));
  let given = { boxes: [], lines: [] };
  let shape = '';
  const layoutWorker = layouts((places) => {
    graph.move(places, given.lines);
    parent.dataset.layout = 'ready';
  }, (text) => ([problem.textContent, problem.hidden] = [text, false]));
  const seek = () => {
    const all = graph.find(search.value);
    fill(found, search.value.trim() ? `${all.length} found` : '');
    return all;
  };
  search.oninput = seek;
  search.onkeydown = (event) => {
    const first = event.key === 'Enter' && seek()[0];
    if (first) (event.preventDefault(), graph.focus(first));
  };
  fill(parent, element('div', { className: 'map-tools' },
    element('div', { className: 'map-tools', role: 'group', 'aria-label': 'Show the map as' }, forms.graph, forms.list), view, search, found, withConfig, fold), problem, graph.frame, table);
  show(parent.clientWidth > 0 && parent.clientWidth < NARROW ? 'list' : 'graph');

  function show(form) {
    const isList = form === 'list';
    for (const [name, button] of Object.entries(forms)) button.setAttribute('aria-pressed', `${name === form}`);
    [graph.frame.hidden, view.hidden, table.hidden, search.hidden, found.hidden] = [isList, isList, !isList, isList, isList];
    if (isList) list(table, given.boxes, given.lines, expand);
    else if (given.boxes.length > 0) graph.viewport.fit();
  }

  return {
    update(text) {
      given = JSON.parse(text);
      const ids = given.boxes.map(({ id }) => id);
      fold.hidden = given.isFolded;
      graph.paint(given.boxes);
      if (search.value) seek();
      if (!table.hidden) list(table, given.boxes, given.lines, expand);
      // Places depend only on the boxes and the lines.
      const now = JSON.stringify([ids, given.lines]);
      if (now === shape) return;
      shape = now;
      parent.dataset.layout = 'waiting';
      layoutWorker.request(ids, given.lines);
    },
    destroy() {
      layoutWorker.end();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((known) => known !== sheet);
      fill(parent);
    },
  };
}
