//! Sleep detection: the machine has slept, or the browser has frozen the page.

use std::time::Duration;

use crate::clock::Clock;
use crate::deadlines::{CLOCK_DRIFT, SLEEP_PAUSE};

/// Times of both clocks at the last comparison.
pub(in crate::reflector) struct Sleep {
    now: Duration,
    unix_ms: f64,
}

impl Sleep {
    pub(in crate::reflector) fn new(clock: &dyn Clock) -> Self {
        Self { now: clock.now(), unix_ms: clock.unix_ms() }
    }

    /// Wall-clock time of the monotonic zero, in milliseconds.
    pub(in crate::reflector) fn epoch(&self) -> f64 {
        self.unix_ms - self.now.as_secs_f64() * 1_000.0
    }

    /// Whether the machine slept since the last comparison. A wall clock that is set forward looks the same, and has the
    /// same effect.
    pub(in crate::reflector) fn is_over(&mut self, clock: &dyn Clock) -> bool {
        let before = std::mem::replace(self, Self::new(clock));
        let drift = self.epoch() - before.epoch();
        self.now.saturating_sub(before.now) > SLEEP_PAUSE || drift > CLOCK_DRIFT.as_secs_f64() * 1_000.0
    }
}
