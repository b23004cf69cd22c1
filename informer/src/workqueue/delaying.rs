//! Delayed keys: client-go's `delayingType`.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;
use std::time::Duration;

/// Due time of a key, and a sequence number, so that keys due at the same time keep their order.
type DueTime = (Duration, u64);

pub(super) struct Delayed<K> {
    /// The first key is on top. A key that was added again with an earlier due time is in the heap twice; only its
    /// entry in `due_times` counts.
    heap: BinaryHeap<Entry<K>>,
    due_times: HashMap<K, DueTime>,
    next: u64,
}

struct Entry<K> {
    due_time: DueTime,
    key: K,
}

impl<K> PartialEq for Entry<K> {
    fn eq(&self, other: &Self) -> bool {
        self.due_time == other.due_time
    }
}

impl<K> Eq for Entry<K> {}

impl<K> PartialOrd for Entry<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Entry<K> {
    /// Reversed order: the heap has the greatest element on top.
    fn cmp(&self, other: &Self) -> Ordering {
        other.due_time.cmp(&self.due_time)
    }
}

impl<K> Default for Delayed<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), due_times: HashMap::new(), next: 0 }
    }
}

impl<K: Clone + Eq + Hash> Delayed<K> {
    /// Adds a key, unless it is already due earlier. Returns whether it is now the first.
    pub(super) fn insert(&mut self, key: K, due: Duration) -> bool {
        if self.due_times.get(&key).is_some_and(|due_time| due_time.0 <= due) {
            return false;
        }
        let due_time = (due, self.next);
        self.next += 1;
        self.due_times.insert(key.clone(), due_time);
        self.heap.push(Entry { due_time, key });
        self.drop_outdated();
        self.heap.peek().is_some_and(|first| first.due_time == due_time)
    }

    /// Removes the first key if it is due. Returns it with its due time.
    pub(super) fn pop_due(&mut self, now: Duration) -> Option<(K, Duration)> {
        self.next_due().filter(|due| *due <= now)?;
        let first = self.heap.pop()?;
        self.due_times.remove(&first.key);
        self.drop_outdated();
        Some((first.key, first.due_time.0))
    }

    /// Due time of the first key.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.heap.peek().map(|first| first.due_time.0)
    }

    /// Removes outdated entries: none is on top, and they are never more than the valid ones.
    fn drop_outdated(&mut self) {
        let Self { heap, due_times, .. } = self;
        let counts = |entry: &Entry<K>| due_times.get(&entry.key) == Some(&entry.due_time);
        if heap.len() > 2 * due_times.len() {
            heap.retain(counts);
        }
        while heap.peek().is_some_and(|first| !counts(first)) {
            heap.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_delayed_less_each_time_takes_no_more_memory() {
        let mut delayed = Delayed::default();
        for second in (0..10_000).rev() {
            delayed.insert("a", Duration::from_secs(second));
        }
        assert!(delayed.heap.len() <= 2, "{} entries", delayed.heap.len());
        assert_eq!(delayed.pop_due(Duration::ZERO), Some(("a", Duration::ZERO)));
        assert_eq!(delayed.next_due(), None);
    }
}
