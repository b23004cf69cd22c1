// Colour of the page: the value of a CSS custom property, for libraries that paint on a canvas.

/** The colour that a custom property has in `element`, in the form of `getComputedStyle`. */
export function colour(element, name) {
  const probe = element.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
