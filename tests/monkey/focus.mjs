// Focus: detects its loss to the body when a layer closes, or when the focused element is removed.

/** Closable parts over the page or beside the table. */
const LAYERS = 'dialog[open], [role=dialog], .drawer, .details, [role=listbox], [popover]:popover-open';

/** In the page: the open layers, those that contain the focus or belong to its element, and whether any element has it. */
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
  /** Layers that were opened while no element had the focus: they cannot return it. */
  #fromNothing = new Set();

  /**
   * Parts that lost the focus between two looks; none if the action may remove it from all elements (`isExcused`). Tab leaves
   * the page after its last element (`mayLeave`): then only a closed layer can have lost it.
   */
  lost(before, after, isExcused = false, mayLeave = false) {
    if (isExcused || !after.isLost) return [];
    const closed = without(before.layers, after.layers);
    // Besides layers, the focused element may be removed or disabled.
    if (!before.isLost && before.holding.length === 0) return mayLeave ? [] : ['the element that had it'];
    return before.holding.filter((layer) => closed.includes(layer) && !this.#fromNothing.has(layer));
  }

  /** Records the layers that were opened between two looks. */
  note(before, after) {
    for (const layer of without(after.layers, before.layers)) {
      if (before.isLost) this.#fromNothing.add(layer);
      else this.#fromNothing.delete(layer);
    }
  }
}
