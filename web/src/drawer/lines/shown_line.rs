//! Shown line: a line with what its element shows beside its text.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::marks::Id;
use crate::yaml::Line;

/// Foldable block that begins on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FoldState {
    /// Number of folded lines; 0 while the block is open.
    pub(super) hidden: usize,
}

/// A line as a block shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShownLine {
    pub(super) id: Id,
    pub(super) line: Line,
    /// Whether it has just changed.
    pub(super) changed: bool,
    /// Whether all of a long value is shown.
    pub(super) unclipped: bool,
    pub(super) fold: Option<FoldState>,
    /// Depth, from 1.
    pub(super) level: u32,
    /// Matches of the search in its text.
    pub(super) found: Vec<Range<usize>>,
}

impl ShownLine {
    /// Inputs that require a new element when they change.
    pub(super) fn element_key(&self) -> ElementKey {
        let mut hasher = DefaultHasher::new();
        (self.unclipped, self.fold, self.level, &self.found).hash(&mut hasher);
        (self.id, hasher.finish())
    }
}

/// Identity of an element: its line and a hash of its appearance.
pub(super) type ElementKey = (Id, u64);
