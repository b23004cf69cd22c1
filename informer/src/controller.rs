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

/// Change of one object, as delivered to handlers.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<T> {
    /// It was not cached before.
    Add {
        /// The object.
        object: Arc<T>,
        /// Whether it belongs to the initial population.
        is_in_initial_list: bool,
    },
    /// It was cached before.
    Update {
        /// The previous state.
        old: Arc<T>,
        /// The new state.
        new: Arc<T>,
    },
    /// It is no longer cached.
    Delete {
        /// Its last known state.
        object: Arc<T>,
        /// The deletion itself was missed: it is inferred from a list without it (client-go's
        /// `DeletedFinalStateUnknown`).
        final_state_unknown: bool,
    },
}

impl<T> Change<T> {
    /// Returns the new state, or the last one of a deleted object.
    pub fn object(&self) -> &Arc<T> {
        match self {
            Self::Add { object, .. } | Self::Delete { object, .. } | Self::Update { new: object, .. } => object,
        }
    }
}

/// Changes that were applied together. When a handler receives them, the cache shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeBatch<T> {
    /// Ordered per object only.
    pub changes: Vec<Change<T>>,
    /// `resourceVersion` of the cache after the batch.
    pub resource_version: String,
    /// Whether they come from a list.
    pub relist: bool,
}

/// Applies a queue entry (client-go's `processDeltas`): first to the cache, then as changes for handlers. Part of a
/// relist's difference may have been computed already.
pub(crate) fn process<T: Keyed>(
    popped: Popped<T>,
    difference: Difference<T>,
    indexer: &mut Indexer<T>,
) -> Vec<Change<T>> {
    match popped {
        Popped::Deltas(deltas) => deltas.into_iter().filter_map(|delta| apply(delta, indexer)).collect(),
        Popped::Replaced { items, initial, resource_version, unread } => {
            let changes = difference.apply(&items, &unread, initial, indexer);
            // The list of an empty source has no resourceVersion.
            indexer.clear_resource_version();
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

/// Whether two states of an object are the same. Compares the uid too: in a cluster that was created again, early
/// objects get the same low versions.
fn is_unchanged<T: Keyed>(known: &T, object: &T) -> bool {
    !object.resource_version().is_empty()
        && known.resource_version() == object.resource_version()
        && known.uid() == object.uid()
}

/// Applies a delta. The kind of its change depends on the cache, not on the delta. An Added of a cached object is an
/// update; one that brings nothing new, as a server may send after a reconnect, emits no change.
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

/// Applies a part of the first population. The resourceVersion is set with the last part.
fn populate<T: Keyed>(items: Vec<Arc<T>>, indexer: &mut Indexer<T>) -> Vec<Change<T>> {
    let mut changes = Vec::with_capacity(items.len());
    for object in items {
        if indexer.get_by_key(object.key()).is_some_and(|known| is_unchanged(&**known, &*object)) {
            continue;
        }
        changes.push(match indexer.put_without_version(Arc::clone(&object)) {
            Some(old) => Change::Update { old, new: object },
            None => Change::Add { object, is_in_initial_list: true },
        });
    }
    changes
}

/// Resync: emits `Update` with `old` and `new` the same `Arc`, which shows a handler that nothing changed.
fn sync_all<T: Keyed>(except: &HashSet<String>, indexer: &Indexer<T>) -> Vec<Change<T>> {
    let objects = indexer.list().filter(|object| !except.contains(object.key()));
    objects.map(|object| Change::Update { old: Arc::clone(object), new: Arc::clone(object) }).collect()
}
