//! Backlog: the changes that wait for one handler.

mod coalesce;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use crate::controller::ChangeBatch;
use crate::object::Keyed;
use coalesce::MergedChange;

/// Item of a backlog.
pub(super) enum Notice<T> {
    Batch(Rc<ChangeBatch<T>>),
    Synced,
}

/// Batches that have not been delivered to a handler.
///
/// Beyond its bound the changes of one object are merged into one, from the state that the handler has to the current
/// one. A sequence that starts with a deletion and ends with the object stays two changes, because a deletion does not
/// contain the state that the handler has. So the backlog holds at most max(bound, 2 × objects) changes (4 × if all of
/// them were recreated) or one batch, however slow the handler, and the delivered changes are still a valid history.
/// (client-go's buffer grows without bound; kube-rs delays all handlers.) Amortised O(1) per change.
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
        // A single batch, alone or behind `Synced`, is not merged further.
        let single = 1 + usize::from(self.starts_with_synced());
        if self.changes > self.coalesce_at && self.notices.len() > single {
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
            // Never raise the threshold here, or a slow handler raises it without limit.
            self.coalesce_at = self.coalesce_at.min(self.bound.max(2 * self.changes));
        }
        Some(notice)
    }

    /// Number of waiting changes.
    pub(super) fn len(&self) -> usize {
        self.changes
    }

    pub(super) fn clear(&mut self) {
        (self.notices, self.changes) = (VecDeque::new(), 0);
    }

    /// Whether all initial objects have been delivered, and `Synced` comes next.
    fn starts_with_synced(&self) -> bool {
        matches!(self.notices.front(), Some(Notice::Synced))
    }

    fn coalesce(&mut self) {
        let (mut merged, mut index_by_key) = (Vec::<MergedChange<T>>::new(), HashMap::<String, usize>::new());
        // If the initial objects have been delivered, `Synced` stays in front. Behind the changes, a handler that takes
        // one batch at a time would not reach it while changes keep arriving.
        let initial_delivered = self.starts_with_synced();
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
                if let Some(net) = index_by_key.get(key).and_then(|at| merged.get_mut(*at)) {
                    net.merge(change);
                } else {
                    index_by_key.insert(key.to_owned(), merged.len());
                    merged.push(MergedChange::new(change));
                }
            }
        }
        let changes: Vec<_> = merged.into_iter().flat_map(MergedChange::into_changes).collect();
        self.coalesced += (self.changes - changes.len()) as u64;
        self.changes = changes.len();
        self.coalesce_at = self.bound.max(2 * self.changes);
        if self.changes > 0 {
            self.notices.push_back(Notice::Batch(Rc::new(ChangeBatch { changes, resource_version, relist })));
        }
        if initial_delivered {
            self.notices.push_front(Notice::Synced);
        } else if synced {
            self.notices.push_back(Notice::Synced);
        }
    }
}
