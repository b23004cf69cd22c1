//! Sleep: notices that the machine has slept, or that the browser has frozen the page.

use std::time::Duration;

use crate::clock::Clock;
use crate::deadlines::{CLOCK_DRIFT, SLEEP_PAUSE};

/// What both clocks showed when they were compared last.
pub(in crate::reflector) struct Sleep {
    now: Duration,
    unix_ms: f64,
}

impl Sleep {
    pub(in crate::reflector) fn new(clock: &dyn Clock) -> Self {
        Self { now: clock.now(), unix_ms: clock.unix_ms() }
    }

    /// What the wall clock shows when the monotonic one shows zero, in milliseconds.
    pub(in crate::reflector) fn epoch(&self) -> f64 {
        self.unix_ms - self.now.as_secs_f64() * 1_000.0
    }

    /// Whether the machine slept since the last comparison. A wall clock that is put forward looks the same, and costs what a
    /// sleep does.
    pub(in crate::reflector) fn is_over(&mut self, clock: &dyn Clock) -> bool {
        let before = std::mem::replace(self, Self::new(clock));
        let drift = self.epoch() - before.epoch();
        self.now.saturating_sub(before.now) > SLEEP_PAUSE || drift > CLOCK_DRIFT.as_secs_f64() * 1_000.0
    }
}
