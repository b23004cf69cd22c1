//! Wake-up of the controller's task.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Notification of new work, which one task waits for.
#[derive(Default)]
pub(super) struct Work {
    due: Cell<bool>,
    ended: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Work {
    pub(super) fn notify(&self) {
        self.due.set(true);
        let waker = self.waker.borrow_mut().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Ends the wait, because there will be no more work.
    pub(super) fn end(&self) {
        self.ended.set(true);
        self.notify();
    }

    pub(super) fn begin(&self) {
        self.ended.set(false);
    }

    /// Resolves with true when there is work, with false after the end.
    pub(super) async fn wait(&self) -> bool {
        poll_fn(|context| {
            if self.ended.get() {
                return Poll::Ready(false);
            }
            if self.due.take() {
                return Poll::Ready(true);
            }
            *self.waker.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
