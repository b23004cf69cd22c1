// Focus: whether it fell to the body when a layer closed.

/** What lies over the page or beside the table, and closes. */
const LAYERS = 'dialog[open], [role=dialog], .drawer, .details, [role=listbox], [popover]:popover-open';

/** In the page: which layers are open, and whether anything has the focus. */
export const look = (page) =>
  page.evaluate((selector) => {
    const shown = [...document.querySelectorAll(selector)].filter((layer) => layer.checkVisibility());
    const layers = shown.map((layer) => layer.className || layer.id || layer.tagName.toLowerCase());
    const { activeElement } = document;
    return { layers, isLost: !activeElement || activeElement === document.body };
  }, LAYERS);

/** The layers of the first look that are not in the second. */
const without = (layers, others) => {
  const left = [...others];
  return layers.filter((layer) => {
    const at = left.indexOf(layer);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};

export class Focus {
  /** Layers that were opened while nothing had the focus: they have nowhere to give it back to. */
  #fromNothing = new Set();

  /** The layers that took the focus with them, between two looks; `isExcused` if what was done may take it from everything. */
  lost(before, after, isExcused = false) {
    const closed = without(before.layers, after.layers);
    if (isExcused || before.isLost || !after.isLost) return [];
    return closed.filter((layer) => !this.#fromNothing.has(layer));
  }

  /** Takes note of what was opened between two looks. */
  note(before, after) {
    for (const layer of without(after.layers, before.layers)) {
      if (before.isLost) this.#fromNothing.add(layer);
      else this.#fromNothing.delete(layer);
    }
  }
}
