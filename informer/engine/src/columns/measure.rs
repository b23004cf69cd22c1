//! Measures: what the cells of a column can be compared with.

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Texts, which may be anything.
    Text,
    /// Numbers, which line up at their end.
    Number,
    /// Parts of a whole, as `1/2`.
    Ratio,
    /// Moments, shown as how long ago they are.
    Time,
    /// How long something took.
    Duration,
}
