//! Retests: the times at which rows must be tested against the filter again, because an age passes a limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Spare entries, beyond two per row.
pub(super) const SPARE_RETESTS: usize = 1_024;

/// Times by row, the earliest first. Outdated entries stay until they are due.
#[derive(Default)]
pub(crate) struct Retests(BinaryHeap<Reverse<(u64, u32)>>);

impl Retests {
    /// Adds the next retest of a row, in milliseconds since the Unix epoch; `None` if it has none. O(log n).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a moment is a whole number after 1970"
    )]
    pub(crate) fn add(&mut self, row: u32, at: Option<f64>) {
        if let Some(at) = at {
            self.0.push(Reverse((at.ceil() as u64, row)));
        }
    }

    /// Time of the earliest retest.
    pub(crate) fn next(&self) -> Option<f64> {
        self.0.peek().map(|Reverse((at, _))| *at as f64)
    }

    /// Takes a row whose retest is due; the row may have changed or may be gone. O(log n).
    pub(crate) fn take(&mut self, now: f64) -> Option<u32> {
        self.next().filter(|at| *at <= now)?;
        self.0.pop().map(|Reverse((_, row))| row)
    }

    /// Whether to drop the outdated entries. Rows come and go for weeks under a limit of days: outdated entries must not
    /// accumulate until then.
    pub(crate) fn clearing_pays(&self, rows: usize) -> bool {
        self.len() > 2 * rows + SPARE_RETESTS
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
