// Verdict on a series of measurements: whether it is flat, ignoring single bursts.

/** Permitted relative change. */
const TOLERANCE = 0.05;
/** So much of the beginning is not judged: caches fill, code is compiled. */
const WARM_UP = 1 / 5;

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Rise from the first to the last value: Theil and Sen's line, the median of the slopes between all pairs. */
export function trend(values) {
  const slopes = values.flatMap((from, at) => values.slice(at + 1).map((to, after) => (to - from) / (after + 1)));
  return slopes.length ? median(slopes) * (values.length - 1) : 0;
}

/**
 * A series is flat when neither its trend nor the step from the median of its first third to that of its last is more than
 * 5 % of its median, or than `slack`, for values so small that 5 % of them is noise.
 */
export function judge(values, slack) {
  const judged = values.slice(Math.ceil(values.length * WARM_UP));
  const third = Math.ceil(judged.length / 3);
  const usual = median(judged);
  const rise = trend(judged);
  const step = median(judged.slice(-third)) - median(judged.slice(0, third));
  const allowed = Math.max(TOLERANCE * usual, slack);
  return { median: usual, trend: rise, step, allowed, isFlat: Math.abs(rise) <= allowed && Math.abs(step) <= allowed };
}
