//! A clock that stands still until a test moves it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::Clock;

/// Virtual time: half an hour of watching passes in microseconds, the same way each time.
#[derive(Clone, Default)]
pub struct VirtualClock {
    inner: Rc<RefCell<Inner>>,
}

#[derive(Default)]
struct Inner {
    now: Duration,
    sleepers: Vec<(Duration, Waker)>,
}

impl VirtualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves time on and wakes whoever is due.
    pub fn advance(&self, by: Duration) {
        let due = {
            let mut inner = self.inner.borrow_mut();
            inner.now += by;
            let now = inner.now;
            let (due, waiting) = std::mem::take(&mut inner.sleepers).into_iter().partition(|(at, _)| *at <= now);
            inner.sleepers = waiting;
            let due: Vec<(Duration, Waker)> = due;
            due
        };
        for (_, waker) in due {
            waker.wake();
        }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        self.inner.borrow().now
    }

    fn unix_ms(&self) -> f64 {
        self.now().as_secs_f64() * 1_000.0
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let clock = self.clone();
        let until = self.now() + duration;
        poll_fn(move |context| {
            let mut inner = clock.inner.borrow_mut();
            if inner.now >= until {
                return Poll::Ready(());
            }
            inner.sleepers.push((until, context.waker().clone()));
            Poll::Pending
        })
        .boxed_local()
    }

    fn seed(&self) -> u64 {
        7
    }
}
