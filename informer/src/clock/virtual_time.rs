//! Virtual clock: it advances only when a test moves it.

use std::cell::RefCell;
use std::collections::BTreeMap;
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
    next: u64,
    sleepers: BTreeMap<(Duration, u64), Waker>,
}

/// Removes a sleeper when its sleep is dropped. A cancelled timer must wake no task, because that would hide a missing
/// wake-up.
struct Sleeper {
    inner: Rc<RefCell<Inner>>,
    key: (Duration, u64),
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.inner.borrow_mut().sleepers.remove(&self.key);
    }
}

impl VirtualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances time and wakes the sleepers that are due.
    pub fn advance(&self, by: Duration) {
        let due = {
            let mut inner = self.inner.borrow_mut();
            inner.now += by;
            let later = (inner.now, u64::MAX);
            let waiting = inner.sleepers.split_off(&later);
            std::mem::replace(&mut inner.sleepers, waiting)
        };
        due.into_values().for_each(Waker::wake);
    }

    /// When the next sleeper is due, so that a test can advance to it in one step; `None` without sleepers.
    pub fn next_due(&self) -> Option<Duration> {
        self.inner.borrow().sleepers.keys().next().map(|(due, _)| *due)
    }

    /// Number of sleeping tasks; those after a shutdown have leaked.
    pub fn sleepers(&self) -> usize {
        self.inner.borrow().sleepers.len()
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
        let key = {
            let mut inner = self.inner.borrow_mut();
            inner.next += 1;
            (inner.now.saturating_add(duration), inner.next)
        };
        let sleeper = Sleeper { inner: Rc::clone(&self.inner), key };
        poll_fn(move |context| {
            let mut inner = sleeper.inner.borrow_mut();
            if inner.now >= key.0 {
                return Poll::Ready(());
            }
            inner.sleepers.insert(key, context.waker().clone());
            Poll::Pending
        })
        .boxed_local()
    }

    fn seed(&self) -> u64 {
        7
    }
}
