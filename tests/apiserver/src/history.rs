//! History of one resource: a bounded ring that watches and old lists read from.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::object::Entry;

/// What a change did to its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Added,
    Modified,
    Deleted,
}

/// One write.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    pub(crate) verb: Verb,
    /// The object after the write; for a deletion its last state at the version of the deletion.
    pub(crate) object: Arc<Entry>,
    /// The object before the write.
    pub(crate) previous: Option<Arc<Entry>>,
}

/// The ring of one resource. Watches read it by sequence number, so none of them can hold up a write.
#[derive(Debug)]
pub(crate) struct History {
    ring: VecDeque<Arc<Change>>,
    capacity: usize,
    /// Sequence number of the first change in the ring.
    first: u64,
    /// Versions below this one can no longer be resumed from.
    oldest: u64,
}

impl History {
    pub(crate) fn new(capacity: usize, revision: u64) -> Self {
        Self { ring: VecDeque::new(), capacity: capacity.max(1), first: 0, oldest: revision }
    }

    pub(crate) fn push(&mut self, change: Change) {
        if self.ring.len() == self.capacity
            && let Some(dropped) = self.ring.pop_front()
        {
            self.first += 1;
            self.oldest = self.oldest.max(dropped.revision);
        }
        self.ring.push_back(Arc::new(change));
    }

    /// Clears the past for new watches. Open watches still get what they have not read.
    pub(crate) fn compact(&mut self, revision: u64) {
        self.oldest = self.oldest.max(revision);
    }

    /// Begins anew at a revision. Every open watch counts as having missed events.
    pub(crate) fn restart(&mut self, revision: u64) {
        self.first = self.end() + 1;
        self.ring.clear();
        self.oldest = revision;
    }

    /// Sequence number that the next change will have.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.ring.len() as u64
    }

    /// Where a watch from `revision` begins, or the oldest version that would do.
    pub(crate) fn resume(&self, revision: u64) -> Result<u64, u64> {
        if revision < self.oldest {
            return Err(self.oldest);
        }
        Ok(self.first + self.ring.partition_point(|change| change.revision <= revision) as u64)
    }

    /// Up to `limit` changes from `cursor` on; `None` when they have been overwritten.
    pub(crate) fn read(&self, cursor: u64, limit: usize) -> Option<Vec<Arc<Change>>> {
        let skip = usize::try_from(cursor.checked_sub(self.first)?).ok()?;
        Some(self.ring.iter().skip(skip).take(limit).cloned().collect())
    }

    /// Takes `objects` back to how they were at `revision`; false when that is too long ago.
    pub(crate) fn rewind(&self, objects: &mut BTreeMap<String, Arc<Entry>>, revision: u64) -> bool {
        if revision < self.oldest {
            return false;
        }
        for change in self.ring.iter().rev().take_while(|change| change.revision > revision) {
            match &change.previous {
                Some(previous) => objects.insert(previous.key.clone(), Arc::clone(previous)),
                None => objects.remove(&change.object.key),
            };
        }
        true
    }
}
