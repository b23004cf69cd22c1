//! Event handlers of a page.

use std::rc::Rc;
use std::time::Duration;

use super::Inner;
use crate::engine::page_handler::{Outbox, PageHandler, RegisteredHandler};
use crate::message::{EventHandlerOptions, FromEngine};
use informer::HandlerOptions;

impl Inner {
    pub(super) fn add_event_handler(self: &Rc<Self>, informer: u32, handler: u32, options: EventHandlerOptions) {
        let mut state = self.state.borrow_mut();
        let Some(entry) = state.informers.get(&informer) else { return };
        let outbox = Rc::new(Outbox::new(handler, options.replay, self.status_then_send(informer)));
        let resync_period = options.resync_period.map(|ms| Duration::from_millis(ms.into()));
        let options = HandlerOptions { resync_period, ..HandlerOptions::default() };
        let registration = match entry.informer.add_batch_handler(PageHandler(Rc::clone(&outbox)), options) {
            Ok(registration) => registration,
            Err(error) => {
                drop(state);
                self.report(informer, &error);
                return;
            }
        };
        let replaced = state.handlers.insert(handler, RegisteredHandler { informer, registration, outbox });
        drop(state);
        if let Some(replaced) = replaced {
            replaced.registration.remove();
        }
    }

    /// Sends the status before a handler's messages, so that a page's status is never older than its last batch.
    fn status_then_send(self: &Rc<Self>, informer: u32) -> Rc<dyn Fn(FromEngine)> {
        let session = Rc::downgrade(self);
        Rc::new(move |message| {
            let Some(session) = session.upgrade() else { return };
            let now = session.engine.clock.now();
            let status =
                session.state.borrow_mut().informers.get_mut(&informer).and_then(|entry| entry.status_update(now));
            if let Some(status) = status {
                session.send(FromEngine::Status { informer, status });
            }
            session.send(message);
        })
    }
}
