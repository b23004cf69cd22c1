//! Entry of a change log: one change of one object, and the state before it.

use std::rc::Rc;
use std::sync::Arc;

use informer::{Keyed, Object};

/// Overhead of an allocated block, in bytes.
const ALLOCATION: usize = 16;

/// Type of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeType {
    /// It was added.
    Added,
    /// It changed.
    Changed,
    /// It was deleted.
    Deleted,
}

/// State of an object before a change.
#[derive(Debug)]
pub(super) enum Before {
    /// It did not exist.
    Absent,
    /// The object is a Secret, so its content is not recorded.
    Hidden,
    /// The delta to the state after the change.
    Delta(Box<[u8]>),
    /// The whole object.
    Whole(Arc<Object>),
}

/// One change. The changes of an object are linked by their distances in the log; 0 is no change.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) time: f64,
    pub(super) key: Rc<str>,
    pub(super) older: u32,
    pub(super) newer: u32,
    pub(super) change: ChangeType,
    /// Whether no field changed: see [`field_changes`](super::fields::field_changes).
    pub(super) is_quiet: bool,
    pub(super) before: Before,
}

impl Entry {
    /// Size in bytes. The key counts as part of the history of its object.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>()
            + match &self.before {
                Before::Absent | Before::Hidden => 0,
                Before::Delta(delta) => delta.len() + ALLOCATION,
                Before::Whole(object) => object.size() + ALLOCATION,
            }
    }
}

/// The changes of one object that are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct History {
    /// Number of the newest change, counted from the first one that was ever recorded.
    pub(super) newest: u64,
    /// Changes since the last one that holds a whole object.
    pub(super) deltas: u8,
}

impl History {
    /// Size in bytes of the history of a key, including its slot in a hash table that is half empty.
    pub(super) fn size(key: &str) -> usize {
        key.len() + 2 * ALLOCATION + 2 * (size_of::<Rc<str>>() + size_of::<Self>())
    }
}
