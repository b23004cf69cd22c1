//! client-go's controller: applies queue entries to the cache and emits the changes.

mod difference;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use crate::indexer::Indexer;
use crate::object::Keyed;
use crate::queue::{Delta, Popped};

pub(crate) use difference::Difference;

/// What handlers are told of one object.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<T> {
    /// It was not in the cache before.
    Add {
        /// The object.
        object: Arc<T>,
        /// Whether it belongs to the initial population.
        is_in_initial_list: bool,
    },
    /// It was in the cache.
    Update {
        /// What was there.
        old: Arc<T>,
        /// What is there now.
        new: Arc<T>,
    },
    /// It is gone from the cache.
    Delete {
        /// Its last known state.
        object: Arc<T>,
        /// The deletion itself was missed: it is inferred from a list without it (client-go's
        /// `DeletedFinalStateUnknown`).
        final_state_unknown: bool,
    },
}

impl<T> Change<T> {
    /// The object as it is now, or as it was last.
    pub fn object(&self) -> &Arc<T> {
        match self {
            Self::Add { object, .. } | Self::Delete { object, .. } | Self::Update { new: object, .. } => object,
        }
    }
}

/// Changes that were applied together. When a handler sees them, the cache shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeBatch<T> {
    /// In the order in which they happened, for each object.
    pub changes: Vec<Change<T>>,
    /// The version that the cache has reached with them.
    pub resource_version: String,
    /// Whether they come from a list.
    pub relist: bool,
}

/// Applies what was popped (client-go's `processDeltas`): the cache first, then what handlers are told of it. Of a relist
/// some of the difference to the cache may be known already.
pub(crate) fn process<T: Keyed>(
    popped: Popped<T>,
    difference: Difference<T>,
    indexer: &mut Indexer<T>,
) -> Vec<Change<T>> {
    match popped {
        Popped::Deltas(deltas) => deltas.into_iter().filter_map(|delta| apply(delta, indexer)).collect(),
        Popped::Replaced { items, initial, resource_version, unread } => {
            let changes = difference.apply(&items, &unread, initial, indexer);
            // Of nothing that anybody listed it has none.
            indexer.lose_version();
            indexer.bookmark(&resource_version);
            changes
        }
        Popped::Populated { items, resource_version } => {
            let changes = populate(items, indexer);
            indexer.bookmark(resource_version.as_deref().unwrap_or_default());
            changes
        }
        Popped::SyncAll { except } => sync_all(&except, indexer),
        Popped::Bookmark(version) => {
            indexer.bookmark(&version);
            Vec::new()
        }
    }
}

/// Whether nothing happened between two states of an object. The uid too: in a cluster that was made anew early objects
/// get the same low versions.
fn is_unchanged<T: Keyed>(known: &T, object: &T) -> bool {
    !object.resource_version().is_empty()
        && known.resource_version() == object.resource_version()
        && known.uid() == object.uid()
}

/// What a change is called depends on the cache, not on the delta: an Added that is known is an update, and one that
/// brings nothing new, as a server may send after a reconnect, emits no change.
fn apply<T: Keyed>(delta: Delta<T>, indexer: &mut Indexer<T>) -> Option<Change<T>> {
    match delta {
        Delta::Added(object) | Delta::Updated(object) => {
            if indexer.get_by_key(object.key()).is_some_and(|known| is_unchanged(&**known, &*object)) {
                return None;
            }
            Some(match indexer.update(Arc::clone(&object)) {
                Some(old) => Change::Update { old, new: object },
                None => Change::Add { object, is_in_initial_list: false },
            })
        }
        // Deleting an uncached object emits no change (WAT-25). The event's object is newer than the cached one.
        Delta::Deleted(object) => {
            indexer.delete(&object).map(|_| Change::Delete { object, final_state_unknown: false })
        }
    }
}

/// A part of the first population comes in. The cache is at no version of its source before the last part is there.
fn populate<T: Keyed>(items: Vec<Arc<T>>, indexer: &mut Indexer<T>) -> Vec<Change<T>> {
    let mut changes = Vec::with_capacity(items.len());
    for object in items {
        if indexer.get_by_key(object.key()).is_some_and(|known| is_unchanged(&**known, &*object)) {
            continue;
        }
        changes.push(match indexer.put(Arc::clone(&object)) {
            Some(old) => Change::Update { old, new: object },
            None => Change::Add { object, is_in_initial_list: true },
        });
    }
    changes
}

/// Everything that is cached, as updates from itself to itself: a handler sees by the same instance that nothing changed.
fn sync_all<T: Keyed>(except: &HashSet<String>, indexer: &Indexer<T>) -> Vec<Change<T>> {
    let objects = indexer.list().filter(|object| !except.contains(object.key()));
    objects.map(|object| Change::Update { old: Arc::clone(object), new: Arc::clone(object) }).collect()
}
