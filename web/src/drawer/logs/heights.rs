//! Heights of the lines of a log, in pixels: a row each, but for the opened lines, whose heights are measured. Uses no browser API.

/// Height of a row; object.css has it as well.
pub(super) const ROW: f64 = 20.0;
/// Browsers cannot scroll much further: beyond it rows count as lower than they are.
const HIGHEST: f64 = 15e6;

/// Positions of lines.
#[derive(Debug)]
pub(super) struct Heights {
    count: usize,
    /// Height of a line that is not opened.
    row: f64,
    /// Opened lines in order: the place, the height beyond a row, and that of all opened lines above.
    opened: Vec<(usize, f64, f64)>,
}

impl Heights {
    /// Heights of `count` lines, some of which are higher than a row: their places with the height beyond it. O(n log n) in these.
    pub(super) fn new(count: usize, opened: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let mut opened: Vec<_> = opened.into_iter().map(|(place, beyond)| (place, beyond, 0.0)).collect();
        opened.sort_unstable_by_key(|&(place, ..)| place);
        let mut sum = 0.0;
        for (_, beyond, above) in &mut opened {
            *above = sum;
            sum += *beyond;
        }
        Self { count, row: ROW.min(HIGHEST / count.max(1) as f64), opened }
    }

    /// Height of all lines.
    pub(super) fn all(&self) -> f64 {
        self.top(self.count)
    }

    /// Distance from the top of the first line to that of the line at a place. O(log n) in the opened lines.
    pub(super) fn top(&self, place: usize) -> f64 {
        let after = self.opened.partition_point(|&(opened, ..)| opened < place);
        let above = after.checked_sub(1).map_or(0.0, |last| self.opened[last].1 + self.opened[last].2);
        place as f64 * self.row + above
    }

    /// Place of the line at a distance from the top, and the part of that line which is above, from 0 to 1. O(log n) in the opened lines.
    pub(super) fn line_at(&self, distance: f64) -> (usize, f64) {
        let distance = distance.clamp(0.0, self.all());
        let after = self.opened.partition_point(|&(place, _, above)| place as f64 * self.row + above <= distance);
        let (above, next) = match after.checked_sub(1).map(|last| self.opened[last]) {
            Some((place, beyond, above)) => {
                let within = distance - (place as f64 * self.row + above);
                if within < self.row + beyond {
                    return (place, within / (self.row + beyond));
                }
                (above + beyond, place + 1)
            }
            None => (0.0, 0),
        };
        let rows = (distance - above) / self.row;
        let place = floor(rows).clamp(next, self.count.saturating_sub(1).max(next));
        (place, (rows - place as f64).clamp(0.0, 1.0))
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places of lines")]
pub(super) fn floor(number: f64) -> usize {
    number.max(0.0) as usize
}

// proptest wants randomness, which the other target has only through JavaScript.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn is_close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn lines_without_opened_ones_are_rows() {
        let heights = Heights::new(100, []);
        assert_eq!((heights.all(), heights.top(7)), (2000.0, 140.0));
        assert_eq!(heights.line_at(150.0), (7, 0.5));
        assert_eq!(heights.line_at(2000.0), (99, 1.0), "the end is the end of the last line");
        assert_eq!(heights.line_at(-3.0), (0, 0.0));
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
            opened in prop::collection::btree_map(0..60_usize, 0..400_u16, 0..8),
            at in 0.0..1.0_f64,
        ) {
            let opened: BTreeMap<_, _> = opened.into_iter().filter(|(place, _)| *place < count).collect();
            let heights = Heights::new(count, opened.iter().rev().map(|(place, beyond)| (*place, f64::from(*beyond))));
            let mut tops = vec![0.0];
            for place in 0..count {
                tops.push(tops[place] + ROW + opened.get(&place).copied().map_or(0.0, f64::from));
            }
            prop_assert!(is_close(heights.all(), tops[count]));
            for (place, top) in tops.iter().enumerate() {
                prop_assert!(is_close(heights.top(place), *top));
            }
            let distance = at * heights.all();
            let place = (0..count).rev().find(|place| tops[*place] <= distance).expect("the first is at 0");
            let (found, part) = heights.line_at(distance);
            prop_assert_eq!(found, place);
            prop_assert!(is_close(tops[place] + part * (tops[place + 1] - tops[place]), distance));
        }
    }
}
