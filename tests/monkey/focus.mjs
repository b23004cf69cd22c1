// Focus: whether it fell to the body when a layer closed, or when the element that had it went.

/** What lies over the page or beside the table, and closes. */
const LAYERS = 'dialog[open], [role=dialog], .drawer, .details, [role=listbox], [popover]:popover-open';

/** In the page: which layers are open, which of them hold the focus, or belong to what does, and whether anything has it. */
export const look = (page) =>
  page.evaluate((selector) => {
    const shown = [...document.querySelectorAll(selector)].filter((layer) => layer.checkVisibility());
    const { activeElement } = document;
    const name = (layer) => layer.className || layer.id || layer.tagName.toLowerCase();
    const holds = (layer) => layer.contains(activeElement) || (layer.id && activeElement?.getAttribute('aria-controls') === layer.id);
    const isLost = !activeElement || activeElement === document.body;
    return { layers: shown.map(name), holding: isLost ? [] : shown.filter(holds).map(name), isLost };
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

  /**
   * What took the focus with it, between two looks; nothing if what was done may take it from everything (`isExcused`). Tab
   * leaves the page behind its last element, and a click moves the focus (`mayLeave`): then only a layer that closed has lost
   * it.
   */
  lost(before, after, isExcused = false, mayLeave = false) {
    if (isExcused || !after.isLost) return [];
    const closed = without(before.layers, after.layers);
    // Beside the layers, whatever has the focus may be removed or disabled.
    if (!before.isLost && before.holding.length === 0) return mayLeave ? [] : ['the element that had it'];
    return before.holding.filter((layer) => closed.includes(layer) && !this.#fromNothing.has(layer));
  }

  /** Takes note of what was opened between two looks. */
  note(before, after) {
    for (const layer of without(after.layers, before.layers)) {
      if (before.isLost) this.#fromNothing.add(layer);
      else this.#fromNothing.delete(layer);
    }
  }
}
