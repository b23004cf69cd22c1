//! Heights of the lines of a log, in pixels: one row each, except for expanded lines, whose heights are measured. Uses no
//! browser API.

/// Height of a row; object.css has it as well.
pub(super) const ROW: f64 = 20.0;
/// Maximum height of all lines that are not expanded, because browsers cannot scroll much further. Rows of more lines are scaled down.
const HIGHEST: f64 = 15e6;

/// Positions of lines.
#[derive(Debug)]
pub(super) struct Heights {
    count: usize,
    /// Height of a line that is not expanded.
    row: f64,
    /// Expanded lines in order: the index, the height beyond a row, and that of all expanded lines above.
    expanded: Vec<(usize, f64, f64)>,
}

impl Heights {
    /// Heights of `count` lines, some of which are higher than a row: their indexes with the height beyond it. O(n log n) in these.
    pub(super) fn new(count: usize, expanded: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let mut expanded: Vec<_> = expanded.into_iter().map(|(index, beyond)| (index, beyond, 0.0)).collect();
        expanded.sort_unstable_by_key(|&(index, ..)| index);
        let mut sum = 0.0;
        for (_, beyond, above) in &mut expanded {
            *above = sum;
            sum += *beyond;
        }
        Self { count, row: ROW.min(HIGHEST / count.max(1) as f64), expanded }
    }

    /// Height of all lines.
    pub(super) fn all(&self) -> f64 {
        self.top(self.count)
    }

    /// Distance from the top of the first line to that of the line at a index. O(log n) in the expanded lines.
    pub(super) fn top(&self, index: usize) -> f64 {
        let after = self.expanded.partition_point(|&(line, ..)| line < index);
        let above = after.checked_sub(1).map_or(0.0, |last| self.expanded[last].1 + self.expanded[last].2);
        index as f64 * self.row + above
    }

    /// Place of the line at a distance from the top, and the part of that line which is above, from 0 to 1. O(log n) in the expanded lines.
    pub(super) fn line_at(&self, distance: f64) -> (usize, f64) {
        let distance = distance.clamp(0.0, self.all());
        let after = self.expanded.partition_point(|&(index, _, above)| index as f64 * self.row + above <= distance);
        let (above, next) = match after.checked_sub(1).map(|last| self.expanded[last]) {
            Some((index, beyond, above)) => {
                let within = distance - (index as f64 * self.row + above);
                // The end of the last line belongs to that line.
                if within < self.row + beyond || index + 1 == self.count {
                    return (index, (within / (self.row + beyond)).min(1.0));
                }
                (above + beyond, index + 1)
            }
            None => (0.0, 0),
        };
        let rows = (distance - above) / self.row;
        let index = floor(rows).clamp(next, self.count.saturating_sub(1).max(next));
        (index, (rows - index as f64).clamp(0.0, 1.0))
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "indexes of lines")]
pub(super) fn floor(number: f64) -> usize {
    number.max(0.0) as usize
}

// proptest wants randomness, which the wasm target has only through JavaScript.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn is_close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn lines_without_expanded_ones_are_rows() {
        let heights = Heights::new(100, []);
        assert_eq!((heights.all(), heights.top(7)), (2000.0, 140.0));
        assert_eq!(heights.line_at(150.0), (7, 0.5));
        assert_eq!(heights.line_at(2000.0), (99, 1.0), "the end is the end of the last line");
        assert_eq!(heights.line_at(-3.0), (0, 0.0));
    }

    #[test]
    fn the_end_is_the_end_of_an_expanded_last_line() {
        let heights = Heights::new(3, [(2, 100.0)]);
        assert_eq!(heights.line_at(heights.all()), (2, 1.0));
    }

    #[test]
    fn millions_of_lines_stay_within_what_browsers_scroll() {
        let heights = Heights::new(10_000_000, [(9_999_999, 500.0)]);
        assert!(is_close(heights.all(), HIGHEST + 500.0));
        assert_eq!(heights.line_at(heights.all() - 250.0).0, 9_999_999);
    }

    proptest! {
        #[test]
        fn positions_are_those_of_stacked_lines(
            count in 1..60_usize,
            expanded in prop::collection::btree_map(0..60_usize, 0..400_u16, 0..8),
            at in 0.0..=1.0_f64,
        ) {
            let expanded: BTreeMap<_, _> = expanded.into_iter().filter(|(index, _)| *index < count).collect();
            let heights = Heights::new(count, expanded.iter().rev().map(|(index, beyond)| (*index, f64::from(*beyond))));
            let mut tops = vec![0.0];
            for index in 0..count {
                tops.push(tops[index] + ROW + expanded.get(&index).copied().map_or(0.0, f64::from));
            }
            prop_assert!(is_close(heights.all(), tops[count]));
            for (index, top) in tops.iter().enumerate() {
                prop_assert!(is_close(heights.top(index), *top));
            }
            let distance = at * heights.all();
            let index = (0..count).rev().find(|index| tops[*index] <= distance).expect("the first is at 0");
            let (found, part) = heights.line_at(distance);
            prop_assert_eq!(found, index);
            prop_assert!(is_close(tops[index] + part * (tops[index + 1] - tops[index]), distance));
        }
    }
}
