//! The browser's clock, in a page and in every kind of worker.

use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Math, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, MessagePort, Performance};

use super::Clock;

/// `performance.now()` and `setTimeout`; a sleep of zero is one turn of the event loop.
///
/// `performance.now()` never goes back, even if the wall clock is set. In some browsers it stops while the
/// machine sleeps, which makes deadlines late by the sleep, and never early.
#[derive(Clone, Debug)]
pub struct BrowserClock {
    performance: Option<Performance>,
}

impl BrowserClock {
    /// The clock of this page or worker.
    pub fn new() -> Self {
        let performance = Reflect::get(&js_sys::global(), &JsValue::from_str("performance")).ok();
        Self { performance: performance.and_then(|value| value.dyn_into().ok()) }
    }
}

impl Default for BrowserClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for BrowserClock {
    fn now(&self) -> Duration {
        let ms = self.performance.as_ref().map_or_else(Date::now, Performance::now);
        Duration::from_secs_f64(ms.max(0.0) / 1_000.0)
    }

    fn unix_ms(&self) -> f64 {
        Date::now()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        // setTimeout takes 31 bits; after a longer sleep, callers wake early and read the clock again. Rounded up,
        // otherwise a timer could fire just before its deadline.
        const MAX_TIMEOUT: u32 = i32::MAX.unsigned_abs();
        if duration.is_zero() {
            return turn().boxed_local();
        }
        let ms = duration.saturating_add(Duration::from_nanos(999_999)).as_millis();
        TimeoutFuture::new(u32::try_from(ms).unwrap_or(MAX_TIMEOUT).min(MAX_TIMEOUT)).boxed_local()
    }

    fn seed(&self) -> u64 {
        Math::random().to_bits()
    }
}

/// Yields to all waiting tasks. Not by a timer: nested timers take at least four milliseconds, and a second in a hidden
/// page.
async fn turn() {
    let Ok(channel) = MessageChannel::new() else { return TimeoutFuture::new(0).await };
    let (here, there) = (Port(channel.port1()), channel.port2());
    let message = Promise::new(&mut |resolve, _| here.0.set_onmessage(Some(&resolve)));
    if there.post_message(&JsValue::NULL).is_ok() {
        // It cannot be rejected.
        let _ = JsFuture::from(message).await;
    }
}

/// End of a channel; dropping it closes the channel.
struct Port(MessagePort);

impl Drop for Port {
    fn drop(&mut self) {
        self.0.close();
    }
}
