// Graph of the map: boxes as links, lines in one SVG path, and keyboard navigation along the lines.
import { element, fill } from './dom.js';
import { HEIGHT, WIDTH } from './map-size.js';
import { BoxTexts } from './map-texts.js';
import { Viewport } from './map-viewport.js';
import { visible } from './visible.js';

const SVG = 'http://www.w3.org/2000/svg';
const MARKS = { ok: '●', warn: '▲', bad: '✖', idle: '○' };

/** Accessible name of a box. */
export const nameOf = ({ kind, name, state }) => [kind, name, state].filter(Boolean).join(' ');

const shape = (name) => document.createElementNS(SVG, name);

export class MapGraph {
  #sheet = element('div', { className: 'map-sheet' });
  #svg = shape('svg');
  #paths = { all: shape('path'), near: shape('path') };
  #elements = new Map();
  #boxes = new Map();
  #lines = [];
  #places = {};
  #current = null;
  #expand;
  #texts = new BoxTexts((id, isShown) => this.#write(id, isShown));

  constructor(expand) {
    this.#expand = expand;
    this.frame = element('div', { className: 'map-frame', role: 'group', 'aria-label': 'Graph of the objects' }, this.#sheet);
    this.#svg.setAttribute('aria-hidden', 'true');
    this.#paths.near.setAttribute('class', 'near');
    this.#svg.append(this.#paths.all, this.#paths.near);
    this.#sheet.append(this.#svg);
    this.viewport = new Viewport(this.frame, this.#sheet, (view) => this.#texts.setView(view));
    this.frame.addEventListener('keydown', (event) => this.#key(event));
    const over = (event) => this.#markNeighbours(event.target.closest?.('[data-box]')?.dataset.box);
    this.frame.addEventListener('pointerover', over);
    this.frame.addEventListener('pointerleave', () => this.#markNeighbours(null));
    this.frame.addEventListener('focusin', (event) => {
      const id = event.target.dataset.box;
      if (id === undefined) return;
      this.#setTabStop(id);
      this.#markNeighbours(id);
      if (this.#places[id] && event.target.matches(':focus-visible')) this.viewport.show(this.#places[id], [WIDTH, HEIGHT]);
    });
  }

  /** Repaints the boxes that have changed. New boxes are hidden until they have a place. */
  paint(boxes) {
    const hadFocus = this.frame.contains(document.activeElement);
    const before = this.#boxes;
    this.#boxes = new Map(boxes.map((box) => [box.id, box]));
    for (const [id, made] of this.#elements) {
      const box = this.#boxes.get(id);
      if (box && !box.href === (made.localName !== 'a')) continue;
      made.remove();
      this.#elements.delete(id);
      if (!box) this.#texts.delete(id);
    }
    for (const box of boxes) {
      const known = this.#elements.get(box.id);
      if (known && JSON.stringify(before.get(box.id)) === JSON.stringify(box)) continue;
      const made = known ?? this.#make(box);
      made.dataset.tone = box.tone;
      if (box.href) made.href = box.href;
      made.title = `${visible(nameOf(box))}${box.expands ? '. Press to show each pod.' : ''}`;
      if (this.#texts.has(box.id)) this.#write(box.id, true);
    }
    if (!this.#boxes.has(this.#current)) this.#setTabStop(boxes[0]?.id);
    if (hadFocus && !this.frame.contains(document.activeElement)) this.#elements.get(this.#current)?.focus();
  }

  #make(box) {
    const made = element(box.href ? 'a' : 'button', { className: 'map-box', tabIndex: -1, 'data-box': box.id, draggable: false });
    if (!box.href) made.onclick = () => this.#boxes.get(box.id)?.expands && this.#expand(this.#boxes.get(box.id).expands);
    this.#elements.set(box.id, made);
    this.#sheet.append(made);
    return made;
  }

  /** Adds or removes the text of a box. Without the text, the title is the accessible name. */
  #write(id, isShown) {
    const [made, box] = [this.#elements.get(id), this.#boxes.get(id)];
    if (!made || !box) return;
    if (!isShown) return fill(made);
    const mark = MARKS[box.tone] && element('span', { 'aria-hidden': 'true' }, MARKS[box.tone], ' ');
    fill(made, element('span', { className: 'kind' }, box.kind), ' ', element('span', { className: 'name' }, box.name), ' ',
      element('span', { className: 'state' }, mark, box.state));
  }

  /** Moves the boxes to their places. */
  move({ width, height, places }, lines) {
    const isFirst = Object.keys(this.#places).length === 0;
    [this.#places, this.#lines] = [places, lines];
    this.#sheet.classList.toggle('many', this.#elements.size > 200);
    for (const [id, made] of this.#elements) {
      if (!places[id]) continue;
      const [x, y] = places[id];
      made.style.transform = `translate(${x - WIDTH / 2}px, ${y - HEIGHT / 2}px)`;
      // A new box appears at its place; only later changes of the place are animated.
      made.classList.add(made.classList.contains('placed') ? 'moves' : 'placed');
    }
    for (const [name, value] of [['width', width], ['height', height]]) this.#svg.setAttribute(name, `${value}`);
    this.#paths.all.setAttribute('d', this.#path(lines));
    this.#texts.setPlaces(places);
    this.viewport.resize({ width: width || 1, height: height || 1 });
    if (isFirst) this.viewport.fit();
  }

  /** Marks the boxes that contain a text, and shows the first of them. Returns their ids. */
  find(text) {
    const needle = text.trim().toLowerCase();
    let found = [];
    for (const [id, box] of this.#boxes) {
      const isMatch = needle !== '' && `${box.kind} ${box.name}`.toLowerCase().includes(needle);
      this.#elements.get(id)?.classList.toggle('match', isMatch);
      if (isMatch) found = [...found, id];
    }
    if (this.#places[found[0]]) this.viewport.show(this.#places[found[0]], [WIDTH, HEIGHT]);
    return found;
  }

  focus(id = this.#current) {
    this.#elements.get(id)?.focus();
  }

  #path(lines) {
    return lines.filter((ends) => ends.every((id) => this.#places[id])).map((ends) => {
      const [[fromX, fromY], [toX, toY]] = ends.map((id) => this.#places[id]);
      const [x, toLeft] = [fromX + WIDTH / 2, toX - WIDTH / 2];
      const middle = (x + toLeft) / 2;
      return `M${x},${fromY}C${middle},${fromY} ${middle},${toY} ${toLeft},${toY}`;
    }).join('');
  }

  /** Marks the neighbours of a box. */
  #markNeighbours(id) {
    for (const made of this.#sheet.querySelectorAll('.map-box.near')) made.classList.remove('near');
    const lines = id ? this.#lines.filter((ends) => ends.includes(id)) : [];
    for (const near of lines.flat()) if (near !== id) this.#elements.get(near)?.classList.add('near');
    this.#paths.near.setAttribute('d', this.#path(lines));
  }

  /** Makes a box the graph's only Tab stop (roving tabindex). */
  #setTabStop(id) {
    const before = this.#elements.get(this.#current);
    if (before) before.tabIndex = -1;
    this.#current = id ?? null;
    const now = this.#elements.get(id);
    if (now) now.tabIndex = 0;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = moves[event.key];
    if (move && event.shiftKey) this.viewport.pan(-move[0], -move[1]);
    else if (move) this.#moveFocus(move);
    else if (event.key === '+' || event.key === '=') this.viewport.zoom(1.25);
    else if (event.key === '-') this.viewport.zoom(0.8);
    else if (event.key === '0') this.viewport.fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the focus: left and right along the lines, up and down to the next box of the column. */
  #moveFocus([across, down]) {
    const own = this.#places[this.#current];
    if (!own) return;
    const distance = (id) => Math.abs(this.#places[id][1] - own[1]);
    const along = this.#lines.filter(([from, to]) => (across > 0 ? from : to) === this.#current).map(([from, to]) => (across > 0 ? to : from));
    const column = Object.keys(this.#places).filter((id) => Math.abs(this.#places[id][0] - own[0]) < WIDTH / 2 && (this.#places[id][1] - own[1]) * down > 0);
    const next = (across ? along : column).filter((id) => this.#places[id]).sort((a, b) => distance(a) - distance(b))[0];
    if (next !== undefined) this.#elements.get(next)?.focus();
  }
}
