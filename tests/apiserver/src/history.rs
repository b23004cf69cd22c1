//! History of one resource: a bounded ring that watches and old lists read from.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::object::Entry;

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Added,
    Modified,
    Deleted,
}

/// Change: one write.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) revision: u64,
    pub(crate) verb: Verb,
    /// Object after the write; for a deletion, its last state at the version of the deletion.
    pub(crate) object: Arc<Entry>,
    /// Object before the write.
    pub(crate) previous: Option<Arc<Entry>>,
}

/// Ring of one resource. Watches read it by sequence number, so none of them can block a write.
#[derive(Debug)]
pub(crate) struct History {
    ring: VecDeque<Arc<Change>>,
    capacity: usize,
    /// Sequence number of the first change in the ring.
    first: u64,
    /// Oldest version that a watch can resume from.
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

    /// Drops the past for new watches. Open watches still receive what they have not read.
    pub(crate) fn compact(&mut self, revision: u64) {
        self.oldest = self.oldest.max(revision);
    }

    /// Restarts at a revision. Every open watch counts as having missed events.
    pub(crate) fn restart(&mut self, revision: u64) {
        self.first = self.end() + 1;
        self.ring.clear();
        self.oldest = revision;
    }

    /// Sequence number of the next change.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.ring.len() as u64
    }

    /// Returns the start of a watch from `revision`, or the oldest possible version.
    pub(crate) fn resume(&self, revision: u64) -> Result<u64, u64> {
        if revision < self.oldest {
            return Err(self.oldest);
        }
        Ok(self.first + self.ring.partition_point(|change| change.revision <= revision) as u64)
    }

    /// Returns up to `limit` changes from `cursor` on; `None` if they were overwritten.
    pub(crate) fn read(&self, cursor: u64, limit: usize) -> Option<Vec<Arc<Change>>> {
        let skip = usize::try_from(cursor.checked_sub(self.first)?).ok()?;
        Some(self.ring.iter().skip(skip).take(limit).cloned().collect())
    }

    /// Rewinds `objects` to `revision`; false if that is too long ago.
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
