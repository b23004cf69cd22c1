// Chart of numbers by the minute: bars, painted by uPlot. Its values are in the page as text, too (web/src/overview/chart.rs).
import uPlot from 'uplot';
import css from 'uplot/dist/uPlot.min.css';
import { colour } from './colour.js';

/** Height in pixels. */
const HEIGHT = 120;
/** Steps of the axis of numbers: whole ones. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000];

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const timesOf = (plot, seconds) => seconds.map((second) => clock.format(second * 1000));
/** The bars of the first and last minute have room, too. */
const withMargins = (plot, min, max) => [min - 60, max + 60];
const atLeastFour = (plot, min, max) => [0, Math.max(4, max ?? 0)];

/**
 * Puts a chart into `parent`. `data` is JSON: `{ first, values, hrefs, tone }`, the second at which the first minute begins, a
 * number for each minute, the address behind each number (or null), and the custom property of the bars' colour.
 */
export function chart(parent, { data }) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  let given = JSON.parse(data);
  const columns = () => [given.values.map((_, minute) => given.first + 60 * minute), given.values];
  const axis = { stroke: () => colour(parent, '--muted'), ticks: { show: false }, font: `11px ${getComputedStyle(parent).fontFamily}` };
  const plot = new uPlot(
    {
      width: parent.clientWidth || 300,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { range: withMargins }, y: { range: atLeastFour } },
      axes: [
        { ...axis, values: timesOf, grid: { show: false }, size: 24, space: 60 },
        { ...axis, incrs: STEPS, grid: { stroke: () => colour(parent, '--line'), width: 1 }, size: 36, space: 28 },
      ],
      series: [{}, { fill: () => colour(parent, given.tone), points: { show: false }, paths: uPlot.paths.bars({ size: [0.8, 24] }) }],
    },
    columns(),
    parent,
  );
  plot.over.addEventListener('click', () => {
    const href = given.hrefs[plot.cursor.idx];
    if (href && given.values[plot.cursor.idx] > 0) location.hash = href;
  });
  const resized = new ResizeObserver(() => parent.clientWidth > 0 && plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
  resized.observe(parent);
  // Colours are painted, so another theme needs another picture.
  const repaint = () => plot.redraw(false);
  const themed = new MutationObserver(repaint);
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', repaint);
  return {
    update(text) {
      given = JSON.parse(text);
      plot.setData(columns());
    },
    destroy() {
      resized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', repaint);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((known) => known !== sheet);
      plot.destroy();
    },
  };
}
