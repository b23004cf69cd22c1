// Statistics of the report: quantiles, ratios of pairs, and lines with their goals.

/** The quantile of a list of numbers, by linear interpolation between the two nearest. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

export const median = (numbers) => quantile(numbers, 0.5);

/** The middle half: [first quartile, third quartile]. */
const middleHalf = (numbers) => [quantile(numbers, 0.25), quantile(numbers, 0.75)];

/** Four significant digits: no figure here is more precise. */
const rounded = (number) => (Number.isFinite(number) ? Number(number.toPrecision(4)) : null);

const compare = {
  atMost: (value, limit) => value <= limit,
  below: (value, limit) => value < limit,
  atLeast: (value, limit) => value >= limit,
};
const sign = { atMost: '≤', below: '<', atLeast: '≥' };

/**
 * One line of the report.
 *
 * `value` and `baseline` are samples. If both are given they are pairs, measured one after the other, and the ratio is the
 * median of the pairs' ratios: a temporary slowdown of the machine affects both halves of a pair. `goal` is
 * `{ ratio | value, atMost | below | atLeast }`. If the measurement does not meet the conditions of the goal, it is not
 * `judged`, and the note has the reason.
 */
export function figure({ name, unit, size, churn, against, value, baseline, goal, judged = true, note }) {
  const line = { name, unit, size, churn: churn ?? 0 };
  line.value = rounded(median(value));
  line.against = against ?? null;
  line.baseline = baseline ? rounded(median(baseline)) : null;
  const ratios = baseline?.map((other, pair) => value[pair] / other);
  line.ratio = ratios ? rounded(median(ratios)) : null;
  line.spread = {
    value: middleHalf(value).map(rounded),
    baseline: baseline ? middleHalf(baseline).map(rounded) : null,
    ratio: ratios ? middleHalf(ratios).map(rounded) : null,
  };
  line.samples = value.length;
  if (goal) {
    const [how] = Object.keys(compare).filter((key) => key in goal);
    const of = goal.of ?? (ratios ? 'ratio' : 'value');
    line.goal = `${of} ${sign[how]} ${goal[how]}`;
    line.met = judged ? compare[how](line[of], goal[how]) : null;
  } else {
    line.goal = null;
    line.met = null;
  }
  if (note) line.note = note;
  return line;
}

/** A figure that could not be measured here, with the reason. */
export const unmeasured = ({ name, unit, size, churn, against, goal, reason }) => ({
  name,
  unit,
  size,
  churn: churn ?? 0,
  value: null,
  against: against ?? null,
  baseline: null,
  ratio: null,
  spread: null,
  samples: 0,
  goal: goal ?? null,
  met: null,
  note: `not measured: ${reason}`,
});
