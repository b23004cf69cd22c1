// Plot: a uPlot chart as wide as its parent element, repainted when the theme changes.
import uPlot from 'uplot';
import css from 'uplot/dist/uPlot.min.css';
import { colour } from './colour.js';

/** Properties of every axis. */
export const axisIn = (parent) => ({ stroke: () => colour(parent, '--muted'), ticks: { show: false }, font: `11px ${getComputedStyle(parent).fontFamily}` });

/** Grid lines at the ticks of an axis. */
export const gridIn = (parent) => ({ stroke: () => colour(parent, '--line'), width: 1 });

/** Range of an axis of counts: from 0 to at least 4. */
export const atLeastFour = (plot, min, max) => [0, Math.max(4, max ?? 0)];

/** Bars in the colour of a custom property, which is read when they are painted. */
export const barsIn = (parent, tone) => ({ fill: () => colour(parent, tone()), points: { show: false }, paths: uPlot.paths.bars({ size: [0.8, 24] }) });

/** Puts a plot of this height, in pixels, into `parent`. Returns the plot and a function that removes it. */
export function plotIn(parent, height, options, columns) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  const plot = new uPlot({ width: parent.clientWidth || 300, height, legend: { show: false }, ...options }, columns, parent);
  const resized = new ResizeObserver(() => parent.clientWidth > 0 && plot.setSize({ width: parent.clientWidth, height }));
  resized.observe(parent);
  // The colours are painted on a canvas, so another theme needs a repaint.
  const repaint = () => plot.redraw(false);
  const themed = new MutationObserver(repaint);
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', repaint);
  const remove = () => {
    resized.disconnect();
    themed.disconnect();
    scheme.removeEventListener('change', repaint);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((known) => known !== sheet);
    plot.destroy();
  };
  return { plot, remove };
}
