//! Time as the informer sees it.

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(any(test, feature = "testing"))]
pub mod virtual_time;

use std::time::Duration;

use futures::future::LocalBoxFuture;

/// A clock and its timers.
pub trait Clock {
    /// Time since some fixed moment; never goes back. Deadlines are computed from it.
    fn now(&self) -> Duration;

    /// Milliseconds since the Unix epoch, only ever shown to people.
    fn unix_ms(&self) -> f64;

    /// Resolves after at least `duration`. It may be late (a throttled tab, a sleeping machine), so who waits looks at
    /// [`Clock::now`] again. Dropping it cancels the timer.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;

    /// A seed for jitter.
    fn seed(&self) -> u64;
}
