//! Handler traits: `ResourceEventHandler` and `ChangeBatchHandler`.

use std::sync::Arc;
use std::time::Duration;

use crate::controller::ChangeBatch;

/// Is told of changes, one at a time. Called from a task of the informer, never while a caller of the informer is on the
/// stack, and may call the informer itself. It should be quick: who has much to do puts keys into a work queue.
///
/// A call that panics is lost and reported; the calls after it, other handlers and the informer carry on. (WebAssembly
/// cannot catch a panic; what a page's callbacks throw is caught in the page.)
pub trait ResourceEventHandler<T> {
    /// The object is new in the cache.
    fn on_add(&mut self, object: &Arc<T>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }

    /// The object changed; in a resync both are the same instance.
    fn on_update(&mut self, old: &Arc<T>, new: &Arc<T>) {
        let _ = (old, new);
    }

    /// The object is gone; with `final_state_unknown` its last states were missed.
    fn on_delete(&mut self, object: &Arc<T>, final_state_unknown: bool) {
        let _ = (object, final_state_unknown);
    }

    /// Everything that was there when the handler was added has been told.
    fn on_synced(&mut self) {}
}

/// Is told of changes in batches, and may ask for a pause. For what forwards changes: views, ports, streams.
pub trait ChangeBatchHandler<T> {
    /// Changes that were applied together.
    fn on_changes(&mut self, batch: &ChangeBatch<T>);

    /// Everything that was there when the handler was added has been told.
    fn on_synced(&mut self) {}

    /// Whether it can take more. While it cannot, changes wait for it, and beyond
    /// [`HandlerOptions::backlog_bound`] those of one object are told as one; call
    /// [`crate::Registration::resume`] when it can again.
    fn is_ready(&self) -> bool {
        true
    }
}

/// How a handler wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerOptions {
    /// How often everything is told again as updates without a change; zero is never, `None` as the informer does.
    ///
    /// At least a second. No handler is resynced more often than the informer checks
    /// ([`crate::SharedInformerOptions::resync_period`]), which a handler that is added before the start may shorten, but
    /// not begin.
    pub resync_period: Option<Duration>,
    /// Changes that may wait for a handler that is not ready, before they are coalesced to one for each object.
    pub backlog_bound: usize,
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self { resync_period: None, backlog_bound: 1_024 }
    }
}

/// Either kind.
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
