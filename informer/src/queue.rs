//! Queue between reflector and controller, and its entries.

use std::collections::HashSet;
use std::sync::Arc;

use crate::object::Keyed;

/// What happened to one object: client-go's `Delta`. What it means for a handler depends on the store that it is applied
/// to: an Added of something that is there is an update.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta<T> {
    /// It came to be.
    Added(Arc<T>),
    /// It changed.
    Updated(Arc<T>),
    /// It is gone; this is its state in the deletion event.
    Deleted(Arc<T>),
}

impl<T> Delta<T> {
    /// The object that it is about.
    pub fn object(&self) -> &Arc<T> {
        let (Self::Added(object) | Self::Updated(object) | Self::Deleted(object)) = self;
        object
    }
}

/// What the consumer gets in one pop.
#[derive(Clone, Debug, PartialEq)]
pub enum Popped<T> {
    /// Single changes, to be applied in this order.
    Deltas(Vec<Delta<T>>),
    /// The whole content of the source at a version (client-go's `ReplacedAll`). What it means for each object follows
    /// from the store that it is applied to, so nothing is lost and nothing told twice however it interleaves with single
    /// changes; what is missing in it was deleted unseen, and becomes a tombstone there.
    Replaced {
        /// Everything there is.
        items: Vec<Arc<T>>,
        /// The version of the list.
        resource_version: String,
        /// Keys of what is there too, but could not be read: what is known of it stays.
        unread: Vec<String>,
        /// Whether this is the first population.
        initial: bool,
    },
    /// A part of the first population, ahead of the rest.
    Populated {
        /// What came.
        items: Vec<Arc<T>>,
        /// With the last part: the version of the whole.
        resource_version: Option<String>,
    },
    /// Everything in the store is to be told again (client-go's `SyncAll`), but for these keys.
    SyncAll {
        /// Keys whose own change was waiting when the resync came: who is told of that needs no second telling.
        except: HashSet<String>,
    },
    /// Nothing else changed up to this version.
    Bookmark(String),
}

/// client-go's `Queue`: takes what a reflector learns, gives it to a controller.
///
/// Two kinds of it: [`crate::RealFifo`] keeps the order of the source, `DeltaFifo` (with the feature `delta-fifo`, which
/// is on by default) gathers what happened to one object.
pub trait Queue<T: Keyed> {
    /// Something happened to one object.
    fn push(&mut self, delta: Delta<T>);

    /// The object came to be.
    fn add(&mut self, object: Arc<T>) {
        self.push(Delta::Added(object));
    }

    /// The object changed.
    fn update(&mut self, object: Arc<T>) {
        self.push(Delta::Updated(object));
    }

    /// The object is gone.
    fn delete(&mut self, object: Arc<T>) {
        self.push(Delta::Deleted(object));
    }

    /// This is all there is, at this version.
    fn replace(&mut self, items: Vec<Arc<T>>, resource_version: String) {
        self.replace_but(items, resource_version, Vec::new());
    }

    /// This is all there is, at this version, but for what has one of the `unread` keys and could not be read.
    fn replace_but(&mut self, items: Vec<Arc<T>>, resource_version: String, unread: Vec<String>);

    /// A part of the first population, ahead of the rest; with a version, the last one. Of a population that breaks off
    /// there is no last: what came of it stays, and the next list is the first population.
    fn populate(&mut self, items: Vec<Arc<T>>, resource_version: Option<String>);

    /// The items of the relist that the next pop gives, so that they can be looked at beforehand. A queue that may
    /// exchange it for a newer one before it is popped does not say.
    fn relist_is_next(&self) -> Option<&[Arc<T>]> {
        None
    }

    /// Everything in the store is to be told again.
    fn resync(&mut self);

    /// Nothing else changed up to this version.
    fn bookmark(&mut self, resource_version: String);

    /// Hands what is next to `process`; false when there is nothing. [`Queue::has_synced`] changes only after `process`
    /// has returned.
    fn pop(&mut self, process: &mut dyn FnMut(Popped<T>)) -> bool;

    /// Whether the next pop gives single changes, which may share a batch with those before them.
    fn deltas_are_next(&self) -> bool;

    /// Whether the first population has been popped and processed.
    fn has_synced(&self) -> bool;

    /// How much waits: keys or changes, and one for everything else.
    fn len(&self) -> usize;

    /// Whether nothing waits.
    fn is_empty(&self) -> bool;
}

/// Which queue an informer works with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// [`crate::RealFifo`], client-go's since 1.33: the cache is always a state that the source was in.
    #[default]
    InOrder,
    /// [`crate::DeltaFifo`], client-go's before: what happened to one object is told together.
    #[cfg(feature = "delta-fifo")]
    ByKey,
}

/// What waits in a queue beside single changes: it is popped the same way from both.
#[derive(Debug)]
pub(crate) enum Whole<T> {
    Replaced(Vec<Arc<T>>, String, Vec<String>),
    Populated(Vec<Arc<T>>, Option<String>),
    SyncAll(HashSet<String>),
    Bookmark(String),
}

impl<T> Whole<T> {
    /// Hands it to `process`, and notes afterwards what that means for the first population.
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

/// How far the first population has come. Both queues count it the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Population {
    /// Nothing came.
    #[default]
    Awaited,
    /// The first list waits.
    Queued,
    /// It has been processed, or a change came where no list was to come before it (client-go counts that too).
    Done,
}

impl Population {
    pub(crate) fn changed(&mut self) {
        if *self == Self::Awaited {
            *self = Self::Done;
        }
    }

    pub(crate) fn replaced(&mut self) {
        if *self == Self::Awaited {
            *self = Self::Queued;
        }
    }
}
