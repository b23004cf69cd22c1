//! Work queues of a page. The engine fills them, so a slow worker in the page costs one key per changed object.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, Abortable};

use super::Inner;
use crate::engine::json_text::text;
use crate::engine::key_queue::KeyQueue;
use crate::engine::loading::Extras;
use crate::message::{QueueCall, QueueRequest, WorkQueueOptions};
use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorCode, HandlerOptions, InformerError, Keyed, Object, Registration,
};

/// Work queue of a page.
pub(super) struct PageQueue {
    pub(super) informer: u32,
    queue: Rc<dyn KeyQueue>,
    registration: Registration<Object>,
}

/// Resolves pending requests for a key to no key.
impl Drop for PageQueue {
    fn drop(&mut self) {
        self.registration.remove();
        self.queue.shut_down();
    }
}

/// Event handler that adds the key of each changed object to a queue.
struct Enqueue(Rc<dyn KeyQueue>);

impl ChangeBatchHandler<Object> for Enqueue {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        for change in &batch.changes {
            self.0.add(change.object().key());
        }
    }
}

impl Inner {
    pub(super) fn open_queue(&self, queue: u32, informer: u32, options: &WorkQueueOptions, extras: &dyn Extras) {
        let mut state = self.state.borrow_mut();
        let Some(entry) = state.informers.get(&informer) else { return };
        let keys = extras.new_queue(options, &self.engine.clock);
        let resync_period = options.resync_period.map(|ms| Duration::from_millis(ms.into()));
        let handler_options = HandlerOptions { resync_period, ..HandlerOptions::default() };
        let registration = match entry.informer.add_batch_handler(Enqueue(Rc::clone(&keys)), handler_options) {
            Ok(registration) => registration,
            // Errors of one informer do not affect others.
            Err(error) => {
                drop(state);
                self.report(informer, &error);
                return;
            }
        };
        let replaced = state.queues.insert(queue, PageQueue { informer, queue: keys, registration });
        drop(state);
        drop(replaced);
    }

    pub(super) fn call_queue(&self, queue: u32, call: QueueCall) {
        let state = self.state.borrow();
        let Some(PageQueue { queue, registration, .. }) = state.queues.get(&queue) else { return };
        let (queue, registration) = (Rc::clone(queue), registration.clone());
        // Nothing is borrowed from here on: a woken getter may call back.
        drop(state);
        if matches!(call, QueueCall::ShutDown) {
            registration.remove();
        }
        queue.call(call);
    }

    pub(super) fn ask_queue(self: &Rc<Self>, request: u32, queue: u32, ask: QueueRequest) {
        let state = self.state.borrow();
        let Some(PageQueue { queue, registration, .. }) = state.queues.get(&queue) else {
            drop(state);
            let message = "this work queue is not open: its informer was stopped, or its code could not be loaded";
            return self.reply(request, Err(InformerError::new(ErrorCode::Closed, message)));
        };
        let (queue, registration) = (Rc::clone(queue), registration.clone());
        drop(state);
        match ask {
            QueueRequest::Get => self.get(request, &*queue),
            QueueRequest::NumRequeues(key) => self.reply(request, Ok(queue.num_requeues(&key).to_string())),
            QueueRequest::Length => self.reply(request, Ok(queue.len().to_string())),
            QueueRequest::ShutDownWithDrain => {
                registration.remove();
                let (drained, session) = (queue.shut_down_with_drain(), Rc::downgrade(self));
                let task = async move {
                    drained.await;
                    if let Some(session) = session.upgrade() {
                        session.reply(request, Ok(text(None)));
                    }
                };
                (self.engine.spawn)(task.boxed_local());
            }
        }
    }

    /// Replies with the next key, or with null once the queue is shut down.
    fn get(self: &Rc<Self>, request: u32, queue: &dyn KeyQueue) {
        let (abort, registration) = AbortHandle::new_pair();
        let next = queue.get();
        self.add_pending(request, abort);
        let session = Rc::downgrade(self);
        let task = async move {
            let key = Abortable::new(next, registration).await;
            if let Some(session) = session.upgrade() {
                // An aborted request is no longer stored, and a later one may have its number.
                if key.is_ok() {
                    session.state.borrow_mut().pending.remove(&request);
                }
                let cancelled = |_| InformerError::new(ErrorCode::Aborted, "the request for a key was cancelled");
                session.reply(request, key.map_err(cancelled).map(|key| text(key.as_deref())));
            }
        };
        (self.engine.spawn)(task.boxed_local());
    }

    /// Stores a pending request. An earlier one with the same number is aborted.
    pub(super) fn add_pending(&self, request: u32, abort: AbortHandle) {
        let replaced = self.state.borrow_mut().pending.insert(request, abort);
        if let Some(replaced) = replaced {
            replaced.abort();
        }
    }

    /// Cancels a pending request. A lease returns its slot; a request for a key leaves the key in the queue.
    pub(super) fn cancel(&self, request: u32) {
        let pending = self.state.borrow_mut().pending.remove(&request);
        if let Some(pending) = pending {
            pending.abort();
        }
    }
}
