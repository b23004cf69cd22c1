//! Differences that are known and stay, each with its reason.
//!
//! What stands here is a promise not kept on purpose. A difference that may be mended is mended instead.

use crate::scene::Mismatch;

/// One difference: a step of a case that may come to something else.
pub(crate) struct Known {
    /// Title of the case.
    pub(crate) case: &'static str,
    /// The step in it.
    pub(crate) step: &'static str,
    /// What it may come to.
    pub(crate) saw: &'static str,
    /// Why.
    pub(crate) reason: &'static str,
}

/// All of them.
pub(crate) const DIFFERENCES: &[Known] = &[];

/// The entry that excuses a mismatch.
pub(crate) fn excuse(case: &str, mismatch: &Mismatch) -> Option<&'static Known> {
    DIFFERENCES.iter().find(|known| known.case == case && known.step == mismatch.step && known.saw == mismatch.saw)
}
