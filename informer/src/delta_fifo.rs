//! client-go's DeltaFIFO: a queue that merges the changes of one object.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::object::Keyed;
use crate::queue::{BulkEntry, Delta, Popped, Population, Queue};

/// client-go's `DeltaFIFO`: changes wait per key, keys in the order in which they first changed.
///
/// A key that changes again while it waits keeps its place, and one pop delivers all of its changes; of two
/// consecutive deletions the first is kept. A relist is one entry: earlier changes stay before it, later ones after
/// it, and its deletions are found when it is popped, against the store. Changes of one key may overtake those of
/// another, so the store's version is that of the last change applied, not of a state that the source had.
///
/// Adding is O(1), popping O(changes of the key).
#[derive(Debug)]
pub struct DeltaFifo<T> {
    entries: VecDeque<Entry<T>>,
    population: Population,
}

#[derive(Debug)]
enum Entry<T> {
    /// Changes between two other entries.
    Changes(Changes<T>),
    BulkEntry(BulkEntry<T>),
}

#[derive(Debug)]
struct Changes<T> {
    order: VecDeque<String>,
    deltas: HashMap<String, Vec<Delta<T>>>,
}

impl<T> Default for DeltaFifo<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), population: Population::Awaited }
    }
}

impl<T: Keyed> DeltaFifo<T> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the deltas of the key that has been queued longest, if changes are at the front.
    fn take_deltas(&mut self) -> Option<Vec<Delta<T>>> {
        let Some(Entry::Changes(changes)) = self.entries.front_mut() else { return None };
        let deltas = changes.order.pop_front().and_then(|key| changes.deltas.remove(&key));
        if changes.order.is_empty() {
            self.entries.pop_front();
        }
        deltas
    }

    fn push_bulk(&mut self, bulk: BulkEntry<T>) {
        self.entries.push_back(Entry::BulkEntry(bulk));
    }
}

impl<T: Keyed> Queue<T> for DeltaFifo<T> {
    fn push(&mut self, delta: Delta<T>) {
        self.population.on_delta();
        if !matches!(self.entries.back(), Some(Entry::Changes(_))) {
            self.entries.push_back(Entry::Changes(Changes { order: VecDeque::new(), deltas: HashMap::new() }));
        }
        let Some(Entry::Changes(changes)) = self.entries.back_mut() else { return };
        let key = delta.object().key();
        if let Some(deltas) = changes.deltas.get_mut(key) {
            // Two consecutive deletions are merged.
            if !matches!((deltas.last(), &delta), (Some(Delta::Deleted(_)), Delta::Deleted(_))) {
                deltas.push(delta);
            }
        } else {
            let key = key.to_owned();
            changes.order.push_back(key.clone());
            changes.deltas.insert(key, vec![delta]);
        }
    }

    /// A relist that was not popped is replaced by the next one, unless that needs it for objects that it could not
    /// decode.
    fn replace_but(&mut self, items: Vec<Arc<T>>, resource_version: String, unread: Vec<String>) {
        self.population.on_list();
        if unread.is_empty() && matches!(self.entries.back(), Some(Entry::BulkEntry(BulkEntry::Replaced(..)))) {
            self.entries.pop_back();
        }
        self.push_bulk(BulkEntry::Replaced(items, resource_version, unread));
    }

    fn populate(&mut self, items: Vec<Arc<T>>, resource_version: Option<String>) {
        if resource_version.is_some() {
            self.population.on_list();
        }
        self.push_bulk(BulkEntry::Populated(items, resource_version));
    }

    fn resync(&mut self) {
        // A waiting resync delivers everything already.
        if matches!(self.entries.back(), Some(Entry::BulkEntry(BulkEntry::SyncAll(_)))) {
            return;
        }
        let changed = |entry: &Entry<T>| match entry {
            Entry::Changes(changes) => changes.order.clone(),
            Entry::BulkEntry(_) => VecDeque::new(),
        };
        let except = self.entries.iter().flat_map(changed).collect();
        self.push_bulk(BulkEntry::SyncAll(except));
    }

    fn bookmark(&mut self, resource_version: String) {
        if let Some(Entry::BulkEntry(BulkEntry::Bookmark(_))) = self.entries.back() {
            self.entries.pop_back();
        }
        self.push_bulk(BulkEntry::Bookmark(resource_version));
    }

    fn pop(&mut self, process: &mut dyn FnMut(Popped<T>)) -> bool {
        if let Some(deltas) = self.take_deltas() {
            process(Popped::Deltas(deltas));
            return true;
        }
        let Some(Entry::BulkEntry(bulk)) = self.entries.pop_front() else { return false };
        bulk.pop(&mut self.population, process);
        true
    }

    fn next_is_deltas(&self) -> bool {
        matches!(self.entries.front(), Some(Entry::Changes(_)))
    }

    fn has_synced(&self) -> bool {
        self.population == Population::Done
    }

    fn len(&self) -> usize {
        let waiting = |entry: &Entry<T>| match entry {
            Entry::Changes(changes) => changes.order.len(),
            Entry::BulkEntry(_) => 1,
        };
        self.entries.iter().map(waiting).sum()
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
