//! Simulation clock: virtual time with a random seed for jitter; on a simulated slow machine it also advances while
//! code runs.

use std::cell::RefCell;
use std::time::Duration;

use fastrand::Rng;
use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;

pub(crate) struct SimulatedClock {
    pub(crate) time: VirtualClock,
    pub(crate) random: RefCell<Rng>,
    /// Whether work takes time: slices end, deadlines pass while something is being done.
    pub(crate) slow: bool,
}

impl Clock for SimulatedClock {
    fn now(&self) -> Duration {
        if self.slow && self.random.borrow_mut().u8(..) < 64 {
            self.time.advance(Duration::from_millis(self.random.borrow_mut().u64(1..=3)));
        }
        self.time.now()
    }

    fn unix_ms(&self) -> f64 {
        self.time.unix_ms()
    }

    /// No timer fires at once.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.time.sleep(duration.max(Duration::from_millis(1)))
    }

    fn seed(&self) -> u64 {
        self.random.borrow_mut().u64(..)
    }
}
