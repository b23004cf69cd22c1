//! Backlog: the changes that wait for one handler.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use crate::controller::{Change, ChangeBatch};
use crate::object::Keyed;

pub(super) enum Notice<T> {
    Batch(Rc<ChangeBatch<T>>),
    Synced,
}

/// Batches that have not been delivered to a handler.
///
/// Beyond its bound the changes of one object are merged into one, from the state that the handler has to the current
/// one. Only a deletion and recreation stay two changes, because a deletion does not contain the state that the
/// handler has. So the backlog never holds more than twice the number of objects (four times if all of them were
/// recreated), however slow the handler, and the delivered changes are still a valid history. (client-go's buffer
/// grows without bound; kube-rs delays all handlers.) Amortised O(1) per change.
pub(super) struct Backlog<T> {
    notices: VecDeque<Notice<T>>,
    changes: usize,
    bound: usize,
    coalesce_at: usize,
    /// Changes that were merged into others, or cancelled out.
    pub(super) coalesced: u64,
}

impl<T: Keyed> Backlog<T> {
    pub(super) fn new(bound: usize) -> Self {
        Self { notices: VecDeque::new(), changes: 0, bound, coalesce_at: bound, coalesced: 0 }
    }

    pub(super) fn push(&mut self, batch: Rc<ChangeBatch<T>>) {
        self.changes += batch.changes.len();
        self.notices.push_back(Notice::Batch(batch));
        // A single batch is not merged further.
        if self.changes > self.coalesce_at && self.notices.len() > 1 {
            self.coalesce();
        }
    }

    pub(super) fn push_synced(&mut self) {
        self.notices.push_back(Notice::Synced);
    }

    pub(super) fn pop(&mut self) -> Option<Notice<T>> {
        let notice = self.notices.pop_front()?;
        if let Notice::Batch(batch) = &notice {
            self.changes -= batch.changes.len();
            // Down only: a handler that takes a little now and then would let it grow without limit.
            self.coalesce_at = self.coalesce_at.min(self.bound.max(2 * self.changes));
        }
        Some(notice)
    }

    /// Waiting changes.
    pub(super) fn len(&self) -> usize {
        self.changes
    }

    pub(super) fn clear(&mut self) {
        (self.notices, self.changes) = (VecDeque::new(), 0);
    }

    fn coalesce(&mut self) {
        let (mut nets, mut place) = (Vec::<Net<T>>::new(), HashMap::<String, usize>::new());
        // If the initial objects have been delivered, `Synced` stays in front: a handler that takes one batch at a
        // time in a storm would not reach it otherwise.
        let all_told = matches!(self.notices.front(), Some(Notice::Synced));
        let (mut synced, mut relist, mut resource_version) = (false, false, String::new());
        for notice in self.notices.drain(..) {
            let batch = match notice {
                Notice::Batch(batch) => batch,
                Notice::Synced => {
                    synced = true;
                    continue;
                }
            };
            (relist, resource_version) = (relist || batch.relist, batch.resource_version.clone());
            for change in &batch.changes {
                let key = change.object().key();
                if let Some(net) = place.get(key).and_then(|at| nets.get_mut(*at)) {
                    net.follow(change);
                } else {
                    place.insert(key.to_owned(), nets.len());
                    nets.push(Net::new(change));
                }
            }
        }
        let changes: Vec<_> = nets.into_iter().flat_map(Net::into_changes).collect();
        self.coalesced += (self.changes - changes.len()) as u64;
        self.changes = changes.len();
        self.coalesce_at = self.bound.max(2 * self.changes);
        if self.changes > 0 {
            self.notices.push_back(Notice::Batch(Rc::new(ChangeBatch { changes, resource_version, relist })));
        }
        if all_told {
            self.notices.push_front(Notice::Synced);
        } else if synced {
            self.notices.push_back(Notice::Synced);
        }
    }
}

/// Merged change of one object.
struct Net<T> {
    before: Before<T>,
    is_in_initial_list: bool,
    now: Now<T>,
}

/// State that the handler had before.
enum Before<T> {
    Nothing,
    State(Arc<T>),
    /// A state of an object that has been deleted since, with the content of the deletion.
    Gone(Arc<T>, bool),
}

enum Now<T> {
    There(Arc<T>),
    Gone(Arc<T>, bool),
}

impl<T> Now<T> {
    fn after(change: &Change<T>) -> Self {
        match change {
            Change::Add { object, .. } | Change::Update { new: object, .. } => Self::There(Arc::clone(object)),
            Change::Delete { object, final_state_unknown } => Self::Gone(Arc::clone(object), *final_state_unknown),
        }
    }
}

impl<T> Net<T> {
    fn new(first: &Change<T>) -> Self {
        let before = match first {
            Change::Add { .. } => Before::Nothing,
            Change::Update { old, .. } => Before::State(Arc::clone(old)),
            Change::Delete { object, final_state_unknown } => Before::Gone(Arc::clone(object), *final_state_unknown),
        };
        let is_in_initial_list = matches!(first, Change::Add { is_in_initial_list: true, .. });
        Self { before, is_in_initial_list, now: Now::after(first) }
    }

    fn follow(&mut self, next: &Change<T>) {
        self.now = Now::after(next);
    }

    /// `None` if the handler would only receive the deletion of an object that it has not received.
    fn into_changes(self) -> impl Iterator<Item = Change<T>> {
        let delete = |object, final_state_unknown| Change::Delete { object, final_state_unknown };
        let add = |object| Change::Add { object, is_in_initial_list: self.is_in_initial_list };
        let (first, second) = match (self.before, self.now) {
            (Before::Nothing, Now::There(object)) => (Some(add(object)), None),
            (Before::Nothing, Now::Gone(..)) => (None, None),
            (Before::State(old), Now::There(new)) => (Some(Change::Update { old, new }), None),
            (Before::State(_), Now::Gone(object, unknown)) | (Before::Gone(object, unknown), Now::Gone(..)) => {
                (Some(delete(object, unknown)), None)
            }
            (Before::Gone(gone, unknown), Now::There(object)) => (Some(delete(gone, unknown)), Some(add(object))),
        };
        first.into_iter().chain(second)
    }
}
