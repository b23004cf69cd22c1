//! Measure of a column: what its cells can be compared with (number, time, duration, ratio, text).

/// Measure of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Any text.
    Text,
    /// Numbers, aligned right.
    Number,
    /// Ratios, such as `1/2`.
    Ratio,
    /// Times, shown as ages.
    Time,
    /// Durations.
    Duration,
}
