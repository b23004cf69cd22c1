//! JSON syntax error.

use std::fmt;

/// JSON syntax error, or an exceeded limit, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Index of the invalid byte.
    pub at: usize,
    /// Reason.
    pub why: &'static str,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.why, self.at)
    }
}

impl std::error::Error for Invalid {}
