//! Native clock, over tokio; for tests and benchmarks.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant, SystemTime};

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::Clock;

/// `std::time` and tokio's timers.
#[derive(Clone, Debug)]
pub struct NativeClock {
    origin: Instant,
}

impl NativeClock {
    /// Creates a clock that begins now.
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Default for NativeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for NativeClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn unix_ms(&self) -> f64 {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1_000.0
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed_local()
    }

    fn seed(&self) -> u64 {
        RandomState::new().hash_one(0)
    }
}
