// Chart of numbers by the minute: bars, painted by uPlot. The page also shows its values as text (web/src/overview/chart.rs).
import { atLeastFour, axisIn, barsIn, gridIn, plotIn } from './plot.js';

/** Height in pixels. */
const HEIGHT = 120;
/** Tick increments of the value axis: integers only. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000];

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const timesOf = (plot, seconds) => seconds.map((second) => clock.format(second * 1000));
/** Range with a margin of a minute on each side, so that the first and the last bar are not clipped. */
const withMargins = (plot, min, max) => [min - 60, max + 60];

/**
 * Puts a chart into `parent`. `data` is JSON: `{ first, values, hrefs, tone }`, the second at which the first minute begins, a
 * number for each minute, the address behind each number (or null), and the custom property of the bars' colour.
 */
export function chart(parent, { data }) {
  let given = JSON.parse(data);
  const columns = () => [given.values.map((_, minute) => given.first + 60 * minute), given.values];
  const axis = axisIn(parent);
  const options = {
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { range: withMargins }, y: { range: atLeastFour } },
    axes: [
      { ...axis, values: timesOf, grid: { show: false }, size: 24, space: 60 },
      { ...axis, incrs: STEPS, grid: gridIn(parent), size: 36, space: 28 },
    ],
    series: [{}, barsIn(parent, () => given.tone)],
  };
  const { plot, remove } = plotIn(parent, HEIGHT, options, columns());
  plot.over.addEventListener('click', () => {
    const href = given.hrefs[plot.cursor.idx];
    if (href && given.values[plot.cursor.idx] > 0) location.hash = href;
  });
  return {
    update(text) {
      given = JSON.parse(text);
      plot.setData(columns());
    },
    destroy: remove,
  };
}
