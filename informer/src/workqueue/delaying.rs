//! Keys that are not due yet: client-go's `delayingType`.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::time::Duration;

/// When a key is due, and its number among all that were ever delayed, so that keys due at the same time keep their
/// order.
type Place = (Duration, u64);

pub(super) struct Delayed<K> {
    keys: BTreeMap<Place, K>,
    places: HashMap<K, Place>,
    next: u64,
}

impl<K> Default for Delayed<K> {
    fn default() -> Self {
        Self { keys: BTreeMap::new(), places: HashMap::new(), next: 0 }
    }
}

impl<K: Clone + Eq + Hash> Delayed<K> {
    /// Puts a key in, unless it is in already and due earlier. Whether it comes before all others.
    pub(super) fn insert(&mut self, key: K, due: Duration) -> bool {
        if let Some(place) = self.places.get(&key) {
            if place.0 <= due {
                return false;
            }
            self.keys.remove(place);
        }
        let place = (due, self.next);
        self.next += 1;
        self.places.insert(key.clone(), place);
        self.keys.insert(place, key);
        self.keys.first_key_value().is_some_and(|(first, _)| *first == place)
    }

    /// Takes out the first key, if it is due, with the time at which it was.
    pub(super) fn pop_due(&mut self, now: Duration) -> Option<(K, Duration)> {
        let first = self.keys.first_entry().filter(|first| first.key().0 <= now)?;
        let ((due, _), key) = first.remove_entry();
        self.places.remove(&key);
        Some((key, due))
    }

    /// When the first key is due.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.keys.first_key_value().map(|((due, _), _)| *due)
    }
}
