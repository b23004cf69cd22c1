//! `Clock`: the current time, timers and a random seed.

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(any(test, feature = "testing"))]
pub mod virtual_time;

use std::time::Duration;

use futures::future::LocalBoxFuture;

/// Time slice of work before other tasks run: half a frame, so that a window change is answered within one. Bytes that
/// a browser has already buffered arrive as consecutive microtasks, which block timers and messages.
pub(crate) const SLICE: Duration = Duration::from_millis(8);

/// A clock and its timers.
pub trait Clock {
    /// Monotonic time since some fixed time. Deadlines are computed from it.
    fn now(&self) -> Duration;

    /// Milliseconds since the Unix epoch, for display only.
    fn unix_ms(&self) -> f64;

    /// Resolves after at least `duration`. It may be late (a throttled tab, a sleeping machine), so callers must read
    /// [`Clock::now`] again. Dropping it cancels the timer.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;

    /// A seed for jitter.
    fn seed(&self) -> u64;
}
