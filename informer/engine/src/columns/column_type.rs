//! Type of the values of a column: what they can be compared with, and how they are aligned.

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
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
