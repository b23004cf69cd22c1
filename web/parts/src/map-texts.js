// Texts of the boxes of the map. A box gets its text when it comes into view at a readable scale, and loses it when the scale
// becomes too small. A few boxes change in each frame: the styles of 1,000 boxes at once take 100 to 200 ms.
import { HEIGHT, WIDTH } from './map-size.js';

/** Maximum number of boxes that change in one frame. */
const MAX_PER_FRAME = 25;

export class BoxTexts {
  #write;
  #places = {};
  #view = null;
  #shown = new Set();
  #isQueued = false;

  /** `write(id, isShown)` adds the text of a box, or removes it. */
  constructor(write) {
    this.#write = write;
  }

  /** Whether a box has its text. */
  has(id) {
    return this.#shown.has(id);
  }

  /** Sets the places of all boxes. */
  setPlaces(places) {
    this.#places = places;
    this.#queue();
  }

  /** Sets the visible part of the map: `{ left, top, right, bottom }`, or null if the scale is too small to read. */
  setView(view) {
    this.#view = view;
    this.#queue();
  }

  /** Removes a box whose element was removed. */
  delete(id) {
    this.#shown.delete(id);
  }

  #queue() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    requestAnimationFrame(() => {
      this.#isQueued = false;
      const due = changes(this.#places, this.#view, this.#shown);
      for (const id of due.slice(0, MAX_PER_FRAME)) {
        const isShown = this.#view !== null;
        isShown ? this.#shown.add(id) : this.#shown.delete(id);
        this.#write(id, isShown);
      }
      if (due.length > MAX_PER_FRAME) this.#queue();
    });
  }
}

/** Boxes whose text is to be added, nearest to the middle of the view first. Without a view, the boxes whose text is to be removed. */
export function changes(places, view, shown) {
  if (!view) return [...shown];
  const { left, top, right, bottom } = view;
  const [halfWidth, halfHeight] = [WIDTH / 2, HEIGHT / 2];
  const isInView = ([x, y]) => x + halfWidth > left && x - halfWidth < right && y + halfHeight > top && y - halfHeight < bottom;
  const distance = (id) => Math.hypot(places[id][0] - (left + right) / 2, places[id][1] - (top + bottom) / 2);
  return Object.keys(places).filter((id) => !shown.has(id) && isInView(places[id])).sort((a, b) => distance(a) - distance(b));
}
