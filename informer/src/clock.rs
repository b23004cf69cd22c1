//! `Clock`: the current time, timers and a random seed.

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(any(test, feature = "testing"))]
pub mod virtual_time;

use std::time::Duration;

use futures::future::LocalBoxFuture;

/// How long work may go on before others get a turn: half a frame, so that a window change is answered within one. Bytes
/// that a browser has already buffered arrive as microtasks, one after the other, and let neither timers nor messages in.
pub(crate) const SLICE: Duration = Duration::from_millis(8);

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
