//! client-go's `RealFIFO`: a queue that keeps the order of its source.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::object::Keyed;
use crate::queue::{BulkEntry, Delta, Popped, Population, Queue};

/// client-go's `RealFIFO` with `AtomicFIFO`: entries leave in the order in which they were added.
///
/// Nothing is merged: each change of each object is delivered, also the deletion of an uncached one. A relist, a
/// resync and a bookmark are one entry each. Because the order is that of the source, the store is always in a state
/// that the source had, and its version is exact.
///
/// Adding is O(1), popping O(size of the entry).
#[derive(Debug)]
pub struct RealFifo<T> {
    entries: VecDeque<Entry<T>>,
    population: Population,
}

#[derive(Debug)]
enum Entry<T> {
    Delta(Delta<T>),
    BulkEntry(BulkEntry<T>),
}

/// Changes per batch. client-go takes 1,000; a tenth of that leaves a page time to scroll.
const BATCH: usize = 100;

impl<T> Default for RealFifo<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), population: Population::Awaited }
    }
}

impl<T: Keyed> RealFifo<T> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the changes at the front, at most `max`, with each key at most once. A repeated key begins the next batch,
    /// so a batch can be applied as one transaction.
    fn take_batch(&mut self, max: usize) -> Vec<Delta<T>> {
        let mut keys = HashSet::new();
        let mut batch = Vec::new();
        while let Some(Entry::Delta(delta)) = self.entries.front() {
            if batch.len() == max || !keys.insert(delta.object().key().to_owned()) {
                break;
            }
            if let Some(Entry::Delta(delta)) = self.entries.pop_front() {
                batch.push(delta);
            }
        }
        batch
    }

    /// Like [`Queue::pop`], with batches of at most `max` changes; `max` is at least 1.
    pub fn pop_batch(&mut self, max: usize, process: &mut dyn FnMut(Popped<T>)) -> bool {
        if self.next_is_deltas() {
            process(Popped::Deltas(self.take_batch(max.max(1))));
            return true;
        }
        let Some(Entry::BulkEntry(bulk)) = self.entries.pop_front() else { return false };
        bulk.pop(&mut self.population, process);
        true
    }

    fn push_bulk(&mut self, bulk: BulkEntry<T>) {
        self.entries.push_back(Entry::BulkEntry(bulk));
    }
}

impl<T: Keyed> Queue<T> for RealFifo<T> {
    fn push(&mut self, delta: Delta<T>) {
        self.population.on_delta();
        self.entries.push_back(Entry::Delta(delta));
    }

    fn replace_but(&mut self, items: Vec<Arc<T>>, resource_version: String, unread: Vec<String>) {
        self.population.on_list();
        self.push_bulk(BulkEntry::Replaced(items, resource_version, unread));
    }

    fn populate(&mut self, items: Vec<Arc<T>>, resource_version: Option<String>) {
        if resource_version.is_some() {
            self.population.on_list();
        }
        self.push_bulk(BulkEntry::Populated(items, resource_version));
    }

    fn peek_relist(&self) -> Option<&[Arc<T>]> {
        match self.entries.front() {
            Some(Entry::BulkEntry(BulkEntry::Replaced(items, ..))) => Some(items),
            _ => None,
        }
    }

    fn resync(&mut self) {
        // A waiting resync delivers everything already.
        if !matches!(self.entries.back(), Some(Entry::BulkEntry(BulkEntry::SyncAll(_)))) {
            self.push_bulk(BulkEntry::SyncAll(HashSet::new()));
        }
    }

    fn bookmark(&mut self, resource_version: String) {
        self.push_bulk(BulkEntry::Bookmark(resource_version));
    }

    fn pop(&mut self, process: &mut dyn FnMut(Popped<T>)) -> bool {
        self.pop_batch(BATCH, process)
    }

    fn next_is_deltas(&self) -> bool {
        matches!(self.entries.front(), Some(Entry::Delta(_)))
    }

    fn has_synced(&self) -> bool {
        self.population == Population::Done
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
