//! Running tasks of a factory.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Counter of tasks, with a notification when the last one has ended.
#[derive(Clone, Default)]
pub(super) struct Tasks(Rc<Counted>);

#[derive(Default)]
struct Counted {
    running: Cell<usize>,
    waiting: RefCell<Vec<Waker>>,
}

/// Guard that counts a task until it is dropped.
pub(super) struct Running(Tasks);

impl Tasks {
    pub(super) fn begin(&self) -> Running {
        self.0.running.set(self.0.running.get() + 1);
        Running(self.clone())
    }

    /// Resolves when no task runs.
    pub(super) async fn ended(&self) {
        poll_fn(|context| {
            if self.0.running.get() == 0 {
                return Poll::Ready(());
            }
            let mut waiting = self.0.waiting.borrow_mut();
            if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let tasks = &self.0.0;
        tasks.running.set(tasks.running.get() - 1);
        if tasks.running.get() == 0 {
            let waiting = tasks.waiting.take();
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}
