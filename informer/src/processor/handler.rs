//! Handler traits: `ResourceEventHandler` and `ChangeBatchHandler`.

use std::sync::Arc;
use std::time::Duration;

use crate::controller::ChangeBatch;

/// client-go's `ResourceEventHandler`: receives changes one at a time. The informer's task calls it, never with a
/// caller of the informer on the stack; it may call the informer. It should be quick: for longer work, add keys to a
/// work queue.
///
/// A call that panics is lost and reported; later calls, other handlers and the informer continue. (WebAssembly
/// cannot catch a panic; exceptions of a page's callbacks are caught in the page.)
pub trait ResourceEventHandler<T> {
    /// The object is new in the cache.
    fn on_add(&mut self, object: &Arc<T>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }

    /// The object changed; in a resync both arguments are the same instance.
    fn on_update(&mut self, old: &Arc<T>, new: &Arc<T>) {
        let _ = (old, new);
    }

    /// The object was deleted; with `final_state_unknown` its last states were missed.
    fn on_delete(&mut self, object: &Arc<T>, final_state_unknown: bool) {
        let _ = (object, final_state_unknown);
    }

    /// All objects that were cached when the handler was added have been delivered.
    fn on_synced(&mut self) {}
}

/// Batch handler: receives changes in batches, and can request a pause. For handlers that forward changes: views,
/// ports, streams.
pub trait ChangeBatchHandler<T> {
    /// Changes that were applied together.
    fn on_changes(&mut self, batch: &ChangeBatch<T>);

    /// All objects that were cached when the handler was added have been delivered.
    fn on_synced(&mut self) {}

    /// Whether it can accept more. While it cannot, changes wait, and beyond [`HandlerOptions::backlog_bound`] they
    /// are merged per object; call [`crate::Registration::resume`] when it can again.
    fn is_ready(&self) -> bool {
        true
    }
}

/// Options of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerOptions {
    /// Resync period: how often all cached objects are delivered as updates without a change. Zero disables it;
    /// `None` uses the informer's.
    ///
    /// At least a second. No handler is resynced more often than the informer checks
    /// ([`crate::SharedInformerOptions::resync_period`]). A handler that is added before the start can shorten that
    /// period, but not enable it.
    pub resync_period: Option<Duration>,
    /// Changes that may wait for a handler that is not ready, before they are merged to one per object.
    pub backlog_bound: usize,
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self { resync_period: None, backlog_bound: 1_024 }
    }
}

/// Handler of either kind.
pub(crate) enum Handler<T> {
    Each(Box<dyn ResourceEventHandler<T>>),
    Batch(Box<dyn ChangeBatchHandler<T>>),
}

impl<T> Handler<T> {
    pub(super) fn is_ready(&self) -> bool {
        match self {
            Self::Each(_) => true,
            Self::Batch(handler) => handler.is_ready(),
        }
    }
}
