//! Measure of a column: what its cells can be compared with (number, time, duration, ratio, text).

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
