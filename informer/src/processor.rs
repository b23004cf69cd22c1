//! Fan-out to event handlers (client-go's `sharedProcessor`).

mod backlog;
mod filtering;
mod handler;
mod listener;
mod predicate;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::controller::{Change, ChangeBatch};
use crate::error::InformerError;
use crate::metrics::HandlerMetrics;
use crate::object::Keyed;

use backlog::Backlog;
use listener::{Listener, Resync};

pub use filtering::FilteringResourceEventHandler;
pub(crate) use handler::Handler;
pub use handler::{ChangeBatchHandler, HandlerOptions, ResourceEventHandler};
pub use listener::Registration;
pub use predicate::PredicateResourceEventHandler;

/// The minimum resync period (client-go: `minimumResyncPeriod`).
const MIN_RESYNC: Duration = Duration::from_secs(1);

/// client-go's `sharedProcessor`: delivers every batch to every listener.
pub(crate) struct Processor<T> {
    /// Copy-on-write: handlers may change it during a delivery.
    listeners: Rc<Vec<Rc<Listener<T>>>>,
    /// Whether the first list has been distributed.
    synced: bool,
    /// Resync period of handlers without their own.
    default_resync: Duration,
    /// Interval between resync checks; zero disables resyncs.
    resync_check: Duration,
}

/// Initial delivery to a listener.
pub(crate) struct Replay<T> {
    pub(crate) cached: Vec<Arc<T>>,
    pub(crate) resource_version: String,
    /// Whether this is the complete initial population.
    pub(crate) synced: bool,
}

impl<T: Keyed> Processor<T> {
    pub(crate) fn new(default_resync: Duration) -> Self {
        Self { listeners: Rc::default(), synced: false, default_resync, resync_check: default_resync }
    }

    /// Adds a handler. `resume` schedules a call of [`Processor::deliver`]; `running_since` is the current time if the
    /// informer is running.
    pub(crate) fn add(
        &mut self,
        handler: Handler<T>,
        options: HandlerOptions,
        replay: Replay<T>,
        resume: Rc<dyn Fn()>,
        running_since: Option<Duration>,
    ) -> Registration<T> {
        let mut backlog = Backlog::new(options.backlog_bound);
        if !replay.cached.is_empty() {
            let add = |object| Change::Add { object, is_in_initial_list: true };
            let changes = replay.cached.into_iter().map(add).collect();
            let resource_version = replay.resource_version;
            backlog.push(Rc::new(ChangeBatch { changes, resource_version, relist: false }));
        }
        if replay.synced {
            backlog.push_synced();
        }
        let period = self.resync_period(options.resync_period, running_since.is_some());
        let next = running_since.unwrap_or_default().saturating_add(period);
        let listener = Rc::new(Listener {
            handler: RefCell::new(Some(handler)),
            backlog: RefCell::new(backlog),
            synced: Cell::new(false),
            removed: Cell::new(false),
            resync: Cell::new(Resync { period, next, due: false }),
            delivered: Cell::new(0),
            failures: Cell::new(0),
        });
        Rc::make_mut(&mut self.listeners).push(Rc::clone(&listener));
        Registration { listener, resume }
    }

    /// The effective resync period of a handler (client-go: `AddEventHandlerWithResyncPeriod`).
    fn resync_period(&mut self, requested: Option<Duration>, started: bool) -> Duration {
        let requested = match requested.unwrap_or(self.default_resync) {
            Duration::ZERO => return Duration::ZERO,
            requested => requested.max(MIN_RESYNC),
        };
        match self.resync_check {
            // The informer does not check at all.
            Duration::ZERO => Duration::ZERO,
            check if requested >= check => requested,
            check if started => check,
            _ => {
                self.resync_check = requested;
                requested
            }
        }
    }

    /// Interval between calls of [`Processor::should_resync`]; zero disables resyncs.
    pub(crate) fn resync_check(&self) -> Duration {
        self.resync_check
    }

    /// Starts the resync periods, because the informer starts now.
    pub(crate) fn start(&self, now: Duration) {
        for listener in &*self.listeners {
            let resync = listener.resync.get();
            listener.resync.set(Resync { next: now.saturating_add(resync.period), ..resync });
        }
    }

    /// Marks the listeners that are due for a resync, and returns whether there are any.
    pub(crate) fn should_resync(&self, now: Duration) -> bool {
        let mut any = false;
        for listener in &*self.listeners {
            let mut resync = listener.resync.get();
            if !resync.period.is_zero() && resync.next <= now {
                (resync.due, resync.next, any) = (true, now.saturating_add(resync.period), true);
                listener.resync.set(resync);
            }
        }
        any
    }

    /// Queues a batch for every listener.
    pub(crate) fn distribute(&self, batch: ChangeBatch<T>) {
        if batch.changes.is_empty() {
            return;
        }
        let batch = Rc::new(batch);
        for listener in self.active_listeners() {
            listener.backlog.borrow_mut().push(Rc::clone(&batch));
        }
    }

    /// Queues all cached objects for the listeners that are due.
    pub(crate) fn distribute_resync(&self, batch: ChangeBatch<T>) {
        let batch = Rc::new(batch);
        for listener in self.active_listeners() {
            let resync = listener.resync.get();
            if resync.due && !batch.changes.is_empty() {
                listener.backlog.borrow_mut().push(Rc::clone(&batch));
            }
            listener.resync.set(Resync { due: false, ..resync });
        }
    }

    /// Marks all listeners synced after the first list; later calls have no effect.
    pub(crate) fn distribute_synced(&mut self) {
        if !std::mem::replace(&mut self.synced, true) {
            self.active_listeners().for_each(|listener| listener.backlog.borrow_mut().push_synced());
        }
    }

    fn active_listeners(&self) -> impl Iterator<Item = &Rc<Listener<T>>> {
        self.listeners.iter().filter(|listener| !listener.removed.get())
    }

    /// Delivers waiting changes to listeners; returns the failures of handlers. `processor` is borrowed only to read
    /// the listeners, so handlers may add and remove handlers.
    pub(crate) fn deliver(processor: &RefCell<Self>) -> Vec<InformerError> {
        let gone = processor.borrow_mut().take_removed();
        // With nothing borrowed: handlers may call back when they are dropped.
        drop(gone);
        let listeners = Rc::clone(&processor.borrow().listeners);
        let mut failures = Vec::new();
        for listener in &*listeners {
            listener.deliver(&mut failures);
        }
        failures
    }

    /// Removes the listeners that have ended. Returns the old list if there were any, to be dropped while nothing is
    /// borrowed.
    fn take_removed(&mut self) -> Option<Rc<Vec<Rc<Listener<T>>>>> {
        let is_any = self.listeners.iter().any(|listener| listener.removed.get());
        is_any.then(|| {
            let active = self.active_listeners().cloned().collect();
            std::mem::replace(&mut self.listeners, Rc::new(active))
        })
    }

    /// Releases all handlers: nothing more is delivered. Otherwise a handler that owns its informer would keep it,
    /// and its cache, forever.
    pub(crate) fn clear(processor: &RefCell<Self>) {
        let listeners = std::mem::take(&mut processor.borrow_mut().listeners);
        for listener in &*listeners {
            listener.remove();
        }
    }

    /// Counters of each handler.
    pub(crate) fn metrics(&self) -> Vec<HandlerMetrics> {
        self.active_listeners().map(|listener| listener.metrics()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;

    struct Deaf;
    impl ChangeBatchHandler<Object> for Deaf {
        fn on_changes(&mut self, _: &ChangeBatch<Object>) {}
    }

    /// Handlers come and go for days in a page.
    #[test]
    fn nothing_is_left_of_a_handler_that_was_removed() {
        let processor = RefCell::new(Processor::new(Duration::ZERO));
        let add = || {
            let replay = Replay { cached: Vec::new(), resource_version: String::new(), synced: true };
            let handler = Handler::Batch(Box::new(Deaf));
            processor.borrow_mut().add(handler, HandlerOptions::default(), replay, Rc::new(|| {}), None)
        };
        let (first, _second) = (add(), add());
        let listener = Rc::downgrade(&first.listener);
        first.remove();
        drop(first);
        Processor::deliver(&processor);
        assert_eq!((listener.strong_count(), processor.borrow().listeners.len()), (0, 1));
    }
}
