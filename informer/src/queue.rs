//! Queue between reflector and controller, and its entries.

use std::collections::HashSet;
use std::sync::Arc;

use crate::object::Keyed;

/// client-go's `Delta`: a change of one object. Its effect on handlers depends on the store: adding a cached object is
/// delivered as an update.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta<T> {
    /// The object was added.
    Added(Arc<T>),
    /// The object changed.
    Updated(Arc<T>),
    /// The object was deleted; this is its state in the deletion event.
    Deleted(Arc<T>),
}

impl<T> Delta<T> {
    /// The affected object.
    pub fn object(&self) -> &Arc<T> {
        let (Self::Added(object) | Self::Updated(object) | Self::Deleted(object)) = self;
        object
    }
}

/// Queue entry: what the consumer receives in one pop.
#[derive(Clone, Debug, PartialEq)]
pub enum Popped<T> {
    /// Single changes, to be applied in this order.
    Deltas(Vec<Delta<T>>),
    /// The whole content of the source at a version (client-go's `ReplacedAll`). The controller compares it with the
    /// store, so its order relative to single changes does not matter. Objects that it lacks are deleted with
    /// `final_state_unknown`.
    Replaced {
        /// All objects.
        items: Vec<Arc<T>>,
        /// The version of the list.
        resource_version: String,
        /// Keys of objects that exist but could not be decoded: their cached state stays.
        unread: Vec<String>,
        /// Whether this is the first list.
        initial: bool,
    },
    /// A page of the first list, before the list is complete.
    Populated {
        /// The objects of this page.
        items: Vec<Arc<T>>,
        /// With the last page: the version of the whole list.
        resource_version: Option<String>,
    },
    /// Resync: all stored objects are delivered again (client-go's `SyncAll`), except for these keys.
    SyncAll {
        /// Keys that already had a queued change: that change is their resync.
        except: HashSet<String>,
    },
    /// Bookmark: no other change up to this version.
    Bookmark(String),
}

/// client-go's `Queue` between a reflector and a controller.
///
/// There are two kinds: [`crate::RealFifo`] keeps the order of the source, `DeltaFifo` (feature `delta-fifo`, on by
/// default) merges the changes of one object.
pub trait Queue<T: Keyed> {
    /// Adds a change of one object.
    fn push(&mut self, delta: Delta<T>);

    /// Adds an addition.
    fn add(&mut self, object: Arc<T>) {
        self.push(Delta::Added(object));
    }

    /// Adds an update.
    fn update(&mut self, object: Arc<T>) {
        self.push(Delta::Updated(object));
    }

    /// Adds a deletion.
    fn delete(&mut self, object: Arc<T>) {
        self.push(Delta::Deleted(object));
    }

    /// Adds a relist: all objects, at this version.
    fn replace(&mut self, items: Vec<Arc<T>>, resource_version: String) {
        self.replace_but(items, resource_version, Vec::new());
    }

    /// Adds a relist, without the objects of the `unread` keys, which could not be decoded.
    fn replace_but(&mut self, items: Vec<Arc<T>>, resource_version: String, unread: Vec<String>);

    /// Adds a page of the first list before the list is complete. Only the last page has a version. If the list fails
    /// midway, its objects stay and the next list counts as the first.
    fn populate(&mut self, items: Vec<Arc<T>>, resource_version: Option<String>);

    /// Returns the items of the next entry if it is a relist, so that they can be compared ahead of the pop. `None` if
    /// the queue may replace it with a newer one before it is popped.
    fn peek_relist(&self) -> Option<&[Arc<T>]> {
        None
    }

    /// Adds a resync.
    fn resync(&mut self);

    /// Adds a bookmark: nothing else changed up to this version.
    fn bookmark(&mut self, resource_version: String);

    /// Passes the next entry to `process`; returns false if the queue is empty. [`Queue::has_synced`] changes only
    /// after `process` has returned.
    fn pop(&mut self, process: &mut dyn FnMut(Popped<T>)) -> bool;

    /// Whether the next pop delivers single changes, which may share a batch with the previous ones.
    fn next_is_deltas(&self) -> bool;

    /// Whether the first list has been popped and processed.
    fn has_synced(&self) -> bool;

    /// Length of the queue: keys or changes, and one for every other entry.
    fn len(&self) -> usize;

    /// Whether the queue is empty.
    fn is_empty(&self) -> bool;
}

/// Kind of an informer's queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// [`crate::RealFifo`], client-go's since 1.33: the cache is always a state that the source was in.
    #[default]
    InOrder,
    /// [`crate::DeltaFifo`], client-go's before that: the changes of one object are delivered together.
    #[cfg(feature = "delta-fifo")]
    ByKey,
}

/// Queue entries other than single changes, shared by both kinds of queues.
#[derive(Debug)]
pub(crate) enum BulkEntry<T> {
    Replaced(Vec<Arc<T>>, String, Vec<String>),
    Populated(Vec<Arc<T>>, Option<String>),
    SyncAll(HashSet<String>),
    Bookmark(String),
}

impl<T> BulkEntry<T> {
    /// Passes the entry to `process`, then updates the progress of the first list.
    pub(crate) fn pop(self, population: &mut Population, process: &mut dyn FnMut(Popped<T>)) {
        let (popped, is_last) = match self {
            Self::Replaced(items, resource_version, unread) => {
                let initial = *population == Population::Queued;
                (Popped::Replaced { items, resource_version, unread, initial }, true)
            }
            Self::Populated(items, resource_version) => {
                let is_last = resource_version.is_some();
                (Popped::Populated { items, resource_version }, is_last)
            }
            Self::SyncAll(except) => (Popped::SyncAll { except }, false),
            Self::Bookmark(version) => (Popped::Bookmark(version), false),
        };
        process(popped);
        if is_last {
            *population = Population::Done;
        }
    }
}

/// Progress of the first list, shared by both kinds of queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Population {
    /// Nothing has arrived.
    #[default]
    Awaited,
    /// The first list is queued.
    Queued,
    /// The first list has been processed, or a change preceded any list; client-go counts that as synced, too.
    Done,
}

impl Population {
    /// Records that a single change is queued.
    pub(crate) fn on_delta(&mut self) {
        if *self == Self::Awaited {
            *self = Self::Done;
        }
    }

    /// Records that a list, or a page of one, is queued.
    pub(crate) fn on_list(&mut self) {
        if *self == Self::Awaited {
            *self = Self::Queued;
        }
    }
}
