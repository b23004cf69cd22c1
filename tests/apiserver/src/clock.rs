//! Clock: the time of day, deadlines and sleeping, from tokio natively and from the browser in WebAssembly.

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{Instant, now, sleep, sleep_until, timeout};
#[cfg(target_family = "wasm")]
pub(crate) use wasm::{Instant, now, sleep, sleep_until, timeout};

#[cfg(not(target_family = "wasm"))]
mod native {
    use std::time::SystemTime;

    pub(crate) use tokio::time::{Instant, sleep, sleep_until, timeout};

    /// Returns the time of day.
    pub(crate) fn now() -> SystemTime {
        SystemTime::now()
    }
}

/// `std`'s clocks panic in WebAssembly; its `SystemTime` is only a number there and can be computed with. The crate wasmtimer, a
/// replacement of all of `tokio::time`, lost its wake-ups in Chromium's workers: the simulator stood still after seconds.
#[cfg(target_family = "wasm")]
mod wasm {
    use std::pin::pin;
    use std::time::{Duration, SystemTime};

    use futures::future::{Either, select};
    use gloo_timers::future::TimeoutFuture;
    use send_wrapper::SendWrapper;
    pub(crate) use web_time::Instant;

    /// Maximum delay of one browser timer in milliseconds; at 2^31 they fire at once.
    const MAX_DELAY: u128 = 3_600_000;

    /// Returns the time of day.
    pub(crate) fn now() -> SystemTime {
        let since = web_time::SystemTime::now().duration_since(web_time::SystemTime::UNIX_EPOCH);
        SystemTime::UNIX_EPOCH + since.unwrap_or_default()
    }

    pub(crate) async fn sleep(duration: Duration) {
        sleep_until(Instant::now() + duration).await;
    }

    /// Sleeps until a deadline. Requests are handled on one thread, though axum wants to be able to move them.
    pub(crate) async fn sleep_until(deadline: Instant) {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Rounded up, or the last millisecond would be a busy loop.
            let delay = left.as_micros().div_ceil(1000).min(MAX_DELAY);
            SendWrapper::new(TimeoutFuture::new(u32::try_from(delay).unwrap_or(u32::MAX))).await;
            if deadline <= Instant::now() {
                return;
            }
        }
    }

    /// Awaits a future, at most for a while.
    pub(crate) async fn timeout<F: Future>(duration: Duration, future: F) -> Result<F::Output, ()> {
        match select(pin!(future), pin!(sleep(duration))).await {
            Either::Left((output, _)) => Ok(output),
            Either::Right(_) => Err(()),
        }
    }
}
