//! Coalescing: merges the waiting changes of one object.

use std::sync::Arc;

use crate::controller::Change;

/// Merged change of one object.
pub(super) struct MergedChange<T> {
    before: Before<T>,
    is_in_initial_list: bool,
    now: Now<T>,
}

/// Content of the object before the changes, as far as the handler has it.
enum Before<T> {
    Nothing,
    State(Arc<T>),
    /// The first change is a deletion, which has this content.
    Gone(Arc<T>, bool),
}

/// Content of the object after the changes.
enum Now<T> {
    Present(Arc<T>),
    Gone(Arc<T>, bool),
}

impl<T> Now<T> {
    fn after(change: &Change<T>) -> Self {
        match change {
            Change::Add { object, .. } | Change::Update { new: object, .. } => Self::Present(Arc::clone(object)),
            Change::Delete { object, final_state_unknown } => Self::Gone(Arc::clone(object), *final_state_unknown),
        }
    }
}

impl<T> MergedChange<T> {
    pub(super) fn new(first: &Change<T>) -> Self {
        let before = match first {
            Change::Add { .. } => Before::Nothing,
            Change::Update { old, .. } => Before::State(Arc::clone(old)),
            Change::Delete { object, final_state_unknown } => Before::Gone(Arc::clone(object), *final_state_unknown),
        };
        let is_in_initial_list = matches!(first, Change::Add { is_in_initial_list: true, .. });
        Self { before, is_in_initial_list, now: Now::after(first) }
    }

    pub(super) fn merge(&mut self, next: &Change<T>) {
        self.now = Now::after(next);
    }

    /// Returns the merged changes. Empty if the object was added and deleted again.
    pub(super) fn into_changes(self) -> impl Iterator<Item = Change<T>> {
        let delete = |object, final_state_unknown| Change::Delete { object, final_state_unknown };
        let add = |object| Change::Add { object, is_in_initial_list: self.is_in_initial_list };
        let (first, second) = match (self.before, self.now) {
            (Before::Nothing, Now::Present(object)) => (Some(add(object)), None),
            (Before::Nothing, Now::Gone(..)) => (None, None),
            (Before::State(old), Now::Present(new)) => (Some(Change::Update { old, new }), None),
            (Before::State(_), Now::Gone(object, unknown)) | (Before::Gone(object, unknown), Now::Gone(..)) => {
                (Some(delete(object, unknown)), None)
            }
            (Before::Gone(gone, unknown), Now::Present(object)) => (Some(delete(gone, unknown)), Some(add(object))),
        };
        first.into_iter().chain(second)
    }
}
