//! Known differences, each with its reason.
//!
//! Each entry is an intentional difference. A difference that can be corrected is corrected instead.

use crate::scene::Mismatch;

/// Known difference: a step of a case with another permitted outcome.
pub(crate) struct Known {
    /// Title of the case.
    pub(crate) case: &'static str,
    /// The step in it.
    pub(crate) step: &'static str,
    /// Permitted outcome.
    pub(crate) actual: &'static str,
    /// Reason of the difference.
    pub(crate) reason: &'static str,
}

/// All known differences.
pub(crate) const DIFFERENCES: &[Known] = &[Known {
    case: "forbidden: bad token is 401",
    step: "verdict",
    actual: "200 ConfigMapList",
    reason: "The embedded server asks for no token until a test gives it some, so that any client may use it.",
}];

/// Returns the index of the known difference that excuses a mismatch.
pub(crate) fn find_difference(case: &str, mismatch: &Mismatch) -> Option<usize> {
    DIFFERENCES
        .iter()
        .position(|known| known.case == case && known.step == mismatch.step && known.actual == mismatch.actual)
}
