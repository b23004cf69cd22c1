//! client-go's `processorListener`: delivers changes to one handler.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use super::backlog::{Backlog, Notice};
use super::handler::Handler;
use crate::controller::{Change, ChangeBatch};
use crate::error::{ErrorCode, InformerError};
use crate::metrics::HandlerMetrics;
use crate::object::Keyed;

/// client-go's `ResourceEventHandlerRegistration`. A clone is another handle to the same registration; dropping a
/// handle has no effect.
pub struct Registration<T> {
    pub(super) listener: Rc<Listener<T>>,
    pub(super) resume: Rc<dyn Fn()>,
}

impl<T> Clone for Registration<T> {
    fn clone(&self) -> Self {
        Self { listener: Rc::clone(&self.listener), resume: Rc::clone(&self.resume) }
    }
}

impl<T: Keyed> Registration<T> {
    /// Whether the handler has received all objects that were cached when it was added, or has failed for them.
    pub fn has_synced(&self) -> bool {
        self.listener.synced.get()
    }

    /// Ends the registration and releases the handler, without delivering waiting changes. Idempotent; may be called
    /// from the handler itself.
    pub fn remove(&self) {
        self.listener.remove();
    }

    /// Reports that the handler can accept more ([`crate::ChangeBatchHandler::is_ready`]).
    pub fn resume(&self) {
        (self.resume)();
    }

    /// The effective resync period of the handler; zero is never.
    pub fn resync_period(&self) -> Duration {
        self.listener.resync.get().period
    }

    /// Counters of the handler.
    pub fn metrics(&self) -> HandlerMetrics {
        self.listener.metrics()
    }
}

/// Resync schedule of a handler.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resync {
    pub(super) period: Duration,
    pub(super) next: Duration,
    /// Whether the queued resync includes this handler.
    pub(super) due: bool,
}

/// Listener: one handler and its waiting changes.
pub(super) struct Listener<T> {
    /// `None` after its removal.
    pub(super) handler: RefCell<Option<Handler<T>>>,
    pub(super) backlog: RefCell<Backlog<T>>,
    pub(super) synced: Cell<bool>,
    pub(super) removed: Cell<bool>,
    pub(super) resync: Cell<Resync>,
    pub(super) delivered: Cell<u64>,
    pub(super) failures: Cell<u64>,
}

impl<T: Keyed> Listener<T> {
    pub(super) fn metrics(&self) -> HandlerMetrics {
        let backlog = self.backlog.borrow();
        HandlerMetrics {
            has_synced: self.synced.get(),
            backlog: backlog.len() as u64,
            coalesced: backlog.coalesced,
            delivered: self.delivered.get(),
            failures: self.failures.get(),
        }
    }

    /// Stops delivery, and releases the handler and its waiting changes.
    pub(super) fn remove(&self) {
        self.removed.set(true);
        // If the handler is being called, the calling loop releases it.
        let handler = self.handler.try_borrow_mut().ok().and_then(|mut slot| slot.take());
        self.backlog.borrow_mut().clear();
        // Last, and with nothing borrowed: the values of a handler may call back when they are dropped.
        drop(handler);
    }

    /// Delivers waiting changes, as long as the handler is ready and registered.
    pub(super) fn deliver(&self, failures: &mut Vec<InformerError>) {
        // A handler that is on the stack already is served by the loop that called it.
        let Ok(mut slot) = self.handler.try_borrow_mut() else { return };
        while let Some(handler) = slot.as_mut().filter(|handler| !self.removed.get() && handler.is_ready()) {
            let notice = self.backlog.borrow_mut().pop();
            match notice {
                None => break,
                Some(Notice::Batch(batch)) => self.deliver_batch(handler, &batch, failures),
                Some(Notice::Synced) => self.deliver_synced(handler, failures),
            }
        }
        let removed = if self.removed.get() { slot.take() } else { None };
        drop(slot);
        drop(removed);
    }

    fn deliver_batch(&self, handler: &mut Handler<T>, batch: &ChangeBatch<T>, failures: &mut Vec<InformerError>) {
        match handler {
            Handler::Batch(handler) => {
                self.delivered.set(self.delivered.get() + batch.changes.len() as u64);
                self.guard(|| handler.on_changes(batch), || "a batch of changes".to_owned(), failures);
            }
            Handler::Each(handler) => {
                for change in &batch.changes {
                    // It may have removed itself.
                    if self.removed.get() {
                        return;
                    }
                    self.delivered.set(self.delivered.get() + 1);
                    let call = || match change {
                        Change::Add { object, is_in_initial_list } => handler.on_add(object, *is_in_initial_list),
                        Change::Update { old, new } => handler.on_update(old, new),
                        Change::Delete { object, final_state_unknown } => {
                            handler.on_delete(object, *final_state_unknown);
                        }
                    };
                    self.guard(call, || format!("a change of {}", change.object().key()), failures);
                }
            }
        }
    }

    fn deliver_synced(&self, handler: &mut Handler<T>, failures: &mut Vec<InformerError>) {
        // A handler that failed for an initial object is synced too: a caller that waits for it must not wait forever
        // (k/k 129024).
        if self.synced.replace(true) {
            return;
        }
        let call = || match handler {
            Handler::Each(handler) => handler.on_synced(),
            Handler::Batch(handler) => handler.on_synced(),
        };
        self.guard(call, || "the end of the initial objects".to_owned(), failures);
    }

    /// Calls a handler; a panic loses that call and no other.
    fn guard(&self, call: impl FnOnce(), what: impl FnOnce() -> String, failures: &mut Vec<InformerError>) {
        // Unwind safe for this crate: during the call only the handler itself is borrowed. Whether it is fit for the
        // next call is its author's responsibility, as in client-go.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
            self.failures.set(self.failures.get() + 1);
            let message = format!("a handler failed for {}: {}", what(), panic_message(&*panic));
            failures.push(InformerError::new(ErrorCode::Internal, message));
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it panicked")
}
