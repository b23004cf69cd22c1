//! The queue between the reflector and the controller.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::object::Keyed;

/// What happened to one object.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta<T> {
    /// It came to be.
    Added(Arc<T>),
    /// It changed.
    Updated(Arc<T>),
    /// It is gone; this is its state in the deletion event.
    Deleted(Arc<T>),
}

/// What the consumer gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Popped<T> {
    /// All that happened to one object since it was last popped, oldest first.
    Deltas(String, Vec<Delta<T>>),
    /// The whole content of the source at a version. What it means for each object follows from the store that it is
    /// applied to, so nothing is lost and nothing told twice however it interleaves with single changes.
    Replaced {
        /// Everything there is.
        items: Vec<Arc<T>>,
        /// The version of the list.
        resource_version: String,
        /// Whether this is the first population.
        initial: bool,
    },
}

/// client-go's `DeltaFIFO`: changes wait per key, keys wait in the order in which they first changed.
///
/// A key that changes again while it waits keeps its place, and one pop gives all of its changes. A relist is one
/// entry (client-go's `AtomicFIFO`): changes from before it stay before it, changes after it come after, and what it
/// deletes is found when it is popped, against the store.
///
/// Adding is O(1), popping O(changes of the key).
#[derive(Debug)]
pub struct DeltaFifo<T> {
    entries: VecDeque<Entry<T>>,
    populated: bool,
    initial_pending: bool,
}

#[derive(Debug)]
enum Entry<T> {
    /// Changes between two relists.
    Changes(Changes<T>),
    Replaced(Vec<Arc<T>>, String),
}

#[derive(Debug)]
struct Changes<T> {
    order: VecDeque<String>,
    deltas: HashMap<String, Vec<Delta<T>>>,
}

impl<T> Default for DeltaFifo<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), populated: false, initial_pending: false }
    }
}

impl<T: Keyed> DeltaFifo<T> {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// The object came to be.
    pub fn add(&mut self, object: Arc<T>) {
        self.push(Delta::Added(object));
    }

    /// The object changed.
    pub fn update(&mut self, object: Arc<T>) {
        self.push(Delta::Updated(object));
    }

    /// The object is gone.
    pub fn delete(&mut self, object: Arc<T>) {
        self.push(Delta::Deleted(object));
    }

    /// This is all there is. A relist that was not popped yet is outdone by it.
    pub fn replace(&mut self, items: Vec<Arc<T>>, resource_version: String) {
        if !self.populated {
            (self.populated, self.initial_pending) = (true, true);
        }
        if let Some(Entry::Replaced(..)) = self.entries.back() {
            self.entries.pop_back();
        }
        self.entries.push_back(Entry::Replaced(items, resource_version));
    }

    fn push(&mut self, delta: Delta<T>) {
        let (Delta::Added(object) | Delta::Updated(object) | Delta::Deleted(object)) = &delta;
        let key = object.key();
        if !matches!(self.entries.back(), Some(Entry::Changes(_))) {
            self.entries.push_back(Entry::Changes(Changes { order: VecDeque::new(), deltas: HashMap::new() }));
        }
        let Some(Entry::Changes(changes)) = self.entries.back_mut() else { return };
        if let Some(deltas) = changes.deltas.get_mut(key) {
            // Two deletions in a row say no more than one.
            if !matches!((deltas.last(), &delta), (Some(Delta::Deleted(_)), Delta::Deleted(_))) {
                deltas.push(delta);
            }
        } else {
            let key = key.to_owned();
            changes.order.push_back(key.clone());
            changes.deltas.insert(key, vec![delta]);
        }
    }

    /// The next entry, handed to `process`; `None` when the queue is empty. [`DeltaFifo::has_synced`] changes only
    /// after `process` has returned.
    pub fn pop<R>(&mut self, process: impl FnOnce(Popped<T>) -> R) -> Option<R> {
        loop {
            match self.entries.front_mut()? {
                Entry::Changes(changes) => {
                    let next = changes.order.pop_front();
                    let popped = next.and_then(|key| changes.deltas.remove_entry(&key));
                    if changes.order.is_empty() {
                        self.entries.pop_front();
                    }
                    if let Some((key, deltas)) = popped {
                        return Some(process(Popped::Deltas(key, deltas)));
                    }
                }
                Entry::Replaced(..) => {
                    let Some(Entry::Replaced(items, resource_version)) = self.entries.pop_front() else { return None };
                    let initial = std::mem::take(&mut self.initial_pending);
                    let result = process(Popped::Replaced { items, resource_version, initial });
                    return Some(result);
                }
            }
        }
    }

    /// Whether the next pop gives a relist.
    pub fn is_relist_next(&self) -> bool {
        matches!(self.entries.front(), Some(Entry::Replaced(..)))
    }

    /// Whether the first population has been popped and processed.
    pub fn has_synced(&self) -> bool {
        self.populated && !self.initial_pending
    }

    /// Keys, and relists, that wait.
    pub fn len(&self) -> usize {
        let waiting = |entry: &Entry<T>| match entry {
            Entry::Changes(changes) => changes.order.len(),
            Entry::Replaced(..) => 1,
        };
        self.entries.iter().map(waiting).sum()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Thing(&'static str, u32);

    impl Keyed for Thing {
        fn key(&self) -> &str {
            self.0
        }
        fn resource_version(&self) -> &'static str {
            ""
        }
    }

    fn thing(key: &'static str, version: u32) -> Arc<Thing> {
        Arc::new(Thing(key, version))
    }

    /// What the next pop gives, as text: `a: +1 ~2 -2`, `= a1 b2 @9`.
    fn pop(queue: &mut DeltaFifo<Thing>) -> String {
        let text = queue.pop(|popped| match popped {
            Popped::Deltas(key, deltas) => {
                let words: Vec<String> = deltas
                    .iter()
                    .map(|delta| match delta {
                        Delta::Added(o) => format!("+{}", o.1),
                        Delta::Updated(o) => format!("~{}", o.1),
                        Delta::Deleted(o) => format!("-{}", o.1),
                    })
                    .collect();
                format!("{key}: {}", words.join(" "))
            }
            Popped::Replaced { items, resource_version, .. } => {
                let words: Vec<String> = items.iter().map(|o| format!("{}{}", o.0, o.1)).collect();
                format!("= {} @{resource_version}", words.join(" "))
            }
        });
        text.unwrap_or_else(|| "empty".into())
    }

    #[test]
    fn df_21_a_key_keeps_its_place_and_goes_to_the_tail_after_its_pop() {
        let mut queue = DeltaFifo::new();
        for (key, version) in [("foo", 10), ("bar", 1), ("foo", 11), ("foo", 13), ("zab", 30)] {
            queue.update(thing(key, version));
        }
        assert_eq!(pop(&mut queue), "foo: ~10 ~11 ~13");
        queue.update(thing("foo", 14));
        assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["bar: ~1", "zab: ~30", "foo: ~14"]);
        assert_eq!(pop(&mut queue), "empty");
    }

    #[test]
    fn df_25_two_deletions_are_one_and_a_recreation_is_kept() {
        let mut queue = DeltaFifo::new();
        queue.add(thing("a", 1));
        queue.delete(thing("a", 2));
        queue.delete(thing("a", 3));
        queue.add(thing("a", 4));
        assert_eq!(pop(&mut queue), "a: +1 -2 +4");
    }

    #[test]
    fn changes_stay_on_their_side_of_a_relist() {
        let mut queue = DeltaFifo::new();
        queue.add(thing("a", 1));
        queue.replace(vec![thing("b", 2)], "9".into());
        queue.update(thing("a", 3));
        assert_eq!(queue.len(), 3);
        assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["a: +1", "= b2 @9", "a: ~3"]);
    }

    #[test]
    fn a_relist_outdoes_the_one_before_it() {
        let mut queue = DeltaFifo::new();
        queue.replace(vec![thing("a", 1)], "1".into());
        queue.replace(vec![thing("a", 2)], "2".into());
        assert_eq!(pop(&mut queue), "= a2 @2");
        assert!(queue.is_empty() && queue.has_synced());
    }

    #[test]
    fn df_23_synced_means_the_first_population_was_processed() {
        let mut queue: DeltaFifo<Thing> = DeltaFifo::new();
        assert!(!queue.has_synced());
        queue.replace(Vec::new(), "1".into());
        assert!(!queue.has_synced());
        let initial = queue.pop(|popped| matches!(popped, Popped::Replaced { initial: true, .. }));
        assert_eq!((initial, queue.has_synced()), (Some(true), true));
        queue.replace(Vec::new(), "2".into());
        assert!(queue.has_synced(), "a relist does not unsync");
    }
}
