// Chart of the number of changes over time: bars, painted by uPlot. A drag selects a span. The page also shows the numbers as
// a sentence and as a list (web/src/timeline).
import { colour } from './colour.js';
import { atLeastFour, axisIn, barsIn, gridIn, plotIn } from './plot.js';

/** Height in pixels. */
const HEIGHT = 110;
/** Minimum width of a selected span, in pixels. */
const MIN_WIDTH = 4;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const timesOf = (plot, seconds) => seconds.map((second) => clock.format(second * 1000));

/**
 * Puts the chart into `parent`. `data` is JSON: `{ since, until, values, shown }`, the span in milliseconds, a number for each of
 * its equal parts, and the time that the page shows, or null. `onSelect(from, to)` receives a span that is dragged over.
 */
export function timeline(parent, { data, onSelect }) {
  let given = JSON.parse(data);
  const columns = () => {
    const part = Math.max(1, given.until - given.since) / given.values.length;
    return [given.values.map((_, at) => (given.since + part * (at + 0.5)) / 1000), given.values];
  };
  /** A line at the time that the page shows. */
  const mark = ({ ctx, bbox, valToPos }) => {
    if (given.shown === null) return;
    const x = valToPos(given.shown / 1000, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.fillStyle = colour(parent, '--warn');
    ctx.fillRect(x - devicePixelRatio, bbox.top, 2 * devicePixelRatio, bbox.height);
  };
  const select = (plot) => {
    const { left, width } = plot.select;
    if (width < MIN_WIDTH) return;
    const [from, to] = [left, left + width].map((x) => plot.posToVal(x, 'x') * 1000);
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    onSelect(from, to);
  };
  const axis = axisIn(parent);
  const options = {
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: { x: { range: () => [given.since / 1000, given.until / 1000] }, y: { range: atLeastFour } },
    axes: [
      { ...axis, values: timesOf, grid: { show: false }, size: 24, space: 90 },
      { ...axis, grid: gridIn(parent), size: 44, space: 28 },
    ],
    series: [{}, barsIn(parent, () => '--accent')],
    hooks: { draw: [mark], setSelect: [select] },
  };
  const { plot, remove } = plotIn(parent, HEIGHT, options, columns());
  return {
    update(text) {
      given = JSON.parse(text);
      plot.setData(columns());
    },
    destroy: remove,
  };
}
