//! Difference between a relist and the cache, computed in slices before it is applied.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Change, is_unchanged};
use crate::indexer::Indexer;
use crate::object::Keyed;

/// Difference between a list and the cache.
///
/// Comparing a hundred thousand items takes several frames, and usually finds no change. It is therefore done in slices
/// while the list waits in the queue and the cache stays unchanged. The rest, which must be done at once because
/// readers must never see a mixture, is proportional to the differences.
#[derive(Debug)]
pub(crate) struct Difference<T> {
    /// Number of items compared so far.
    compared: usize,
    /// Cached instances whose keys are in the list, in any state.
    matched: HashSet<*const T>,
    /// Indexes of items that are not cached, or in another state.
    changed: Vec<usize>,
}

impl<T> Default for Difference<T> {
    fn default() -> Self {
        Self { compared: 0, matched: HashSet::new(), changed: Vec::new() }
    }
}

impl<T: Keyed> Difference<T> {
    /// Compares `max` further items. Returns whether there are more. Items and cache must be the same each time.
    pub(crate) fn compare(&mut self, items: &[Arc<T>], max: usize, indexer: &Indexer<T>) -> bool {
        if self.compared == 0 {
            self.matched.reserve(items.len().min(indexer.len()));
        }
        let upto = items.len().min(self.compared.saturating_add(max));
        for (at, item) in items.iter().enumerate().take(upto).skip(self.compared) {
            let known = indexer.get_by_key(item.key());
            if let Some(known) = known {
                self.matched.insert(Arc::as_ptr(known));
            }
            if !known.is_some_and(|known| is_unchanged(&**known, &**item)) {
                self.changed.push(at);
            }
        }
        self.compared = upto;
        upto < items.len()
    }

    /// Replaces the cache by `items`, except for cached objects of the `unread` keys, which still exist. Objects with
    /// an unchanged version keep their instance, so a relist does not double the memory. They are not delivered,
    /// because nothing changed (client-go delivers them to every handler).
    pub(crate) fn apply(
        mut self,
        items: &[Arc<T>],
        unread: &[String],
        initial: bool,
        indexer: &mut Indexer<T>,
    ) -> Vec<Change<T>> {
        self.compare(items, usize::MAX, indexer);
        self.matched.extend(unread.iter().filter_map(|key| indexer.get_by_key(key)).map(Arc::as_ptr));
        let mut gone: Vec<&str> = Vec::new();
        if self.matched.len() < indexer.len() {
            let missing = indexer.list().filter(|known| !self.matched.contains(&Arc::as_ptr(known)));
            gone.extend(missing.map(|known| known.key()));
            gone.sort_unstable();
        }
        let gone: Vec<String> = gone.into_iter().map(str::to_owned).collect();
        let mut changes: Vec<Change<T>> = gone
            .iter()
            .filter_map(|key| indexer.delete_by_key(key))
            .map(|object| Change::Delete { object, final_state_unknown: true })
            .collect();
        for object in self.changed.into_iter().filter_map(|at| items.get(at)) {
            // A list may contain an object twice.
            if indexer.get_by_key(object.key()).is_some_and(|known| is_unchanged(&**known, &**object)) {
                continue;
            }
            let object = Arc::clone(object);
            changes.push(match indexer.update(Arc::clone(&object)) {
                Some(old) => Change::Update { old, new: object },
                None => Change::Add { object, is_in_initial_list: initial },
            });
        }
        changes
    }
}
